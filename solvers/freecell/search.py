"""FreeCell's exact search: a win with its line of moves, a proof that there is none, or an honest neither.

One best-first walk serves for both: states wait in buckets by estimated cost, the last come first, and a state is met
once. If the buckets run empty, every state that single-card moves reach has been searched, whatever the estimate was;
moves of whole runs only shorten the way to states that single cards reach too. Estimates are good for most deals and
bad for a few, and not for the same ones; so several of them are tried in turn, each for a limited number of states.

Counts and answers depend on the board, the cells and the state limit alone.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.bits import popcount, prefetch, trailing_zeros
from solvers.deals import Board, freecell_deal
from solvers.freecell.line import shortest_line, write_line
from solvers.freecell.rules import (
    ALL,
    MAX_DEPTH,
    MAX_MOVES,
    ONE,
    ZERO,
    Deal,
    depth_of,
    encode,
    home_cards,
    in_place,
    is_won,
    next_home,
    run_moves,
    single_moves,
)
from solvers.result import Result, Verdict
from solvers.transposition import FREE, find, rebuild, slot_of

SEARCH_VERSION = 1
MAX_STATES = 190_000_000
"""The largest state limit: 24 bytes a state and a table of 1 GiB keep a process below 6 GB."""

SLICE = 200_000
BUCKETS = 4096
_FIRST_BITS = 12

_RUNNING, _EXHAUSTED, _WON, _FULL = range(4)
_COUNT, _BUCKET, _BITS = range(3)


class Weights(NamedTuple):
    """What a state is estimated to cost; the less, the sooner it is looked at.

    Attributes:
        out: each card that is not home.
        depth: each break of the deal still in place.
        cell: each cell in use.
        column: each column that is not empty.
        buried: each dealt card above a card that is next on its foundation.
        order: each dealt card in place that lies on a lower one, however deep.
    """

    out: int
    depth: int
    cell: int
    column: int
    buried: int
    order: int


class Memory(NamedTuple):
    """What a walk keeps. Pages that it never reaches are never touched.

    Attributes:
        keys: ``uint64[n, 2]`` the states, in the order in which they were met.
        parents: ``int32[n]`` the state each was met from, -1 for the first.
        links: ``int32[n]`` the next one waiting in the same bucket, or -1.
        table: ``int32[2 ** m]`` where the keys are (:mod:`solvers.transposition`).
        heads: ``int32[BUCKETS]`` the first one waiting in each bucket, or -1.
        counters: ``int64[3]`` states met, lowest bucket that may hold one, bits of the table in use.
    """

    keys: NDArray[np.uint64]
    parents: NDArray[np.int32]
    links: NDArray[np.int32]
    table: NDArray[np.int32]
    heads: NDArray[np.int32]
    counters: NDArray[np.int64]


class Estimate(NamedTuple):
    """A deal's tables for the cost of a state under some weights.

    Attributes:
        column: ``int64[8, 16]`` what a column costs at a depth.
        above: ``uint64[52]`` the cards dealt above a card in its column.
        weights: ``int64[6]`` as :class:`Weights` has them.
    """

    column: NDArray[np.int64]
    above: NDArray[np.uint64]
    weights: NDArray[np.int64]


def _allocate(capacity: int) -> Memory:
    slots = 1 << max(_FIRST_BITS, (capacity * 4 // 3).bit_length())
    return Memory(
        np.empty((capacity, 2), dtype=np.uint64),
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int32),
        np.empty(slots, dtype=np.int32),
        np.empty(BUCKETS, dtype=np.int32),
        np.zeros(3, dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def _fill_estimate(deal, estimate):
    """Fill the tables of an :class:`Estimate` from its weights."""
    _, depth_weight, _, column_weight, _, order_weight = estimate.weights
    for column in range(8):
        estimate.column[column, 0] = 0
        for depth in range(1, MAX_DEPTH + 1):
            card_bit = deal.top[column, depth]
            if card_bit == ZERO:
                break
            out_of_order = 0
            while card_bit:
                card = trailing_zeros(card_bit)
                beneath = deal.beneath[card]
                lower_rank_found = 0
                below = beneath
                while below:
                    lower = trailing_zeros(below)
                    estimate.above[lower] |= card_bit
                    if lower >> 2 < card >> 2:
                        lower_rank_found = 1
                    below = deal.beneath[lower]
                out_of_order += lower_rank_found
                card_bit = beneath
            estimate.column[column, depth] = depth_weight * depth + order_weight * out_of_order + column_weight


@njit(cache=True, nogil=True)
def _cost(deal, estimate, word0, word1):
    """Return the estimated cost of a state (``int64``), cut to the range of the buckets."""
    out, _, cell, column_weight, buried, _ = estimate.weights
    kept, _, _ = in_place(deal, word0, word1)
    home = home_cards(word0, word1, kept)
    moved = ALL & ~(kept | home)
    total = out * (52 - popcount(home))
    total += cell * popcount(moved & word1 & ~word0) + column_weight * popcount(moved & word1 & word0)
    for column in range(8):
        total += estimate.column[column, depth_of(word0, word1, column)]
    needed = next_home(home) & kept
    while needed:
        total += buried * popcount(estimate.above[trailing_zeros(needed)] & kept)
        needed &= needed - ONE
    return min(max(total, 0), BUCKETS - 1)


@njit(cache=True, nogil=True)
def _wait(memory, index, parent, word0, word1, cost):
    """Store a state and let it wait in the bucket of its cost."""
    memory.keys[index, 0] = word0
    memory.keys[index, 1] = word1
    memory.parents[index] = parent
    memory.links[index] = memory.heads[cost]
    memory.heads[cost] = index


@njit(cache=True, nogil=True)
def _begin(memory, deal, estimate, word0, word1):
    """Empty the memory and let the first state wait."""
    memory.heads[:] = -1
    cost = _cost(deal, estimate, word0, word1)
    _wait(memory, 0, -1, word0, word1, cost)
    rebuild(memory.table, _FIRST_BITS, memory.keys, 1)
    memory.counters[_COUNT] = 1
    memory.counters[_BUCKET] = cost
    memory.counters[_BITS] = _FIRST_BITS


@njit(cache=True, nogil=True)
def _walk(memory, deal, estimate, cells, state_limit, slice_states):
    """Look at up to ``slice_states`` waiting states and store those that one move leads to from them.

    Returns:
        ``_WON`` (the last state met is the win), ``_EXHAUSTED`` (none waits any more), ``_FULL`` (the limit leaves no
        room for another state's successors) or ``_RUNNING``.
    """
    successors = np.empty((MAX_MOVES, 2), dtype=np.uint64)
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    count, bucket, bits = memory.counters
    status = _RUNNING
    for _ in range(slice_states):
        while bucket < BUCKETS and memory.heads[bucket] < 0:
            bucket += 1
        if bucket == BUCKETS:
            status = _EXHAUSTED
            break
        if count >= state_limit:
            status = _FULL
            break
        if 4 * (count + MAX_MOVES) > 3 << bits:
            bits += 2 if 4 << bits <= memory.table.size else 1
            rebuild(memory.table, bits, memory.keys, count)
        node = memory.heads[bucket]
        memory.heads[bucket] = memory.links[node]
        word0, word1 = memory.keys[node]
        made = single_moves(deal, word0, word1, cells, successors, moves)
        made = run_moves(deal, word0, word1, cells, successors, moves, made)
        for i in range(made):
            prefetch(memory.table, slot_of(successors[i, 0], successors[i, 1], bits))
        for i in range(made):
            word0, word1 = successors[i]
            slot = find(memory.table, bits, memory.keys, word0, word1)
            if memory.table[slot] != FREE:
                continue
            memory.table[slot] = count
            if is_won(word0, word1):
                _wait(memory, count, node, word0, word1, 0)
                count += 1
                status = _WON
                break
            cost = _cost(deal, estimate, word0, word1)
            _wait(memory, count, node, word0, word1, cost)
            count += 1
            bucket = min(bucket, cost)
        if status == _WON:
            break
    memory.counters[_COUNT] = count
    memory.counters[_BUCKET] = bucket
    memory.counters[_BITS] = bits
    return status


PORTFOLIO = (
    Weights(out=4, depth=6, cell=3, column=4, buried=5, order=2),
    Weights(out=8, depth=3, cell=4, column=6, buried=3, order=4),
    Weights(out=2, depth=8, cell=2, column=2, buried=2, order=1),
)
RUNGS = (2_000, 20_000, 200_000, 2_000_000, 20_000_000)

_memory = _allocate(RUNGS[0] + MAX_MOVES)


def _memory_for(capacity: int) -> Memory:
    """Return the process's memory, at least as large as asked for."""
    global _memory  # noqa: PLW0603 - touched pages are kept from deal to deal
    if len(_memory.parents) < capacity:
        _memory = _allocate(capacity)
    return _memory


def _explore(deal: Deal, word0: np.uint64, word1: np.uint64, cells: int, weights: Weights, state_limit: int) -> int:
    """Walk from a position to a win, the end or the limit; return the walk's last status, the states left in memory."""
    memory = _memory_for(state_limit + MAX_MOVES)
    estimate = Estimate(
        np.empty((8, MAX_DEPTH + 1), dtype=np.int64), np.zeros(52, dtype=np.uint64), np.array(weights, dtype=np.int64)
    )
    _fill_estimate(deal, estimate)
    _begin(memory, deal, estimate, word0, word1)
    status = _RUNNING
    while status == _RUNNING:
        status = _walk(memory, deal, estimate, cells, state_limit, SLICE)
    return int(status)


def _winning_path() -> NDArray[np.uint64]:
    """Return the words of the states from the first to the last one met."""
    node = int(_memory.counters[_COUNT]) - 1
    path = []
    while node >= 0:
        path.append(node)
        node = int(_memory.parents[node])
    return _memory.keys[path[::-1]]


def rungs(state_limit: int, tried: int = 0) -> tuple[int, ...]:
    """Return the rising limits of the walks that a search up to a limit makes, those already tried left out."""
    return tuple(rung for rung in (*(rung for rung in RUNGS if rung < state_limit), state_limit) if rung > tried)


def attempt(board: Board, cells: int, rung: int) -> Result:
    """Walk with each estimate of the portfolio in turn, each up to a limit of states, until one settles the board.

    Args and errors are those of :func:`solve`.
    """
    if not len(board.cells) <= cells <= 4:
        raise ValueError(f"{cells} cells: a board with {len(board.cells)} cards in cells takes that many to 4")
    if not 1 <= rung <= MAX_STATES:
        raise ValueError(f"state limit {rung} is outside 1-{MAX_STATES}")
    deal, word0, word1 = encode(board)
    if is_won(word0, word1):
        return Result(Verdict.SOLVABLE, 1, rung, "")
    states = 0
    for weights in PORTFOLIO:
        status = _explore(deal, word0, word1, cells, weights, rung)
        states += int(_memory.counters[_COUNT])
        if status == _EXHAUSTED:
            return Result(Verdict.UNSOLVABLE, states, rung)
        if status == _WON:
            line = shortest_line(deal, _winning_path(), cells)
            return Result(Verdict.SOLVABLE, states, rung, write_line(board, cells, line))
    return Result(Verdict.UNDECIDED, states, rung)


def solve(board: Board, cells: int, state_limit: int = MAX_STATES) -> Result:
    """Settle whether a board can be won with a number of cells.

    Args:
        board: the position; its cards in cells count among ``cells``.
        cells: how many cells the game has, 0 to 4.
        state_limit: how many states one walk may meet, up to ``MAX_STATES``; a walk stops after the state whose successors
            reach the limit.

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
    solve(freecell_deal(1), 4, RUNGS[0])
