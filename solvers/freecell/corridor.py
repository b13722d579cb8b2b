"""Corridors: a walk kept to the stages that a win in the looser game goes through.

A *stage* is which cards are in place and which are home; it never comes back once it is left. A corridor is
``uint64[n, 2]``: its stages in rising order, each with how many more follow it on the way to the win.
"""

from collections.abc import Iterable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.freecell.rules import stage_of

EVERYWHERE = np.empty((0, 2), dtype=np.uint64)
"""The corridor that leaves nothing out."""

_OUTSIDE = -1

# A state that is one stage further comes first unless it is estimated to cost so much more.
_STAGE_WORTH = 16
_COST_UNIT = 8


def make_corridor(stages: Iterable[int]) -> NDArray[np.uint64]:
    """Return the corridor through stages (:func:`solvers.freecell.rules.stage_of`), from the first to the win."""
    by_distance = enumerate(reversed([int(stage) for stage in stages]))
    return np.array(sorted((stage, distance) for distance, stage in by_distance), dtype=np.uint64)


@njit(cache=True, nogil=True)
def _distance(corridor, stage):
    """Return how many stages of a corridor follow a stage (``int64``), or ``_OUTSIDE``."""
    low, high = 0, corridor.shape[0] - 1
    while low < high:
        middle = (low + high) >> 1
        if corridor[middle, 0] < stage:
            low = middle + 1
        else:
            high = middle
    return np.int64(corridor[low, 1]) if corridor[low, 0] == stage else _OUTSIDE


@njit(cache=True, nogil=True)
def is_outside(corridor, deal, word0, word1):
    """Tell whether a state is in none of a corridor's stages."""
    return corridor.shape[0] > 0 and _distance(corridor, stage_of(deal, word0, word1)) == _OUTSIDE


@njit(cache=True, nogil=True)
def rank_in(corridor, deal, word0, word1, cost, highest):
    """Return the rank (``int64``, up to ``highest``) of a state in a corridor, given its estimated cost."""
    if corridor.shape[0] == 0:
        return cost
    return min(_distance(corridor, stage_of(deal, word0, word1)) * _STAGE_WORTH + cost // _COST_UNIT, highest)
