"""A beam through the stock: the best positions at each turn go on to the next one.

Turns of the stock are never taken back, so positions lie in layers, one for each turn. Within a layer positions wait in
buckets by estimated cost; the best one comes first, up to a cap on how many are looked at. Then the best of all that
were met, looked at or not, up to the beam's width, turn a card. A beam that left nothing out has met every position.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.bits import uncounted
from solvers.forty_thieves.deals import CARDS, PASSES, Rules
from solvers.forty_thieves.estimate import cost
from solvers.forty_thieves.rules import (
    MAX_MOVES,
    MAX_SEQUENCE,
    ONE,
    PASS_SHIFT,
    PLACE_MASK,
    PLACE_SHIFT,
    TABLE,
    WORDS,
    card_moves,
    home_cards,
    longest_moves,
    stock_move,
)

SLICE = 500_000
"""After how many positions a compiled call lets Python see an interruption, at the end of a layer."""
BUCKETS = 4096
_FREE = -1
_FIRST_BITS = 12
_MIX_0 = np.uint64(0x9E37_79B9_7F4A_7C15)
_MIX_1 = np.uint64(0xC2B2_AE3D_27D4_EB4F)
_MIX_2 = np.uint64(0xD6E8_FEB8_6659_FD93)
_HALF = np.uint64(32)

# What a beam returns, and where its counters are.
RUNNING, EXHAUSTED, WON, FULL, NARROWED = range(5)
START, COUNT, BITS, IS_NARROWED = range(4)


class Shape(NamedTuple):
    """How much of each layer a beam sees.

    Attributes:
        width: how many positions turn a card.
        cap: how many positions of a layer have their moves looked at.
        last_cap: the same after the last turn.
    """

    width: int
    cap: int
    last_cap: int


class Outcome(NamedTuple):
    """How a beam ended.

    Attributes:
        status: ``WON``, ``EXHAUSTED`` (all positions were met, none is won), ``NARROWED`` (some were left out) or
            ``FULL`` (the limit was reached).
        states: how many positions it met.
        path: ``uint64[n, 4]`` the words from the first position to the win, each one move after the last; none
            without a win.
    """

    status: int
    states: int
    path: NDArray[np.uint64]


class Memory(NamedTuple):
    """What a beam keeps. Pages that it never reaches are never touched.

    Attributes:
        words: ``uint64[n, 4]`` the positions, in the order in which they were met, so layer by layer.
        parents: ``int32[n]`` the position each was met from, -1 for the first.
        links: ``int32[n]`` the next one waiting in the same bucket, or -1.
        ranks: ``int32[n]`` the bucket of each.
        table: ``int32[2 ** m]`` where the positions of the layer are.
        heads: ``int32[BUCKETS]`` the first one waiting in each bucket, or -1.
        chosen: ``int32[n]`` those that turn a card.
        counters: ``int64[4]`` the first of the layer, positions met, bits of the table in use, whether any position
            was left out.
    """

    words: NDArray[np.uint64]
    parents: NDArray[np.int32]
    links: NDArray[np.int32]
    ranks: NDArray[np.int32]
    table: NDArray[np.int32]
    heads: NDArray[np.int32]
    chosen: NDArray[np.int32]
    counters: NDArray[np.int64]


def _allocate(capacity: int) -> Memory:
    slots = 1 << max(_FIRST_BITS, (capacity * 4 // 3).bit_length())
    return Memory(
        np.empty((capacity, WORDS), dtype=np.uint64),
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int32),
        np.empty(slots, dtype=np.int32),
        np.empty(BUCKETS, dtype=np.int32),
        np.empty(capacity, dtype=np.int32),
        np.zeros(4, dtype=np.int64),
    )


_memory = _allocate(1 << _FIRST_BITS)
_successors = np.empty((MAX_MOVES, WORDS), dtype=np.uint64)
_moves = np.empty(MAX_MOVES, dtype=np.int64)
_tables = np.zeros(2, dtype=TABLE)


def _memory_for(capacity: int) -> Memory:
    """Return the process's memory, at least as large as asked for, with whatever it held."""
    global _memory  # noqa: PLW0603 - touched pages are kept from deal to deal
    if len(_memory.parents) < capacity:
        _memory = _allocate(capacity)
    return _memory


@njit(cache=True, nogil=True)
def slot_of(words, index, bits):
    """Return the first slot (``int64``) to look at for a position's key in a table of ``2 ** bits`` slots."""
    mixed = words[index, 0] * _MIX_0
    mixed = (mixed ^ (mixed >> _HALF) ^ words[index, 1]) * _MIX_1
    mixed = (mixed ^ (mixed >> _HALF) ^ words[index, 2]) * _MIX_2
    return np.int64((mixed ^ (mixed >> _HALF)) * _MIX_0 >> np.uint64(64 - bits))


@njit(cache=True, nogil=True)
def find(table, bits, stored, words, index):
    """Return the slot (``int64``) that holds the index of a position among the stored ones, or the free one for it."""
    slot = slot_of(words, index, bits)
    while True:
        at = table[slot]
        if at == _FREE or (
            stored[at, 0] == words[index, 0] and stored[at, 1] == words[index, 1] and stored[at, 2] == words[index, 2]
        ):
            return slot
        slot = (slot + 1) & ((1 << bits) - 1)


@njit(cache=True, nogil=True)
def rebuild(table, bits, stored, start, count):
    """Make the first ``2 ** bits`` slots hold the positions from ``start`` to ``count`` and nothing else."""
    table[: 1 << bits] = _FREE
    for index in range(start, count):
        table[find(table, bits, stored, stored, index)] = index


@njit(cache=True, nogil=True)
def _uncounted(memory):
    words, parents, links, ranks, table, heads, chosen, counters = memory
    return Memory(
        uncounted(words),
        uncounted(parents),
        uncounted(links),
        uncounted(ranks),
        uncounted(table),
        uncounted(heads),
        uncounted(chosen),
        uncounted(counters),
    )


@njit(cache=True, nogil=True)
def _begin(memory, first):
    """Make the first position the first layer."""
    memory.words[0, :] = first
    memory.parents[0] = -1
    memory.counters[START] = 0
    memory.counters[COUNT] = 1
    memory.counters[BITS] = _FIRST_BITS
    memory.counters[IS_NARROWED] = 0
    rebuild(memory.table, _FIRST_BITS, memory.words, 0, 1)


@njit(cache=True, nogil=True)
def _rank_layer(memory, estimate):
    """Let the positions that turned a card wait in their buckets."""
    words, _, links, ranks, _, heads, _, counters = _uncounted(memory)
    heads[:] = -1
    for node in range(counters[START], counters[COUNT]):
        rank = cost(estimate, words, node, BUCKETS - 1)
        ranks[node] = rank
        links[node] = heads[rank]
        heads[rank] = node


@njit(cache=True, nogil=True)
def _search_layer(memory, deal, estimate, longest, tables, successors, moves, cap, state_limit, goal):
    """Look at up to ``cap`` waiting positions of the layer and store those that moves of cards lead to from them.

    Returns:
        ``WON`` (the last position met is the win), ``EXHAUSTED`` (none waits any more), ``NARROWED`` (some still wait)
        or ``FULL`` (the limit is reached).
    """
    words, parents, links, ranks, table, heads, _, counters = _uncounted(memory)
    successors, moves = uncounted(successors), uncounted(moves)
    start, count, bits = counters[START], counters[COUNT], counters[BITS]
    here, there = tables[0], tables[1]
    bucket = 0
    status = NARROWED
    for _ in range(cap):
        while bucket < BUCKETS and heads[bucket] < 0:
            bucket += 1
        if bucket == BUCKETS or count >= state_limit:
            break
        if 4 * (count - start + MAX_MOVES) > 3 << bits:
            bits += 1
            rebuild(table, bits, words, start, count)
        node = heads[bucket]
        heads[bucket] = links[node]
        for i in range(card_moves(deal, words, node, longest, here, there, successors, moves)):
            slot = find(table, bits, words, successors, i)
            if table[slot] != _FREE:
                continue
            table[slot] = count
            for word in range(WORDS):
                words[count, word] = successors[i, word]
            parents[count] = node
            count += 1
            if home_cards(successors, i) >= goal:
                status = WON
                break
            rank = cost(estimate, successors, i, BUCKETS - 1)
            ranks[count - 1] = rank
            links[count - 1] = heads[rank]
            heads[rank] = count - 1
            bucket = min(bucket, rank)
        if status == WON:
            break
    counters[COUNT] = count
    counters[BITS] = bits
    if status == WON:
        return WON
    if count >= state_limit:
        return FULL
    while bucket < BUCKETS and heads[bucket] < 0:
        bucket += 1
    return EXHAUSTED if bucket == BUCKETS else NARROWED


@njit(cache=True, nogil=True)
def _choose(memory, width):
    """Pick the best positions of the layer, of equals the last ones met; return how many (``width`` at most)."""
    _, _, _, ranks, _, heads, chosen, counters = _uncounted(memory)
    start, count = counters[START], counters[COUNT]
    heads[:] = 0
    for node in range(start, count):
        heads[ranks[node]] += 1
    worst, room = 0, width
    while worst < BUCKETS and heads[worst] <= room:
        room -= heads[worst]
        worst += 1
    picked = 0
    for node in range(count - 1, start - 1, -1):
        if ranks[node] < worst or (ranks[node] == worst and room > 0):
            room -= ranks[node] == worst
            chosen[picked] = node
            picked += 1
    return picked


@njit(cache=True, nogil=True)
def _turn_layer(memory, deal, passes, tables, successors, moves, picked, goal):
    """Make those picked turn a card, the next layer; tell whether the last one met reaches the goal."""
    words, parents, _, _, table, _, chosen, counters = _uncounted(memory)
    successors, moves = uncounted(successors), uncounted(moves)
    there = tables[0]
    count = counters[COUNT]
    counters[START] = count
    bits = _FIRST_BITS
    while 4 * picked > 3 << bits:
        bits += 1
    table[: 1 << bits] = _FREE
    for i in range(picked - 1, -1, -1):
        node = chosen[i]
        if stock_move(deal, words, node, passes, there, successors, moves, 0) == 0:
            continue
        slot = find(table, bits, words, successors, 0)
        if table[slot] != _FREE:
            continue
        table[slot] = count
        for word in range(WORDS):
            words[count, word] = successors[0, word]
        parents[count] = node
        count += 1
        if home_cards(successors, 0) >= goal:
            break
    counters[COUNT] = count
    counters[BITS] = bits
    return home_cards(words, count - 1) >= goal


@njit(cache=True, nogil=True)
def _is_last(memory, passes):
    """Tell whether no card can be turned in this layer nor later, by its first position."""
    word = memory.words[memory.counters[START], 1]
    is_last_pass = np.int64(word >> PASS_SHIFT & ONE) + 1 == passes
    return is_last_pass and word >> PLACE_SHIFT & PLACE_MASK == np.uint64(MAX_SEQUENCE)


@njit(cache=True, nogil=True)
def _run(memory, deal, estimate, longest, passes, tables, successors, moves, shape, state_limit, goal, slice_states):
    """Search layer after layer until the beam ends or has met ``slice_states`` more; return the status."""
    width, cap, last_cap = shape
    counters = memory.counters
    slice_end = counters[COUNT] + slice_states
    while counters[COUNT] < slice_end:
        _rank_layer(memory, estimate)
        layer_cap = last_cap if _is_last(memory, passes) else cap
        status = _search_layer(memory, deal, estimate, longest, tables, successors, moves, layer_cap, state_limit, goal)
        if status in (WON, FULL):
            return status
        met = counters[COUNT] - counters[START]
        picked = _choose(memory, width)
        if status == NARROWED or picked < met:
            counters[IS_NARROWED] = 1
        if _turn_layer(memory, deal, passes, tables, successors, moves, picked, goal):
            return WON
        if counters[START] == counters[COUNT]:
            return NARROWED if counters[IS_NARROWED] else EXHAUSTED
    return RUNNING


def explore(
    deal: np.void,
    first: NDArray[np.uint64],
    rules: Rules,
    estimate: np.void,
    shape: Shape,
    state_limit: int,
    goal: int = CARDS,
) -> Outcome:
    """Send a beam from a position short of the goal to the goal, the end of the stock or the limit.

    Args:
        deal: the ``DEAL`` record.
        first: ``uint64[4]`` the position's words.
        rules: the set of rules.
        estimate: the ``ESTIMATE`` record that ranks positions.
        shape: how much of each layer it sees.
        state_limit: stop after the position whose successors reach this many.
        goal: the number of cards home that is a win.
    """
    memory = _memory_for(state_limit + min(shape.width, state_limit) + MAX_MOVES)
    _begin(memory, first)
    arguments = deal, estimate, longest_moves(rules), PASSES[rules], _tables, _successors, _moves, shape
    status = RUNNING
    while status == RUNNING:
        status = int(_run(memory, *arguments, state_limit, goal, SLICE))
    path = _path_to_last(memory) if status == WON else memory.words[:0]
    return Outcome(status, int(memory.counters[COUNT]), path)


def _path_to_last(memory: Memory) -> NDArray[np.uint64]:
    """Return the words, ``uint64[n, 4]``, from the first position met to the last along its parents."""
    node = int(memory.counters[COUNT]) - 1
    path = []
    while node >= 0:
        path.append(node)
        node = int(memory.parents[node])
    return memory.words[path[::-1]]
