"""What orders a beam: an estimate of the cost from a position to a win, a weighted sum of what stands in the way.

What a column costs depends on its cards alone, so it is a table by code, made for each deal; the waste is gone through
card by card.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from solvers.bits import trailing_zeros
from solvers.forty_thieves.deals import COLUMNS
from solvers.forty_thieves.rules import (
    CODE_BITS,
    CODE_MASK,
    CODES,
    EMPTY,
    MAX_SEQUENCE,
    NO_COLUMN,
    ONE,
    PLACE_MASK,
    PLACE_SHIFT,
    ZERO,
    home_cards,
)

OFFSET = 1000

ESTIMATE = np.dtype(
    [
        ("column", np.int32, CODES),
        ("turned", np.int32, MAX_SEQUENCE),
        ("lower", np.uint64, MAX_SEQUENCE),
        ("waste_above", np.int64),
        ("home", np.int64),
    ]
)
"""An estimate for one deal.

``column``       what a column costs, by code
``turned``       what a card in the waste costs, by its place in the sequence
``lower``        the places turned earlier that hold lower cards of the same suit, as bits
``waste_above``  what it costs that a card of the waste lies above a lower one of its suit
``home``         what a card home saves
"""


class Weights(NamedTuple):
    """What an estimate adds and subtracts.

    Attributes:
        home: less for each card home.
        empty: less for each empty column.
        pair: less for each card of a column that lies on the next rank of its suit.
        above: more for each card of a column above a lower one of its suit; half of it above its twin.
        above_low: more on top, up to this, the lower that one is.
        run: more for each run in a column.
        bury: more for each card of a column under each card of another run, up to half of this, the lower it is.
        waste: more for each card of the waste.
        waste_rank: less of that, up to this, the higher the card is.
        waste_above: more for each card of the waste above a lower one of its suit.
    """

    home: int
    empty: int
    pair: int
    above: int
    above_low: int
    run: int
    bury: int
    waste: int
    waste_rank: int
    waste_above: int


def make_estimate(deal: np.void, weights: Weights) -> np.void:
    """Return the ``ESTIMATE`` record of a deal (its ``DEAL`` record) for some weights."""
    estimate: np.void = np.zeros(1, dtype=ESTIMATE)[0]
    _fill_columns(deal, np.array(weights, dtype=np.int64), estimate)
    _fill_lower(deal, estimate)
    estimate["turned"] = weights.waste - weights.waste_rank * (deal["sequence"] >> 2) // 12
    estimate["waste_above"] = weights.waste_above
    estimate["home"] = weights.home
    return estimate


@njit(cache=True)
def _fill_lower(deal, estimate):
    """Note for each place of the sequence the lower cards of its suit that are turned before."""
    for place in range(MAX_SEQUENCE):
        card = deal.sequence[place]
        for earlier in range(place):
            if deal.sequence[earlier] & 3 == card & 3 and deal.sequence[earlier] < card:
                estimate.lower[place] |= ONE << np.uint64(earlier)


@njit(cache=True)
def _fill_columns(deal, weights, estimate):
    """Cost each column: its top run, with what lies beneath, and then the column beneath."""
    _, empty, pair, above, above_low, run, bury, _, _, _ = weights
    estimate.column[EMPTY] = -empty
    for code in range(1, NO_COLUMN):
        length = deal.length[code]
        if length == 0:
            continue
        top_rank = deal.top[code] >> 2
        cost = run - pair * (length - 1)
        lowest = 13
        below = np.int64(deal.beneath[code])
        while below != EMPTY:
            if deal.top[below] & 3 == deal.top[code] & 3:
                lowest = min(lowest, deal.top[below] >> 2)
            cost += length * bury * (12 - (deal.top[below] >> 2)) // 24
            below = np.int64(deal.beneath[below])
        for rank in range(top_rank, top_rank + length):
            if lowest < rank:
                cost += above + above_low * (12 - lowest) // 12
            elif lowest == rank:
                cost += above // 2
        estimate.column[code] = cost + (estimate.column[deal.beneath[code]] if deal.beneath[code] != EMPTY else 0)


@njit(cache=True, nogil=True)
def cost(estimate, words, index, highest):
    """Return the estimate (``int64``) of the position at an index of ``uint64[n, 4]`` words, 0 to ``highest``."""
    total = OFFSET - estimate.home * home_cards(words, index)
    word = words[index, 0]
    for column in range(COLUMNS):
        if column == 6:
            word = words[index, 1]
        total += estimate.column[np.int64(word & CODE_MASK)]
        word >>= CODE_BITS
    place = words[index, 1] >> PLACE_SHIFT & PLACE_MASK
    waste = words[index, 2] & ((ONE << place) - ONE if place < np.uint64(MAX_SEQUENCE) else ~ZERO)
    left = waste
    while left != ZERO:
        card = trailing_zeros(left)
        left &= left - ONE
        total += estimate.turned[card]
        if waste & estimate.lower[card]:
            total += estimate.waste_above
    return min(max(total, 0), highest)
