"""A best-first walk over states: they wait in buckets by estimated cost, the last come first, and each is met once.

If the buckets run empty, every state that single-card moves reach has been searched, whatever the estimate was; moves
of whole runs only shorten the way to states that single cards reach too.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.bits import prefetch, uncounted
from solvers.freecell.corridor import EVERYWHERE, is_outside, rank_in
from solvers.freecell.estimate import cost
from solvers.freecell.rules import MAX_MOVES, is_won, run_moves, single_moves
from solvers.transposition import FREE, find, rebuild, slot_of

SLICE = 200_000
"""The most states looked at in one compiled call, so that Python sees an interruption within a second."""

MAX_NODES = 100_000_000
"""The most states that a walk can hold: 24 bytes each and a table of 1 GiB keep a process below 4 GB."""

BUCKETS = 4096
_FIRST_BITS = 12

# What a walk returns, and where its counters are.
RUNNING, EXHAUSTED, WON, FULL = range(4)
COUNT, BUCKET, BITS = range(3)


class Outcome(NamedTuple):
    """How a walk ended.

    Attributes:
        status: ``EXHAUSTED``, ``WON`` or ``FULL``.
        states: how many it met or looked at.
        path: ``uint64[n, 2]`` the words of the states from the first to the win, each one single-card or run move
            after the last; none without a win.
    """

    status: int
    states: int
    path: NDArray[np.uint64]


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


_memory = _allocate(1 << _FIRST_BITS)
_successors = np.empty((MAX_MOVES, 2), dtype=np.uint64)
_moves = np.empty(MAX_MOVES, dtype=np.int64)


def memory_for(capacity: int) -> Memory:
    """Return the process's memory, at least as large as asked for, with whatever it held."""
    global _memory  # noqa: PLW0603 - touched pages are kept from deal to deal
    if len(_memory.parents) < capacity:
        _memory = _allocate(capacity)
    return _memory


@njit(cache=True, nogil=True)
def uncounted_memory(memory):
    """Return the same :class:`Memory` of :func:`~solvers.bits.uncounted` arrays."""
    keys, parents, links, table, heads, counters = memory
    return Memory(
        uncounted(keys), uncounted(parents), uncounted(links), uncounted(table), uncounted(heads), uncounted(counters)
    )


@njit(cache=True, nogil=True)
def begin(memory, word0, word1):
    """Empty the memory and let the first state wait."""
    memory.heads[:] = -1
    memory.keys[0, 0] = word0
    memory.keys[0, 1] = word1
    memory.parents[0] = -1
    memory.links[0] = -1
    memory.heads[0] = 0
    rebuild(memory.table, _FIRST_BITS, memory.keys, 1)
    memory.counters[COUNT] = 1
    memory.counters[BUCKET] = 0
    memory.counters[BITS] = _FIRST_BITS


@njit(cache=True, nogil=True)
def _walk(memory, successors, moves, deal, estimate, cells, corridor, state_limit, slice_states):
    """Look at up to ``slice_states`` waiting states and store those that one move leads to from them.

    Returns:
        ``WON`` (the last state met is the win), ``EXHAUSTED`` (none waits any more), ``FULL`` (the limit is
        reached) or ``RUNNING``.
    """
    keys, parents, links, table, heads, counters = uncounted_memory(memory)
    successors, moves = uncounted(successors), uncounted(moves)
    count, bucket, bits = counters
    status = RUNNING
    for _ in range(slice_states):
        while bucket < BUCKETS and heads[bucket] < 0:
            bucket += 1
        if bucket == BUCKETS:
            status = EXHAUSTED
            break
        if count >= state_limit:
            status = FULL
            break
        if 4 * (count + MAX_MOVES) > 3 << bits:
            bits += 2 if 4 << bits <= table.size else 1
            rebuild(table, bits, keys, count)
        node = heads[bucket]
        heads[bucket] = links[node]
        made = single_moves(deal, keys[node, 0], keys[node, 1], cells, successors, moves)
        made = run_moves(deal, keys[node, 0], keys[node, 1], cells, successors, moves, made)
        for i in range(made):
            prefetch(table, slot_of(successors[i, 0], successors[i, 1], bits))
        for i in range(made):
            word0 = successors[i, 0]
            word1 = successors[i, 1]
            slot = find(table, bits, keys, word0, word1)
            if table[slot] != FREE or is_outside(corridor, deal, word0, word1):
                continue
            table[slot] = count
            keys[count, 0] = word0
            keys[count, 1] = word1
            parents[count] = node
            count += 1
            if is_won(word0, word1):
                status = WON
                break
            rank = cost(deal, estimate, word0, word1, BUCKETS - 1)
            rank = rank_in(corridor, deal, word0, word1, rank, BUCKETS - 1)
            links[count - 1] = heads[rank]
            heads[rank] = count - 1
            bucket = min(bucket, rank)
        if status == WON:
            break
    counters[COUNT] = count
    counters[BUCKET] = bucket
    counters[BITS] = bits
    return status


def nodes_to_last(memory: Memory) -> NDArray[np.uint64]:
    """Return the words, ``uint64[n, 2]``, from the first one met to the last along its parents."""
    node = int(memory.counters[COUNT]) - 1
    path = []
    while node >= 0:
        path.append(node)
        node = int(memory.parents[node])
    return memory.keys[path[::-1]]


def explore(
    deal: np.void,
    word0: np.uint64,
    word1: np.uint64,
    cells: int,
    estimate: np.void,
    state_limit: int,
    corridor: NDArray[np.uint64] = EVERYWHERE,
) -> Outcome:
    """Walk from a position that is not won yet to a win, the end or the limit.

    Args:
        deal: the ``DEAL`` record.
        word0: the position's first word.
        word1: its second.
        cells: how many cells the game has.
        estimate: the ``ESTIMATE`` record that ranks states.
        state_limit: stop after the state whose successors reach this many.
        corridor: the stages to keep to (:mod:`solvers.freecell.corridor`). A walk that gets through a corridor without
            a win proves nothing, and is ``FULL``.
    """
    memory = memory_for(state_limit + MAX_MOVES)
    begin(memory, word0, word1)
    status = RUNNING
    while status == RUNNING:
        status = int(_walk(memory, _successors, _moves, deal, estimate, cells, corridor, state_limit, SLICE))
    if status == EXHAUSTED and corridor.size:
        status = FULL
    path = nodes_to_last(memory) if status == WON else memory.keys[:0]
    return Outcome(status, int(memory.counters[COUNT]), path)
