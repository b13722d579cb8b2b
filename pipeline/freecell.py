"""The FreeCell runs: which shards each computes, and which tables they make."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import pyarrow as pa

from pipeline import jobs
from pipeline.jobs import AuditShard, DifficultyShard, SolveShard
from pipeline.program import InputError
from pipeline.published import KNOWN_UNSOLVABLE
from pipeline.ranges import format_deals, parse_deals, split
from pipeline.runs import Obtain, deals_name, limit_name
from pipeline.schemas import FREECELL_AUDIT, FREECELL_SEARCHES, Table
from pipeline.shards import Task
from pipeline.tables import audit_tables, audit_undecided, difficulty_tables, latest_rows, open_deals, solve_tables
from solvers.deals import FREECELL_HIGHEST, FREECELL_LOWEST
from solvers.freecell.search import MAX_STATES, SEARCH_VERSION

DIFFICULTY_SHARD = 100
SOLVE_SHARD = 20


@dataclass(frozen=True)
class DifficultyRun:
    """Settle deals for 0 to 4 cells: pass 0 goes through them, each later pass takes those still open, one a shard."""

    deals: tuple[int, ...]
    budgets: tuple[int, ...] = jobs.BUDGETS
    search_version: int = SEARCH_VERSION

    command: ClassVar[str] = "freecell difficulty"
    table: ClassVar[Table] = FREECELL_SEARCHES

    @property
    def name(self) -> str:
        """The name of the run's directory, unless the caller gives one."""
        return f"freecell-difficulty-{deals_name(self.deals)}{limit_name(self.budgets[-1], jobs.BUDGETS[-1])}"

    def config(self) -> dict[str, Any]:
        """Return all that the rows follow from, as JSON values."""
        return {
            "command": self.command,
            "deals": format_deals(self.deals),
            "shard_size": DIFFICULTY_SHARD,
            "budgets": list(self.budgets),
            "search_version": self.search_version,
        }

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Return the run that a configuration describes."""
        return cls(stored_deals(config), tuple(config["budgets"]), config["search_version"])

    def metadata(self) -> dict[str, str]:
        """Return the metadata that the run's tables carry."""
        return {"search_version": str(self.search_version), "budgets": ",".join(map(str, self.budgets))}

    def rows(self, obtain: Obtain) -> pa.Table:
        """Return the rows of all shards, each deal's from its last pass."""
        shards = [
            DifficultyShard(Task(0, deals[0], deals[-1]), deals, self.budgets[0])
            for deals in split(self.deals, DIFFICULTY_SHARD)
        ]
        rows = latest_rows(obtain(jobs.difficulty_rows, shards), self.table)
        for number, state_limit in enumerate(self.budgets[1:], start=1):
            known = jobs.evidence_by_deal(rows, open_deals(rows))
            shards = [
                DifficultyShard(Task(number, deal, deal), (deal,), state_limit, {deal: evidence})
                for deal, evidence in known.items()
            ]
            rows = latest_rows([rows, *obtain(jobs.difficulty_rows, shards)], self.table)
        return rows

    def tables(self, rows: pa.Table) -> dict[str, pa.Table]:
        """Return the finished tables, by name."""
        return difficulty_tables(rows)

    def count_undecided(self, rows: pa.Table) -> int:
        """Count the deals that the rows do not settle."""
        return len(open_deals(rows))


@dataclass(frozen=True)
class SolveRun:
    """Search deals with chosen cell counts, each on its own."""

    deals: tuple[int, ...]
    cells: tuple[int, ...]
    state_limit: int = jobs.SOLVE_LIMIT

    command: ClassVar[str] = "freecell solve"
    table: ClassVar[Table] = FREECELL_SEARCHES

    @property
    def name(self) -> str:
        """The name of the run's directory, unless the caller gives one."""
        limit = limit_name(self.state_limit, jobs.SOLVE_LIMIT)
        return f"freecell-solve-{deals_name(self.deals)}-cells-{listed(self.cells)}{limit}"

    def config(self) -> dict[str, Any]:
        """Return all that the rows follow from, as JSON values."""
        return {
            "command": self.command,
            "deals": format_deals(self.deals),
            "cells": list(self.cells),
            "shard_size": SOLVE_SHARD,
            "budgets": [self.state_limit],
            "search_version": SEARCH_VERSION,
        }

    def metadata(self) -> dict[str, str]:
        """Return the metadata that the run's tables carry."""
        return {"search_version": str(SEARCH_VERSION), "budgets": str(self.state_limit)}

    def rows(self, obtain: Obtain) -> pa.Table:
        """Return the rows of all shards."""
        shards = [
            SolveShard(Task(0, deals[0], deals[-1]), deals, self.cells, self.state_limit)
            for deals in split(self.deals, SOLVE_SHARD)
        ]
        return pa.concat_tables(obtain(jobs.solve_rows, shards))

    def tables(self, rows: pa.Table) -> dict[str, pa.Table]:
        """Return the finished tables, by name."""
        return solve_tables(rows)

    def count_undecided(self, rows: pa.Table) -> int:
        """Count the rows that a state limit left open."""
        return int(rows.column("verdict").to_pylist().count("undecided"))


@dataclass(frozen=True)
class AuditRun:
    """Count all reachable states of deals plainly, one deal a shard."""

    deals: tuple[int, ...] = KNOWN_UNSOLVABLE
    cells: tuple[int, ...] = (4,)
    is_autoplay: bool = True
    state_limit: int = jobs.AUDIT_LIMIT
    search_version: int = SEARCH_VERSION

    command: ClassVar[str] = "freecell audit"
    table: ClassVar[Table] = FREECELL_AUDIT

    @property
    def name(self) -> str:
        """The name of the run's directory, unless the caller gives one."""
        deals = "known" if self.deals == KNOWN_UNSOLVABLE else deals_name(self.deals)
        autoplay = "" if self.is_autoplay else "-no-autoplay"
        limit = limit_name(self.state_limit, jobs.AUDIT_LIMIT)
        return f"freecell-audit-{deals}-cells-{listed(self.cells)}{autoplay}{limit}"

    def config(self) -> dict[str, Any]:
        """Return all that the rows follow from, as JSON values."""
        return {
            "command": self.command,
            "deals": format_deals(self.deals),
            "cells": list(self.cells),
            "is_autoplay": self.is_autoplay,
            "budgets": [self.state_limit],
            "search_version": self.search_version,
        }

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Return the run that a configuration describes."""
        (state_limit,) = config["budgets"]
        cells = tuple(config["cells"])
        return cls(stored_deals(config), cells, config["is_autoplay"], state_limit, config["search_version"])

    def metadata(self) -> dict[str, str]:
        """Return the metadata that the run's table carries."""
        return {"search_version": str(self.search_version), "budgets": str(self.state_limit)}

    def rows(self, obtain: Obtain) -> pa.Table:
        """Return the rows of all shards."""
        shards = [
            AuditShard(Task(0, deal, deal), (deal,), self.cells, self.state_limit, self.is_autoplay)
            for deal in self.deals
        ]
        return pa.concat_tables(obtain(jobs.audit_rows, shards))

    def tables(self, rows: pa.Table) -> dict[str, pa.Table]:
        """Return the finished table, by name."""
        return audit_tables(rows)

    def count_undecided(self, rows: pa.Table) -> int:
        """Count the rows that a state limit left open."""
        return audit_undecided(rows)


def stored_deals(config: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the deals of a run's configuration."""
    return parse_deals(config["deals"], FREECELL_LOWEST, FREECELL_HIGHEST)


def search_limit(state_limit: int | None) -> int:
    """Return a state limit for one search, the default for none.

    Raises:
        InputError: no search can hold so many states.
    """
    if state_limit is not None and state_limit > MAX_STATES:
        raise InputError(f"{state_limit} is more states than a search can hold; accepted are 1 to {MAX_STATES}")
    return state_limit or jobs.SOLVE_LIMIT


def budgets_up_to(state_limit: int) -> tuple[int, ...]:
    """Return the state limits of the passes, the last one as given."""
    return (*(budget for budget in jobs.BUDGETS if budget < state_limit), state_limit)


def listed(cells: tuple[int, ...]) -> str:
    """Return numbers of cells as a part of a file name."""
    return ",".join(map(str, cells))
