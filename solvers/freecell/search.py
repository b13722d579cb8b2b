"""FreeCell's exact search: a win with its line of moves, a proof that there is none, or an honest neither.

Two kinds of walk look for both: one over single states (:mod:`solvers.freecell.walk`) and, for the long way, one over
classes of states (:mod:`solvers.freecell.class_walk`). A walk that finds no win and gets through is a proof, whatever
the estimate that ordered it. Estimates are good for most deals and bad for a few, and not for the same ones; so several
of them are tried in turn, each for a limited number of states.

Counts and answers depend on the board, the cells and the state limit alone.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from solvers.deals import Board, freecell_deal
from solvers.freecell import class_walk, walk
from solvers.freecell.estimate import Weights, make_estimate
from solvers.freecell.line import shortest_line, write_line
from solvers.freecell.rules import encode, is_won
from solvers.result import Result, Verdict

SEARCH_VERSION = 2
MAX_STATES = 4_000_000_000
"""The largest state limit; a walk over classes may run out of memory before it (:data:`class_walk.MAX_NODES`)."""

# Fitted on deals 40,001-44,000. Of the first seven, which make the early rounds, two are the best single ones at two
# cells and the third is at one; each of the others settles the most of what those before it leave open. The rest did
# best among some 150 on the deals that stay open for long: a win that one estimate misses by millions of states,
# another one may find in thousands.
PORTFOLIO = (
    Weights(out=14, kept=2, depth=2, order=0, column=16, bottom=-4, cell=0, buried=3, cover=6),
    Weights(out=10, kept=-1, depth=0, order=4, column=9, bottom=1, cell=9, buried=0, cover=14),
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
RUNGS = (10_000, 100_000, 3_000_000, 30_000_000)
"""The limits of the longest walk in each round; the last round has the caller's."""
EARLY_ESTIMATES = 7
"""How many of the portfolio make the rounds up to the last of ``RUNGS``."""
SHORT_RUNG = 100_000
"""Up to this limit the longest walk is over states, beyond it over classes."""
OTHERS_PART, OTHERS_PART_OF_CLASSES = 5, 15
"""What part of the longest walk's limit the other early estimates get, where it is over states and over classes."""
LATE_LIMIT = 1_500_000
"""The limit of each late estimate's walk."""


class Turn(NamedTuple):
    """One walk of a round."""

    explore: Callable[..., walk.Outcome]
    weights: Weights
    state_limit: int


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


def _round(rung: int) -> list[Turn]:
    """Return the walks of a round, in turn.

    Any walk that gets through is a proof: the first estimate goes ahead for it, the others look for wins in a part of
    its states. In a last round beyond ``RUNGS`` the late ones have their turn, and then the first goes on.
    """
    first, *others = PORTFOLIO[:EARLY_ESTIMATES]
    if rung <= SHORT_RUNG:
        part = max(rung // OTHERS_PART, 1)
        return [Turn(walk.explore, first, rung), *(Turn(walk.explore, weights, part) for weights in others)]
    ahead = Turn(class_walk.explore, first, rung)
    if rung <= RUNGS[-1]:
        part = rung // OTHERS_PART_OF_CLASSES
        return [ahead, *(Turn(walk.explore, weights, part) for weights in others)]
    return [*(Turn(walk.explore, weights, LATE_LIMIT) for weights in PORTFOLIO[EARLY_ESTIMATES:]), ahead]


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
    for explore, weights, limit in _round(rung):
        status, looked, path = explore(deal, word0, word1, cells, make_estimate(deal, weights), limit)
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
    deal, word0, word1 = encode(board)
    class_walk.explore(deal, word0, word1, 4, make_estimate(deal, PORTFOLIO[0]), RUNGS[0])
