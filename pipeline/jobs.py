"""What one shard computes: pure functions from a shard to its rows, run in worker processes.

Nothing here reads or writes a file, and nothing here imports polars (it hangs in a forked child, and every worker would
pay for it).
"""

import logging
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.schemas import FREECELL_AUDIT, FREECELL_SEARCHES
from pipeline.shards import Task
from solvers.deals import Board, freecell_deal
from solvers.freecell import difficulty, enumeration, referee, search
from solvers.freecell.difficulty import SEARCHED, Evidence
from solvers.result import Verdict

SLOW_SECONDS = 1.0

# The state limits of the passes of `deals freecell difficulty`: the first one goes through the range, each later one
# takes the deals that the one before left open.
BUDGETS = (200_000, 10_000_000, search.MAX_STATES)
# `deals freecell solve` and `deals verify --resolve` search once, with this limit.
SOLVE_LIMIT = BUDGETS[-1]
# A plain enumeration holds whole states, several times as large as those of the search.
AUDIT_LIMIT = 20_000_000

_log = logging.getLogger(__name__)


class DifficultyShard(NamedTuple):
    """Deals to settle, with the evidence that earlier passes found (by deal, then by cells)."""

    task: Task
    deals: tuple[int, ...]
    state_limit: int
    known: Mapping[int, Mapping[int, Evidence]] = {}

    def __str__(self) -> str:
        """Return the shard as people read it."""
        return str(self.task)


class SolveShard(NamedTuple):
    """Deals to search with each of some cell counts, each on its own."""

    task: Task
    deals: tuple[int, ...]
    cells: tuple[int, ...]
    state_limit: int

    def __str__(self) -> str:
        """Return the shard as people read it."""
        return str(self.task)


class AuditShard(NamedTuple):
    """Deals to enumerate plainly with each of some cell counts, beside the search's verdict."""

    task: Task
    deals: tuple[int, ...]
    cells: tuple[int, ...]
    state_limit: int
    is_autoplay: bool

    def __str__(self) -> str:
        """Return the shard as people read it."""
        return str(self.task)


class ReplayShard(NamedTuple):
    """Stored solutions, as (deal, variant, solution), to replay; the variant is the rest of their key."""

    rows: tuple[tuple[int, Any, str], ...]

    def __str__(self) -> str:
        """Return the shard as people read it."""
        return f"solutions of deals {self.rows[0][0]}-{self.rows[-1][0]}"


class ProofShard(NamedTuple):
    """Rows of evidence, as (deal, variant), to decide once more."""

    rows: tuple[tuple[int, Any], ...]
    state_limit: int

    def __str__(self) -> str:
        """Return the shard as people read it."""
        return f"evidence of deals {self.rows[0][0]}-{self.rows[-1][0]}"


class Replay(NamedTuple):
    """What the referee says of one stored solution: its moves, or why it is refused (``fault``)."""

    deal: int
    variant: int | str
    moves: int | None
    fault: str | None


class Reproof(NamedTuple):
    """What a fresh search or enumeration says of one (deal, variant)."""

    deal: int
    variant: int | str
    verdict: str
    states: int


def difficulty_rows(shard: DifficultyShard) -> pa.Table:
    """Settle every deal of a shard: rows as FREECELL_SEARCHES, five a deal, every win replayed by the referee.

    Raises:
        RefereeError: the search returned a line that does not win (a defect of the solver).
    """
    rows: list[tuple[int, Evidence]] = []
    for deal in shard.deals:
        board = freecell_deal(deal)
        with slow_ones_logged(f"deal {deal}"):
            settled = difficulty.settle(board, shard.state_limit, shard.known.get(deal, {}))
        rows += [(deal, refereed(board, evidence, f"deal {deal}")) for evidence in settled]
    return search_table(rows)


def solve_rows(shard: SolveShard) -> pa.Table:
    """Search every deal of a shard with every cell count: rows as FREECELL_SEARCHES, every win replayed by the referee.

    Raises:
        RefereeError: the search returned a line that does not win (a defect of the solver).
    """
    rows: list[tuple[int, Evidence]] = []
    for deal in shard.deals:
        board = freecell_deal(deal)
        for cells in shard.cells:
            with slow_ones_logged(f"deal {deal} with {cells} cells"):
                evidence = searched(board, cells, shard.state_limit)
            rows.append((deal, refereed(board, evidence, f"deal {deal}")))
    return search_table(rows)


def audit_rows(shard: AuditShard) -> pa.Table:
    """Count the reachable states of every deal of a shard plainly: rows as FREECELL_AUDIT."""
    rows = []
    for deal in shard.deals:
        board = freecell_deal(deal)
        for cells in shard.cells:
            with slow_ones_logged(f"deal {deal} with {cells} cells, plainly"):
                plain = enumeration.enumerate_states(board, cells, shard.state_limit, shard.is_autoplay)
            fast = search.solve(board, cells, min(shard.state_limit, search.MAX_STATES))
            rows.append(
                {
                    "deal": deal,
                    "cells": cells,
                    "is_autoplay": shard.is_autoplay,
                    "states_reachable": plain.states if plain.verdict == Verdict.UNSOLVABLE else None,
                    "state_limit": shard.state_limit,
                    "verdict_plain": plain.verdict.value,
                    "verdict_search": fast.verdict.value,
                }
            )
    return pa.Table.from_pylist(rows, schema=FREECELL_AUDIT.schema)


def replays(shard: ReplayShard) -> list[Replay]:
    """Replay stored solutions, as (deal, cells, solution), with the referee."""
    answers = []
    for deal, cells, solution in shard.rows:
        try:
            answers.append(Replay(deal, cells, referee.replay(freecell_deal(deal), cells, solution), None))
        except ValueError as error:
            answers.append(Replay(deal, cells, None, str(error)))
    return answers


def resolved(shard: ProofShard) -> list[Reproof]:
    """Search every (deal, cells) of a shard afresh; a win counts once the referee has replayed it."""
    answers = []
    for deal, cells in shard.rows:
        board = freecell_deal(deal)
        evidence = refereed(board, searched(board, cells, shard.state_limit), f"deal {deal}")
        answers.append(Reproof(deal, cells, evidence.verdict.value, evidence.states))
    return answers


def enumerated(shard: ProofShard) -> list[Reproof]:
    """Enumerate every (deal, cells) of a shard plainly, with autoplay."""
    answers = []
    for deal, cells in shard.rows:
        plain = enumeration.enumerate_states(freecell_deal(deal), cells, shard.state_limit)
        answers.append(Reproof(deal, cells, plain.verdict.value, plain.states))
    return answers


def searched(board: Board, cells: int, state_limit: int) -> Evidence:
    """Search one board with one cell count, on its own."""
    result = search.solve(board, cells, state_limit)
    return Evidence(cells, result.verdict, result.states, SEARCHED, state_limit, result.solution)


def refereed(board: Board, evidence: Evidence, name: str) -> Evidence:
    """Return evidence whose solution, if any, the referee has replayed.

    Raises:
        RefereeError: the solution does not win; the message has ``name`` and the cells.
    """
    if evidence.solution is not None:
        try:
            referee.replay(board, evidence.cells, evidence.solution)
        except referee.RefereeError as error:
            raise referee.RefereeError(f"{name} with {evidence.cells} cells: {error}") from error
    return evidence


@contextmanager
def slow_ones_logged(name: str, slow_seconds: float = SLOW_SECONDS) -> Iterator[None]:
    """Log what takes long, with the most memory that this process has had so far; no result depends on it."""
    started = time.perf_counter()
    yield
    seconds = time.perf_counter() - started
    if seconds >= slow_seconds:
        _log.info("%s took %.1f s; peak memory of this process: %s", name, seconds, peak_memory())


def peak_memory() -> str:
    """Return the most memory that this process has had, for people."""
    if sys.platform == "win32":
        return "unknown"
    import resource  # noqa: PLC0415 - Unix alone has it

    unit = 1 if sys.platform == "darwin" else 1024
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9:.2f} GB"


def search_table(rows: Sequence[tuple[int, Evidence]]) -> pa.Table:
    """Return (deal, evidence) pairs as a table with the schema of FREECELL_SEARCHES."""
    records = [{"deal": deal, **evidence._asdict(), "verdict": evidence.verdict.value} for deal, evidence in rows]
    return pa.Table.from_pylist(records, schema=FREECELL_SEARCHES.schema)


def evidence_by_deal(searches: pa.Table, deals: Sequence[int]) -> dict[int, dict[int, Evidence]]:
    """Read the rows of some deals (FREECELL_SEARCHES) back: by deal, then by cells."""
    found: dict[int, dict[int, Evidence]] = {deal: {} for deal in deals}
    for row in searches.filter(pc.is_in(searches.column("deal"), pa.array(deals, pa.int32()))).to_pylist():
        deal = row.pop("deal")
        evidence = Evidence(**{**row, "verdict": Verdict(row["verdict"])})
        found[deal][evidence.cells] = evidence
    return found
