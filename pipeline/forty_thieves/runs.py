"""The runs of Forty Thieves: which shards each computes, and which tables they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import pyarrow as pa

from pipeline.forty_thieves import jobs
from pipeline.forty_thieves.jobs import NO_ROWS, KeptShard, WinnableShard
from pipeline.forty_thieves.tables import open_deals, solve_tables, winnable_tables
from pipeline.program import InputError
from pipeline.ranges import format_deals, parse_deals, split
from pipeline.runs import Obtain, deals_name, limit_name
from pipeline.schemas import FORTY_THIEVES_SEARCHES, Table
from pipeline.shards import Task
from pipeline.tables import latest_rows, rows_of_deals
from solvers.forty_thieves.deals import HIGHEST, LOWEST, Rules
from solvers.forty_thieves.search import BEAM_LIMIT, MAX_STATES, SEARCH_VERSION

WINNABLE_SHARD = 20


@dataclass(frozen=True)
class WinnableRun:
    """Settle deals: pass 0 goes through them, each later pass takes those still open, one a shard."""

    deals: tuple[int, ...]
    rules: tuple[Rules, ...] = tuple(Rules)
    budgets: tuple[int, ...] = jobs.BUDGETS
    search_version: int = SEARCH_VERSION

    command: ClassVar[str] = "forty-thieves winnable"
    table: ClassVar[Table] = FORTY_THIEVES_SEARCHES

    @property
    def name(self) -> str:
        """The name of the run's directory, unless the caller gives one."""
        limit = limit_name(self.budgets[-1], jobs.BUDGETS[-1])
        return f"forty-thieves-winnable-{deals_name(self.deals)}-{rules_name(self.rules)}{limit}"

    def config(self) -> dict[str, Any]:
        """Return all that the rows follow from, as JSON values."""
        return {
            "command": self.command,
            "deals": format_deals(self.deals),
            "rules": list(self.rules),
            "shard_size": WINNABLE_SHARD,
            "budgets": list(self.budgets),
            "search_version": self.search_version,
        }

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Return the run that a configuration describes."""
        deals, rules = stored_deals(config["deals"]), stored_rules(config)
        return cls(deals, rules, tuple(config["budgets"]), config["search_version"])

    def metadata(self) -> dict[str, str]:
        """Return the metadata that the run's tables carry."""
        return {"search_version": str(self.search_version), "budgets": ",".join(map(str, self.budgets))}

    def rows(self, obtain: Obtain) -> pa.Table:
        """Return the rows of all shards, each deal's from its last pass."""
        shards = [
            WinnableShard(Task(0, deals[0], deals[-1]), deals, self.rules, self.budgets[0])
            for deals in split(self.deals, WINNABLE_SHARD)
        ]
        rows = latest_rows(obtain(jobs.winnable_rows, shards), self.table)
        for number, state_limit in enumerate(self.budgets[1:], start=1):
            shards = one_deal_shards(number, open_deals(rows, self.rules), self.rules, state_limit, rows)
            rows = latest_rows([rows, *obtain(jobs.winnable_rows, shards)], self.table)
        return rows

    def tables(self, rows: pa.Table) -> dict[str, pa.Table]:
        """Return the finished tables, by name."""
        return winnable_tables(rows)

    def count_undecided(self, rows: pa.Table) -> int:
        """Count the deals that the rows leave open under one of the rule sets."""
        return len(open_deals(rows, self.rules))


@dataclass(frozen=True)
class DeeperRun:
    """Take up what finished tables leave undecided, one deal a shard, and keep their other rows.

    Attributes:
        deals: all deals of the tables.
        taken_up: those to search once more.
        rules: the rule sets to search them under.
        state_limit: the limit of each search.
        basis: the content hash of the tables' rows.
        earlier: the tables' metadata.
        known: their rows (FORTY_THIEVES_SEARCHES); a run that is only read back needs none.
    """

    deals: tuple[int, ...]
    taken_up: tuple[int, ...]
    rules: tuple[Rules, ...]
    state_limit: int
    basis: str
    earlier: Mapping[str, str]
    known: pa.Table = field(default_factory=lambda: NO_ROWS)
    search_version: int = SEARCH_VERSION

    command: ClassVar[str] = "forty-thieves winnable --deeper"
    table: ClassVar[Table] = FORTY_THIEVES_SEARCHES

    @property
    def name(self) -> str:
        """The name of the run's directory, unless the caller gives one."""
        which = f"{deals_name(self.taken_up)}-{rules_name(self.rules)}" if self.taken_up else "none"
        return f"forty-thieves-deeper-{which}{limit_name(self.state_limit, jobs.DEEPER_LIMIT)}-from-{self.basis[:8]}"

    def config(self) -> dict[str, Any]:
        """Return all that the rows follow from, as JSON values."""
        return {
            "command": self.command,
            "deals": format_deals(self.deals),
            "taken_up": format_deals(self.taken_up),
            "rules": list(self.rules),
            "budgets": [self.state_limit],
            "basis": self.basis,
            "earlier": dict(self.earlier),
            "search_version": self.search_version,
        }

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Return the run that a configuration describes, without the rows that it began with."""
        deals, rules = stored_deals(config["deals"]), stored_rules(config)
        taken_up = stored_deals(config["taken_up"]) if config["taken_up"] else ()
        (state_limit,) = config["budgets"]
        basis, earlier, version = config["basis"], config["earlier"], config["search_version"]
        return cls(deals, taken_up, rules, state_limit, basis, earlier, search_version=version)

    def metadata(self) -> dict[str, str]:
        """Return the metadata that the run's tables carry: the versions and limits of all their rows."""
        if not self.taken_up:
            return dict(self.earlier)
        return {
            "search_version": joined(self.earlier["search_version"], str(self.search_version)),
            "budgets": joined(self.earlier["budgets"], str(self.state_limit)),
        }

    def rows(self, obtain: Obtain) -> pa.Table:
        """Return the rows of all shards: those that are kept, and those of the deals taken up."""
        taken_up = set(self.taken_up)
        kept = tuple(deal for deal in self.deals if deal not in taken_up)
        keeping = [KeptShard(Task(0, kept[0], kept[-1]), kept, rows_of_deals(self.known, kept))] if kept else []
        searching = one_deal_shards(0, self.taken_up, self.rules, self.state_limit, self.known)
        rows = [*obtain(jobs.kept_rows, keeping), *obtain(jobs.winnable_rows, searching)]
        return latest_rows(rows, self.table)

    def tables(self, rows: pa.Table) -> dict[str, pa.Table]:
        """Return the finished tables, by name."""
        return winnable_tables(rows)

    def count_undecided(self, rows: pa.Table) -> int:
        """Count the deals that the rows leave open under one of the rule sets."""
        return len(open_deals(rows, self.rules))


@dataclass(frozen=True)
class SolveRun:
    """Search deals once, one deal a shard."""

    deals: tuple[int, ...]
    rules: tuple[Rules, ...]
    state_limit: int = jobs.DEEPER_LIMIT

    command: ClassVar[str] = "forty-thieves solve"
    table: ClassVar[Table] = FORTY_THIEVES_SEARCHES

    @property
    def name(self) -> str:
        """The name of the run's directory, unless the caller gives one."""
        limit = limit_name(self.state_limit, jobs.DEEPER_LIMIT)
        return f"forty-thieves-solve-{deals_name(self.deals)}-{rules_name(self.rules)}{limit}"

    def config(self) -> dict[str, Any]:
        """Return all that the rows follow from, as JSON values."""
        return {
            "command": self.command,
            "deals": format_deals(self.deals),
            "rules": list(self.rules),
            "budgets": [self.state_limit],
            "search_version": SEARCH_VERSION,
        }

    def metadata(self) -> dict[str, str]:
        """Return the metadata that the run's tables carry."""
        return {"search_version": str(SEARCH_VERSION), "budgets": str(self.state_limit)}

    def rows(self, obtain: Obtain) -> pa.Table:
        """Return the rows of all shards."""
        return pa.concat_tables(
            obtain(jobs.winnable_rows, one_deal_shards(0, self.deals, self.rules, self.state_limit, NO_ROWS))
        )

    def tables(self, rows: pa.Table) -> dict[str, pa.Table]:
        """Return the finished tables, by name."""
        return solve_tables(rows)

    def count_undecided(self, rows: pa.Table) -> int:
        """Count the deals that a state limit left open under one of the rule sets."""
        return len(open_deals(rows, self.rules))


def one_deal_shards(
    pass_number: int, deals: Sequence[int], rules: tuple[Rules, ...], state_limit: int, known: pa.Table
) -> list[WinnableShard]:
    """Return a shard for each deal, with what is known of it."""
    return [
        WinnableShard(Task(pass_number, deal, deal), (deal,), rules, state_limit, rows_of_deals(known, (deal,)))
        for deal in deals
    ]


def stored_deals(text: str) -> tuple[int, ...]:
    """Return the deals that a run's configuration names."""
    return parse_deals(text, LOWEST, HIGHEST)


def stored_rules(config: Mapping[str, Any]) -> tuple[Rules, ...]:
    """Return the rule sets of a run's configuration."""
    return tuple(map(Rules, config["rules"]))


def search_limit(state_limit: int | None) -> int:
    """Return a state limit for one search, the default for none.

    Raises:
        InputError: no search can hold so many states.
    """
    return limit_up_to(MAX_STATES, state_limit, jobs.DEEPER_LIMIT)


def verify_limit(state_limit: int | None) -> int:
    """Return a state limit for a row that is searched afresh, by default that of the published runs (same error)."""
    return limit_up_to(MAX_STATES, state_limit, jobs.BUDGETS[-1])


def progress_limit(state_limit: int | None) -> int:
    """Return a state limit for the question whether a board can get any further (same error)."""
    return limit_up_to(BEAM_LIMIT, state_limit, BEAM_LIMIT)


def limit_up_to(most: int, state_limit: int | None, default: int) -> int:
    """Return a state limit, the default for none.

    Raises:
        InputError: it is more than ``most``.
    """
    if state_limit is not None and state_limit > most:
        raise InputError(f"{state_limit} is more states than a search can hold; accepted are 1 to {most}")
    return state_limit or default


def budgets_up_to(state_limit: int | None) -> tuple[int, ...]:
    """Return the state limits of the passes, the last one as given."""
    last = jobs.BUDGETS[-1] if state_limit is None else search_limit(state_limit)
    return (*(budget for budget in jobs.BUDGETS if budget < last), last)


def rules_name(rules: tuple[Rules, ...]) -> str:
    """Return rule sets as a part of a file name."""
    return "both" if len(rules) > 1 else rules[0].value


def joined(*entries: str) -> str:
    """Return the numbers of some entries of metadata, in ascending order, each once."""
    return ",".join(map(str, sorted({int(number) for entry in entries for number in entry.split(",")})))
