"""How far a FreeCell position seems from a win: weighted counts that decide which state is looked at next.

An estimate orders a search and cuts nothing off, so that no verdict depends on it.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from solvers.bits import popcount, trailing_zeros
from solvers.deals import FREECELL_COLUMNS
from solvers.freecell.rules import (
    ALL,
    MAX_DEPTH,
    ONE,
    RANK,
    ZERO,
    depth_of,
    flip_a,
    flip_b,
    home_cards,
    in_place,
    next_home,
)


class Weights(NamedTuple):
    """What a state is estimated to cost; the less, the sooner it is looked at.

    Attributes:
        out: each card that is not home.
        kept: each card in place.
        depth: each break of the deal in place.
        order: each card in place that was dealt on a lower one, however deep.
        column: each column that is not empty.
        bottom: each of those that holds no card in place.
        cell: each cell in use.
        buried: each card in place above one that is next on its foundation.
        cover: each card that has moved onto one of those.
    """

    out: int
    kept: int
    depth: int
    order: int
    column: int
    bottom: int
    cell: int
    buried: int
    cover: int


ESTIMATE = np.dtype(
    [
        ("column", np.int64, (FREECELL_COLUMNS, MAX_DEPTH + 1)),
        ("above", np.uint64, (52,)),
        *((name, np.int64) for name in Weights._fields if name != "column"),
        ("bottom_column", np.int64),
    ]
)
"""A deal's tables for the cost of a state under some weights.

``column``         what a column costs at a depth
``above``          the cards dealt above a card in its column, as a mask
``bottom_column``  what a column costs that holds no card in place and is not empty
"""


def make_estimate(deal: np.void, weights: Weights) -> np.void:
    """Return the ``ESTIMATE`` record of a deal (a ``DEAL`` record) under some weights."""
    estimate: np.void = np.zeros(1, dtype=ESTIMATE)[0]
    for name, weight in weights._asdict().items():
        if name != "column":
            estimate[name] = weight
    estimate["bottom_column"] = weights.column + weights.bottom
    _fill(deal, estimate, weights.column)
    return estimate


@njit(cache=True, nogil=True)
def _fill(deal, estimate, column_weight):
    """Fill the tables of an ``ESTIMATE`` record that holds its weights."""
    for column in range(FREECELL_COLUMNS):
        for depth in range(1, MAX_DEPTH + 1):
            top = deal.top[column, depth]
            if top == ZERO:
                break
            out_of_order = 0
            bit = top
            while bit:
                card = trailing_zeros(bit)
                out_of_order += _bury(deal, estimate, card)
                bit = deal.beneath[card]
            kept = popcount(deal.kept[column, depth])
            estimate.column[column, depth] = (
                column_weight + estimate.depth * depth + estimate.kept * kept + estimate.order * out_of_order
            )


@njit(cache=True, nogil=True)
def _bury(deal, estimate, card):
    """Note that a card lies above all that it was dealt on; return 1 if one of them is of lower rank, else 0."""
    is_on_lower = 0
    below = deal.beneath[card]
    while below:
        lower = trailing_zeros(below)
        estimate.above[lower] |= ONE << np.uint64(card)
        if lower >> 2 < card >> 2:
            is_on_lower = 1
        below = deal.beneath[lower]
    return is_on_lower


@njit(cache=True, nogil=True)
def cost(deal, estimate, word0, word1, highest):
    """Return the estimated cost of a state (``int64``), cut to the range from 0 to ``highest``."""
    kept, tops, _ = in_place(deal, word0, word1)
    home = home_cards(word0, word1, kept)
    moved = ALL & ~(kept | home)
    total = estimate.out * popcount(ALL & ~home) + estimate.cell * popcount(moved & word1 & ~word0)
    total += estimate.bottom_column * popcount(moved & word1 & word0)
    for column in range(FREECELL_COLUMNS):
        total += estimate.column[column, depth_of(word0, word1, column)]
    on_a = moved & ~(word0 | word1)
    on_b = moved & word0 & ~word1
    needed = next_home(home) & kept
    while needed:
        bit = needed & (~needed + ONE)
        needed ^= bit
        above = estimate.above[trailing_zeros(bit)] & kept
        total += estimate.buried * popcount(above)
        end = (above | bit) & tops
        while True:
            end = (flip_a(end >> RANK) & on_a) | (flip_b(end >> RANK) & on_b)
            if end == ZERO:
                break
            total += estimate.cover
    return min(max(total, 0), highest)
