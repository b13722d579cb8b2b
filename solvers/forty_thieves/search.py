"""Forty Thieves' search: a win with its line of moves, a proof that there is none, or an honest neither.

Beams (:mod:`solvers.forty_thieves.beam`) look for wins: first narrow ones, which also tell how hard a deal is, then
wider ones, up to one that wins. No estimate is good for every deal, so several of them order the beams in turn. A beam
that leaves nothing out and finds no win is a proof.

Counts and answers depend on the board, the rules and the state limit alone.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.forty_thieves import beam
from solvers.forty_thieves.beam import Shape
from solvers.forty_thieves.deals import CARDS, Board, Rules, forty_thieves_deal
from solvers.forty_thieves.estimate import Weights, make_estimate
from solvers.forty_thieves.grade import GRADES, grade_of
from solvers.forty_thieves.line import shortest_line, write_line
from solvers.forty_thieves.rules import encode, home_cards
from solvers.result import Result, Verdict

SEARCH_VERSION = 2
MAX_STATES = 500_000_000
"""The largest state limit."""

PORTFOLIO = (
    Weights(home=8, empty=44, pair=11, above=4, above_low=3, run=9, bury=0, waste=23, waste_rank=7, waste_above=23),
    Weights(home=8, empty=57, pair=7, above=4, above_low=14, run=0, bury=1, waste=18, waste_rank=5, waste_above=14),
    Weights(home=8, empty=36, pair=12, above=10, above_low=9, run=4, bury=9, waste=23, waste_rank=13, waste_above=4),
    Weights(home=8, empty=41, pair=19, above=0, above_low=0, run=0, bury=1, waste=7, waste_rank=0, waste_above=27),
    Weights(home=6, empty=48, pair=5, above=3, above_low=0, run=8, bury=6, waste=6, waste_rank=0, waste_above=26),
    Weights(home=8, empty=38, pair=11, above=10, above_low=5, run=3, bury=0, waste=23, waste_rank=3, waste_above=13),
    Weights(home=8, empty=20, pair=2, above=12, above_low=13, run=6, bury=4, waste=9, waste_rank=0, waste_above=23),
    Weights(home=10, empty=45, pair=11, above=13, above_low=6, run=0, bury=6, waste=11, waste_rank=6, waste_above=0),
    Weights(home=6, empty=61, pair=5, above=16, above_low=12, run=0, bury=0, waste=15, waste_rank=19, waste_above=20),
    Weights(home=6, empty=46, pair=8, above=3, above_low=6, run=0, bury=0, waste=26, waste_rank=5, waste_above=0),
    Weights(home=8, empty=28, pair=0, above=13, above_low=0, run=5, bury=6, waste=27, waste_rank=0, waste_above=29),
    Weights(home=8, empty=12, pair=14, above=12, above_low=0, run=0, bury=0, waste=15, waste_rank=0, waste_above=22),
)
ATTEMPT_SHAPES = {Rules.CLASSIC: Shape(50, 100, 500), Rules.RELAXED: Shape(2, 4, 50)}
"""The narrow beams whose wins make the grade, one for each estimate."""


class Stage(NamedTuple):
    """Beams of one shape, ordered by some estimates of the portfolio in turn."""

    shape: Shape
    estimates: tuple[int, ...]


# In wide beams the estimates win much the same deals; the last one, which cares for the waste above all, meets the
# fewest states by far.
STAGES = (
    Stage(Shape(150, 300, 2_000), (0, 1, 2, 3, 4, 5)),
    Stage(Shape(2_500, 5_000, 30_000), (11,)),
    Stage(Shape(20_000, 40_000, 200_000), (11,)),
    Stage(Shape(2_500, 5_000, 30_000), (9, 1, 10)),
    Stage(Shape(40_000, 80_000, 400_000), (11, 10, 6, 2, 1, 9)),
)
"""What follows the narrow beams."""
BEAM_LIMIT = 8_000_000
"""The most states that one beam may meet."""
EVERYTHING = Shape(MAX_STATES, MAX_STATES, MAX_STATES)


class Settled(NamedTuple):
    """A deal's answer.

    Attributes:
        result: the verdict and what it rests on.
        grade: how hard a winnable deal is (:mod:`solvers.forty_thieves.grade`), ``None`` without a win.
    """

    result: Result
    grade: str | None


def solve(board: Board, rules: Rules, state_limit: int = MAX_STATES) -> Settled:
    """Settle whether a board can be won.

    Args:
        board: the position.
        rules: the set of rules.
        state_limit: after how many states, over all the beams, no further one starts.

    Raises:
        ValueError: the board does not fit the rules, or the limit is not 1 to ``MAX_STATES``.
    """
    _check_limit(state_limit)
    deal, words = encode(board, rules)
    if home_cards(words.reshape(1, -1), 0) == CARDS:
        return Settled(Result(Verdict.SOLVABLE, 1, state_limit, ""), GRADES[0])
    narrow = [_beam(deal, words, rules, weights, ATTEMPT_SHAPES[rules], state_limit) for weights in PORTFOLIO]
    states = sum(outcome.states for outcome in narrow)
    outcomes = [*narrow, *_wider(deal, words, rules, narrow, state_limit - states)]
    states = sum(outcome.states for outcome in outcomes)
    if any(outcome.status == beam.EXHAUSTED for outcome in outcomes):
        return Settled(Result(Verdict.UNSOLVABLE, states, state_limit), None)
    wins = [outcome.path for outcome in outcomes if outcome.status == beam.WON]
    if not wins:
        return Settled(Result(Verdict.UNDECIDED, states, state_limit), None)
    solution = write_line(board, shortest_line(deal, min(wins, key=len), rules))
    grade = grade_of(sum(outcome.status == beam.WON for outcome in narrow), len(narrow))
    return Settled(Result(Verdict.SOLVABLE, states, state_limit, solution), grade)


def _beam(
    deal: np.void, words: NDArray[np.uint64], rules: Rules, weights: Weights, shape: Shape, state_limit: int
) -> beam.Outcome:
    limit = max(1, min(state_limit, BEAM_LIMIT))
    return beam.explore(deal, words, rules, make_estimate(deal, weights), shape, limit)


def _wider(
    deal: np.void, words: NDArray[np.uint64], rules: Rules, narrow: list[beam.Outcome], state_limit: int
) -> Iterator[beam.Outcome]:
    """Yield the outcomes of further beams, up to one that settles the board or to the limit."""
    is_settled = any(_settles(outcome) for outcome in narrow)
    for shape, estimates in STAGES:
        for index in estimates:
            if is_settled or state_limit <= 0:
                return
            outcome = _beam(deal, words, rules, PORTFOLIO[index], shape, state_limit)
            yield outcome
            is_settled = _settles(outcome)
            state_limit -= outcome.states


def _settles(outcome: beam.Outcome) -> bool:
    return outcome.status in (beam.WON, beam.EXHAUSTED)


def any_progress(board: Board, rules: Rules, state_limit: int = BEAM_LIMIT) -> Result:
    """Tell whether any line of moves brings one more card to a foundation.

    Returns:
        Solvable with the moves up to that card, unsolvable if there are surely none, or undecided.

    Raises:
        ValueError: the board does not fit the rules, or the limit is not 1 to ``BEAM_LIMIT``.
    """
    return _look_at_everything(board, rules, state_limit, sum(board.foundations) + 1)


def enumerate_states(board: Board, rules: Rules, state_limit: int = BEAM_LIMIT) -> Result:
    """Settle whether a board can be won by meeting all its positions, with nothing left out or taken together.

    Raises:
        ValueError: as :func:`any_progress`.
    """
    return _look_at_everything(board, rules, state_limit, CARDS)


def _look_at_everything(board: Board, rules: Rules, state_limit: int, goal: int) -> Result:
    """Tell whether moves bring ``goal`` cards to the foundations."""
    if not 1 <= state_limit <= BEAM_LIMIT:
        raise ValueError(f"state limit {state_limit} is outside 1-{BEAM_LIMIT}")
    deal, words = encode(board, rules)
    if home_cards(words.reshape(1, -1), 0) >= goal:
        return Result(Verdict.SOLVABLE, 1, state_limit, "")
    estimate = make_estimate(deal, PORTFOLIO[0])
    outcome = beam.explore(deal, words, rules, estimate, EVERYTHING, state_limit, goal)
    if outcome.status == beam.WON:
        solution = write_line(board, shortest_line(deal, outcome.path, rules))
        return Result(Verdict.SOLVABLE, outcome.states, state_limit, solution)
    verdict = Verdict.UNSOLVABLE if outcome.status == beam.EXHAUSTED else Verdict.UNDECIDED
    return Result(verdict, outcome.states, state_limit)


def _check_limit(state_limit: int) -> None:
    if not 1 <= state_limit <= MAX_STATES:
        raise ValueError(f"state limit {state_limit} is outside 1-{MAX_STATES}")


def warm_up() -> None:
    """Compile the search, or load it from Numba's cache."""
    solve(forty_thieves_deal(1), Rules.RELAXED, 100_000)
