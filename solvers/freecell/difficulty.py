"""The smallest number of cells that wins a deal, with the evidence for every number from 0 to 4."""

from collections.abc import Mapping
from typing import NamedTuple

from solvers.deals import Board
from solvers.freecell.search import MAX_STATES, attempt, rungs
from solvers.result import Verdict

MAX_CELLS = 4
SEARCHED = "searched"

# Most deals need two cells; then a win with two and a proof for one settle all.
_ORDER = (2, 1, 3, 0, 4)
_LIKELY = (2, 1)


class Evidence(NamedTuple):
    """What is known of a deal with one number of cells.

    Attributes:
        cells: the number of cells, 0 to 4.
        verdict: solvable, unsolvable or undecided.
        states: the states searched; 0 if the verdict is implied.
        basis: ``searched``, or ``implied by K``: a win with K cells wins with more, a proof with K holds for fewer.
        state_limit: the largest number of states that one walk was allowed.
        solution: the winning moves where they were searched for and found.
    """

    cells: int
    verdict: Verdict
    states: int
    basis: str
    state_limit: int
    solution: str | None = None


def settle(
    board: Board, state_limit: int = MAX_STATES, known: Mapping[int, Evidence] | None = None
) -> tuple[Evidence, ...]:
    """Return the evidence for 0 to 4 cells, in this order.

    Two searches settle a deal: a win with its smallest number of cells and a proof with one cell less. Which two is not
    known, so every number that is still open is tried with a low limit before any is tried with a higher one.

    Args:
        board: the deal.
        state_limit: the states that each walk of each search may meet.
        known: evidence found before with lower limits, to go on from.
    """
    found = {evidence.cells: evidence for evidence in (known or {}).values() if evidence.basis == SEARCHED}
    for rung in rungs(state_limit):
        for cells in _ORDER:
            lost, won = _bounds(found)
            tried = found[cells].state_limit if cells in found else 0
            is_open = lost < cells < won and tried < rung
            if is_open and (rung == state_limit or _is_next(cells, lost, won)):
                found[cells] = _search(board, cells, rung, found.get(cells))
    lost, won = _bounds(found)
    return tuple(_evidence(cells, lost, won, found, state_limit) for cells in range(MAX_CELLS + 1))


def _is_next(cells: int, lost: int, won: int) -> bool:
    """Tell whether a number of cells may be one of the two that settle a deal, as far as that is likely."""
    return cells in _LIKELY or lost == cells - 1 or won == cells + 1


def _bounds(found: Mapping[int, Evidence]) -> tuple[int, int]:
    """Return the largest number of cells proved to lose (or -1) and the smallest that wins (or 5)."""
    lost = max((cells for cells, e in found.items() if e.verdict == Verdict.UNSOLVABLE), default=-1)
    won = min((cells for cells, e in found.items() if e.verdict == Verdict.SOLVABLE), default=MAX_CELLS + 1)
    return lost, won


def _search(board: Board, cells: int, rung: int, before: Evidence | None) -> Evidence:
    result = attempt(board, cells, rung)
    states = result.states + (before.states if before else 0)
    return Evidence(cells, result.verdict, states, SEARCHED, rung, result.solution)


def _evidence(cells: int, lost: int, won: int, found: Mapping[int, Evidence], state_limit: int) -> Evidence:
    if cells in found and found[cells].verdict != Verdict.UNDECIDED:
        return found[cells]
    if cells > won:
        return Evidence(cells, Verdict.SOLVABLE, 0, f"implied by {won}", state_limit)
    if cells < lost:
        return Evidence(cells, Verdict.UNSOLVABLE, 0, f"implied by {lost}", state_limit)
    return found[cells]
