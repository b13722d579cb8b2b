"""FreeCell's exact search: a win with its line of moves, a proof that there is none, or an honest neither.

Two kinds of walk look for both: one over single states (:mod:`solvers.freecell.walk`), and one over classes of
positions in games that are looser than FreeCell (:mod:`solvers.freecell.class_walk`), whose losses are proofs and whose
wins show where to look for one. A walk that finds no win and gets through is a proof, whatever the estimate that
ordered it.
Estimates are good for most deals and bad for a few, and not for the same ones; so several of them are tried in turn,
each for a limited number of states.

Counts and answers depend on the board, the cells and the state limit alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from solvers.deals import Board, freecell_deal
from solvers.freecell import class_walk, walk
from solvers.freecell.classes import Game
from solvers.freecell.estimate import Weights, make_estimate
from solvers.freecell.line import shortest_line, write_line
from solvers.freecell.rules import encode, is_won
from solvers.result import Result, Verdict

SEARCH_VERSION = 3
MAX_STATES = 4_000_000_000
"""The largest state limit; a walk over classes may run out of memory before it (:data:`class_walk.MAX_NODES`)."""

# Fitted on deals 40,001-41,000, one after another: each of the early ones wins the most, for the states that it meets,
# of the deals that those before it leave open. The late ones did best among some 150 on deals that stay open for long:
# a win that one estimate misses by millions of states, another one may find in thousands.
EARLY = (
    Weights(out=16, kept=2, depth=2, order=1, column=10, bottom=0, cell=6, buried=5, cover=6),
    Weights(out=6, kept=1, depth=10, order=1, column=13, bottom=2, cell=9, buried=-1, cover=2),
    Weights(out=23, kept=1, depth=2, order=-5, column=15, bottom=-3, cell=0, buried=5, cover=6),
    Weights(out=2, kept=0, depth=1, order=4, column=8, bottom=-3, cell=8, buried=2, cover=2),
    Weights(out=14, kept=7, depth=8, order=1, column=16, bottom=-6, cell=-1, buried=-2, cover=10),
    Weights(out=24, kept=1, depth=2, order=-5, column=17, bottom=-4, cell=0, buried=5, cover=6),
    Weights(out=10, kept=-1, depth=0, order=4, column=9, bottom=1, cell=9, buried=0, cover=14),
)
LATE = (
    Weights(out=14, kept=2, depth=2, order=0, column=16, bottom=-4, cell=0, buried=3, cover=6),
    Weights(out=0, kept=-4, depth=6, order=1, column=4, bottom=1, cell=11, buried=3, cover=11),
    Weights(out=7, kept=1, depth=7, order=1, column=13, bottom=-1, cell=8, buried=-1, cover=2),
    Weights(out=14, kept=4, depth=8, order=2, column=13, bottom=-6, cell=1, buried=-2, cover=6),
    Weights(out=4, kept=0, depth=13, order=-1, column=14, bottom=-6, cell=4, buried=8, cover=7),
    Weights(out=17, kept=-3, depth=2, order=0, column=2, bottom=-4, cell=9, buried=2, cover=11),
    Weights(out=0, kept=-4, depth=5, order=1, column=4, bottom=-4, cell=10, buried=1, cover=7),
    Weights(out=0, kept=-4, depth=5, order=1, column=4, bottom=1, cell=10, buried=1, cover=7),
    Weights(out=0, kept=-5, depth=5, order=1, column=4, bottom=-4, cell=10, buried=1, cover=7),
    Weights(out=0, kept=-4, depth=5, order=1, column=4, bottom=1, cell=11, buried=-1, cover=7),
    Weights(out=11, kept=1, depth=3, order=0, column=16, bottom=-3, cell=0, buried=-1, cover=6),
    Weights(out=4, kept=2, depth=3, order=4, column=14, bottom=-4, cell=6, buried=2, cover=1),
    Weights(out=9, kept=1, depth=3, order=-6, column=20, bottom=-3, cell=0, buried=2, cover=8),
    Weights(out=9, kept=1, depth=3, order=-2, column=20, bottom=-3, cell=0, buried=-2, cover=8),
    Weights(out=2, kept=2, depth=11, order=2, column=12, bottom=-1, cell=10, buried=10, cover=2),
    Weights(out=9, kept=3, depth=13, order=1, column=16, bottom=4, cell=-1, buried=2, cover=0),
    Weights(out=10, kept=-5, depth=0, order=6, column=9, bottom=1, cell=7, buried=0, cover=14),
    Weights(out=16, kept=-1, depth=-1, order=2, column=-3, bottom=2, cell=11, buried=2, cover=8),
    Weights(out=17, kept=-3, depth=2, order=0, column=6, bottom=-4, cell=9, buried=1, cover=12),
    Weights(out=17, kept=-3, depth=-2, order=0, column=2, bottom=-4, cell=9, buried=2, cover=11),
    Weights(out=3, kept=2, depth=9, order=1, column=-2, bottom=5, cell=11, buried=3, cover=10),
    Weights(out=6, kept=-5, depth=0, order=4, column=5, bottom=1, cell=9, buried=-2, cover=10),
    Weights(out=2, kept=0, depth=2, order=2, column=8, bottom=-1, cell=7, buried=6, cover=4),
    Weights(out=7, kept=4, depth=9, order=1, column=2, bottom=1, cell=13, buried=3, cover=4),
)
FAR = EARLY[6]
"""The estimate of the walks that go farthest."""


class Round(NamedTuple):
    """The walks over states in a round.

    Attributes:
        rung: the limit of the longest walk in the round.
        estimates: which estimates walk over states.
        state_limit: the limit of each of those walks.
    """

    rung: int
    estimates: tuple[Weights, ...]
    state_limit: int


EARLY_ROUNDS = (
    Round(3_000, EARLY[:3], 3_000),
    Round(8_000, EARLY[3:5], 8_000),
    Round(20_000, EARLY[5:6], 20_000),
    Round(50_000, EARLY[6:], 50_000),
    Round(200_000, EARLY[:6], 40_000),
)
MIDDLE_RUNGS = (1_000_000, 10_000_000)
RUNGS = (*(early.rung for early in EARLY_ROUNDS), *MIDDLE_RUNGS)
"""The limits of the longest walks in each round; the last round has the caller's."""
OTHERS_PART = 5
"""How many times shorter than the longest walks the others are in the middle rounds."""
LATE_LIMIT = 1_500_000
"""The limit of each walk by a late estimate, in a last round beyond ``RUNGS``."""

CORRIDOR_LIMIT = 30_000_000
"""The limit of the walks that follow a win in a looser game."""

# Which rules a game gives up: singles float, twins swap (:class:`solvers.freecell.classes.Game`).
Rules = tuple[bool, bool]
LOOSEST, LOOSER, FREECELL = (True, True), (False, True), (False, False)

# One walk of a round, which takes a ``DEAL`` record, two words and the number of cells.
Turn = Callable[[np.void, np.uint64, np.uint64, int], walk.Outcome]


def rungs(state_limit: int) -> tuple[int, ...]:
    """Return the rising limits of the rounds that a search up to a limit makes.

    Raises:
        ValueError: the limit is not 1 to ``MAX_STATES``.
    """
    _check_limit(state_limit)
    return (*(rung for rung in RUNGS if rung < state_limit), state_limit)


def _check_limit(state_limit: int) -> None:
    if not 1 <= state_limit <= MAX_STATES:
        raise ValueError(f"state limit {state_limit} is outside 1-{MAX_STATES}")


def _states(weights: Weights, state_limit: int) -> Turn:
    """Return a walk over states."""

    def explore(deal: np.void, word0: np.uint64, word1: np.uint64, cells: int) -> walk.Outcome:
        limit = min(state_limit, walk.MAX_NODES)
        return walk.explore(deal, word0, word1, cells, make_estimate(deal, weights), limit)

    return explore


def _classes(weights: Weights, state_limit: int, game: Rules) -> Turn:
    """Return a walk over classes of a game, and then through FreeCell by the win that it finds."""

    def explore(deal: np.void, word0: np.uint64, word1: np.uint64, cells: int) -> walk.Outcome:
        played, estimate = Game(cells, *game), make_estimate(deal, weights)
        return class_walk.follow(deal, word0, word1, played, estimate, state_limit, min(state_limit, CORRIDOR_LIMIT))

    return explore


def _round(rung: int) -> Iterator[Turn]:
    """Yield the walks of a round, in turn: proofs first, for they are found soon if there are any."""
    if rung > RUNGS[0]:
        yield _classes(FAR, rung, LOOSEST)
    for early in EARLY_ROUNDS:
        if rung <= early.rung:
            limit = min(rung, early.state_limit)
            yield from (_states(weights, limit) for weights in early.estimates)
            return
    if rung <= MIDDLE_RUNGS[-1]:
        yield _classes(FAR, rung, LOOSER)
        yield from (_states(weights, rung // OTHERS_PART) for weights in EARLY[:-1])
        yield _states(FAR, rung)
        return
    yield from (_states(weights, LATE_LIMIT) for weights in LATE)
    yield _states(FAR, rung)
    yield _classes(FAR, rung, FREECELL)


def attempt(board: Board, cells: int, rung: int) -> Result:
    """Make one round: walk with each estimate of the portfolio in turn until one settles the board.

    The longest walk has the limit ``rung``. Args and errors are those of :func:`solve`.
    """
    if not len(board.cells) <= cells <= 4:
        raise ValueError(f"{cells} cells: a board with {len(board.cells)} cards in cells takes that many to 4")
    _check_limit(rung)
    deal, word0, word1 = encode(board)
    if is_won(word0, word1):
        return Result(Verdict.SOLVABLE, 1, rung, "")
    states = 0
    for explore in _round(rung):
        status, looked, path = explore(deal, word0, word1, cells)
        states += looked
        if status == walk.EXHAUSTED:
            return Result(Verdict.UNSOLVABLE, states, rung)
        if status == walk.WON:
            line = shortest_line(deal, path, cells)
            return Result(Verdict.SOLVABLE, states, rung, write_line(board, cells, line))
    return Result(Verdict.UNDECIDED, states, rung)


def solve(board: Board, cells: int, state_limit: int = MAX_STATES) -> Result:
    """Settle whether a board can be won with a number of cells.

    Args:
        board: the position; its cards in cells count among ``cells``.
        cells: how many cells the game has, 0 to 4.
        state_limit: how many states one walk may meet, up to ``MAX_STATES``; a walk stops after the state or the class
            that reaches the limit.

    Returns:
        The verdict; ``states`` counts those that all the walks met.

    Raises:
        ValueError: the board has more cards in cells than there are, or the limit is not 1 to ``MAX_STATES``.
    """
    states = 0
    for rung in rungs(state_limit):
        result = attempt(board, cells, rung)
        states += result.states
        if result.verdict != Verdict.UNDECIDED:
            break
    return replace(result, states=states, state_limit=state_limit)


def warm_up() -> None:
    """Compile the search, or load it from Numba's cache."""
    board = freecell_deal(1)
    solve(board, 4, RUNGS[0])
    solve(board, 2, RUNGS[1])
