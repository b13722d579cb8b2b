"""What one shard of Forty Thieves computes: pure functions from a shard to its rows, run in worker processes.

As in :mod:`pipeline.jobs`, nothing here reads or writes a file, and nothing here imports polars.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from pipeline.jobs import ProofShard, Replay, ReplayShard, Reproof, slow_ones_logged
from pipeline.schemas import FORTY_THIEVES_SEARCHES
from pipeline.shards import Task
from solvers.forty_thieves import referee, search
from solvers.forty_thieves.deals import Board, Rules, forty_thieves_deal
from solvers.result import Verdict

# The state limits of the passes of `deals forty-thieves winnable`: the first one goes through the range, each later one
# takes the deals that the one before left open, from the beginning; so there is one.
BUDGETS = (3_000_000,)
# `--deeper` and `deals forty-thieves solve` search once, with this limit.
DEEPER_LIMIT = 100_000_000

SLOW_SECONDS = 10.0

NO_ROWS = FORTY_THIEVES_SEARCHES.schema.empty_table()


class WinnableShard(NamedTuple):
    """Deals to settle under some rule sets; ``known`` has what was found before (FORTY_THIEVES_SEARCHES)."""

    task: Task
    deals: tuple[int, ...]
    rules: tuple[Rules, ...]
    state_limit: int
    known: pa.Table = NO_ROWS

    def __str__(self) -> str:
        """Return the shard as people read it."""
        return str(self.task)


class KeptShard(NamedTuple):
    """Deals whose rows (FORTY_THIEVES_SEARCHES) stay as they are."""

    task: Task
    deals: tuple[int, ...]
    known: pa.Table

    def __str__(self) -> str:
        """Return the shard as people read it."""
        return str(self.task)


class Evidence(NamedTuple):
    """What a search found of a board under one rule set: the columns of FORTY_THIEVES_SEARCHES without the deal."""

    rules: str
    verdict: str
    states: int
    state_limit: int
    search_version: int
    moves: int | None
    grade: str | None
    solution: str | None


def winnable_rows(shard: WinnableShard) -> pa.Table:
    """Search every deal of a shard under its rule sets, but for what is known or was searched with that limit.

    Returns:
        Rows as FORTY_THIEVES_SEARCHES, the known ones that stay among them; the referee replayed every new win.

    Raises:
        RefereeError: the search returned a line that does not win (a defect of the solver).
    """
    known = {(row["deal"], row["rules"]): row for row in shard.known.to_pylist()}
    rows = []
    for deal in shard.deals:
        for rules in Rules:
            row = known.get((deal, rules.value))
            if rules in shard.rules and (row is None or is_open(row, shard.state_limit)):
                with slow_ones_logged(f"deal {deal}, {rules}", SLOW_SECONDS):
                    found = searched(forty_thieves_deal(deal), rules, shard.state_limit, f"deal {deal}")
                row = {"deal": deal, **found._asdict()}
            if row is not None:
                rows.append(row)
    return search_table(rows)


def kept_rows(shard: KeptShard) -> pa.Table:
    """Return the rows of a shard as they are."""
    return shard.known


def replays(shard: ReplayShard) -> list[Replay]:
    """Replay stored solutions, as (deal, rules, solution), with the referee."""
    answers = []
    for deal, rules, solution in shard.rows:
        try:
            moves = referee.replay(forty_thieves_deal(deal), Rules(rules), solution)
            answers.append(Replay(deal, rules, moves, None))
        except ValueError as error:
            answers.append(Replay(deal, rules, None, str(error)))
    return answers


def resolved(shard: ProofShard) -> list[Reproof]:
    """Search every (deal, rules) of a shard afresh; a win counts once the referee has replayed it."""
    answers = []
    for deal, rules in shard.rows:
        found = searched(forty_thieves_deal(deal), Rules(rules), shard.state_limit, f"deal {deal}")
        answers.append(Reproof(deal, rules, found.verdict, found.states))
    return answers


def enumerated(shard: ProofShard) -> list[Reproof]:
    """Meet every position of each (deal, rules) of a shard."""
    state_limit = min(shard.state_limit, search.BEAM_LIMIT)
    answers = []
    for deal, rules in shard.rows:
        plain = search.enumerate_states(forty_thieves_deal(deal), Rules(rules), state_limit)
        answers.append(Reproof(deal, rules, plain.verdict.value, plain.states))
    return answers


def searched(board: Board, rules: Rules, state_limit: int, name: str) -> Evidence:
    """Search one board under one rule set; the referee replays the solution, if there is one, and counts its moves.

    Raises:
        RefereeError: the solution does not win; the message has ``name`` and the rules.
    """
    result, grade = search.solve(board, rules, state_limit)
    moves = None
    if result.solution is not None:
        try:
            moves = referee.replay(board, rules, result.solution)
        except referee.RefereeError as error:
            raise referee.RefereeError(f"{name}, {rules}: {error}") from error
    verdict = result.verdict.value
    return Evidence(
        rules.value, verdict, result.states, state_limit, search.SEARCH_VERSION, moves, grade, result.solution
    )


def is_open(row: Mapping[str, Any], state_limit: int) -> bool:
    """Tell whether a row (FORTY_THIEVES_SEARCHES) leaves open what a search with that limit may settle."""
    return bool(row["verdict"] == Verdict.UNDECIDED and row["state_limit"] < state_limit)


def search_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return rows as a table with the schema of FORTY_THIEVES_SEARCHES."""
    return pa.Table.from_pylist(rows, schema=FORTY_THIEVES_SEARCHES.schema)
