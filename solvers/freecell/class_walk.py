"""A best-first walk over classes of positions: many positions for the work and the memory of one.

The walk is that of :mod:`solvers.freecell.walk`, but it goes through a game that may be looser than FreeCell, and what
waits are packed members of classes (:mod:`solvers.freecell.classes`); to look at one is to flood its class and to meet
what its exits lead to. When a class is complete, all its packed members are done with. If the buckets run empty, every
member of every class that can be reached has been looked at.

Classes may be large where there is much room, and a win needs only a corner of them. So a flood stops at a first limit,
and its class waits again, behind its rank, for a flood sixteen times as large.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.bits import prefetch, uncounted
from solvers.freecell import walk
from solvers.freecell.classes import (
    MAX_EXITS,
    Game,
    begin_flood,
    clear,
    flood,
    frame_of,
    make_exits,
    make_pool,
    packed,
    packed_form,
    uncounted_exits,
    uncounted_pool,
)
from solvers.freecell.corridor import make_corridor
from solvers.freecell.estimate import cost
from solvers.freecell.rules import MAX_MOVES, is_won, stage_of
from solvers.freecell.walk import (
    BITS,
    BUCKET,
    BUCKETS,
    COUNT,
    EXHAUSTED,
    FULL,
    RUNNING,
    WON,
    Outcome,
    begin,
    memory_for,
    nodes_to_last,
    uncounted_memory,
)
from solvers.transposition import FREE, find, rebuild, slot_of

MAX_NODES = 100_000_000
"""How many packed members a walk can hold: 25 bytes each and a table of 512 MiB keep a process below 4 GB."""

MAX_MEMBERS = 1 << 26
"""How many members a flood can hold; a class that has more stays open."""

FIRST_FLOOD = 16
_LARGER_FLOOD_BITS = 4
_MOST_BITS = 30
_DELAY = 20
"""How much later a class waits for each larger flood, in units of the estimate."""

SLICE = 1 << 20
"""The most states looked at in one compiled call but for its last flood."""

# Counts as the floods of a packed member whose class is complete, or waits as another one's.
_DONE = 255

_members = make_pool(MAX_MEMBERS + MAX_MOVES)
_exits = make_exits()
_floods = np.empty(0, dtype=np.uint8)


def _floods_for(capacity: int) -> NDArray[np.uint8]:
    """Return room to count each node's floods."""
    global _floods  # noqa: PLW0603 - touched pages are kept from deal to deal
    if len(_floods) < capacity:
        _floods = np.empty(capacity, dtype=np.uint8)
    return _floods


@njit(cache=True, nogil=True)
def _flood_limit(limit, floods):
    """Return how many members a flood may meet after smaller ones, from the first's limit; and its table's bits."""
    limit = min(limit << min(_LARGER_FLOOD_BITS * floods, _MOST_BITS), MAX_MEMBERS)
    bits = 1
    while 1 << bits < 2 * (limit + MAX_MOVES):
        bits += 1
    return limit, bits


@njit(cache=True, nogil=True)
def _room_for(table, bits, keys, count, more):
    """Make the table fit for more keys; return its bits."""
    while 4 * (count + more) > 3 << bits:
        bits += 2 if 4 << bits <= table.size else 1
        if 4 * (count + more) <= 3 << bits:
            rebuild(table, bits, keys, count)
    return bits


@njit(cache=True, nogil=True)
def _store(keys, parents, floods, count, slot, table, word0, word1, parent):
    """Store a node that the table does not hold; return the count after."""
    table[slot] = count
    keys[count, 0] = word0
    keys[count, 1] = word1
    parents[count] = parent
    floods[count] = 0
    return count + 1


@njit(cache=True, nogil=True)
def _wait(links, heads, node, rank, bucket):
    """Let a node wait in the bucket of its rank; return the lowest bucket that may hold one."""
    rank = min(rank, BUCKETS - 1)
    links[node] = heads[rank]
    heads[rank] = node
    return min(bucket, rank)


@njit(cache=True, nogil=True)
def _next(links, heads, floods, bucket):
    """Take out the first node that waits; return it, or -1 if none does, and the lowest bucket that may hold one."""
    while True:
        while bucket < BUCKETS and heads[bucket] < 0:
            bucket += 1
        if bucket == BUCKETS:
            return -1, bucket
        node = np.int64(heads[bucket])
        heads[bucket] = links[node]
        if floods[node] != _DONE:
            return node, bucket


@njit(cache=True, nogil=True)
def _meet(memory, floods, deal, estimate, bits, count, bucket, node, words, exits):
    """Store what the exits of a node's class lead to; return the count, the lowest bucket and whether the last won."""
    keys, parents, links, table, heads, _ = memory
    for i in range(exits):
        prefetch(table, slot_of(words[i, 0], words[i, 1], bits))
    for i in range(exits):
        word0, word1 = words[i, 0], words[i, 1]
        slot = find(table, bits, keys, word0, word1)
        if table[slot] != FREE:
            continue
        count = _store(keys, parents, floods, count, slot, table, word0, word1, node)
        if is_won(word0, word1):
            return count, bucket, True
        rank = cost(deal, estimate, word0, word1, BUCKETS - 1)
        bucket = _wait(links, heads, count - 1, rank, bucket)
    return count, bucket, False


@njit(cache=True, nogil=True)
def _leave_to(memory, floods, frame, bits, count, node, words, members):
    """Take the packed members of a flood out of the walk, but for the node that it began with; return the count."""
    keys, parents, _, table, _, _ = memory
    for i in range(members):
        word0, word1 = words[i, 0], words[i, 1]
        packed0, packed1 = packed(frame, word0, word1)
        if packed0 != word0 or packed1 != word1:
            continue
        slot = find(table, bits, keys, word0, word1)
        if table[slot] == FREE:
            count = _store(keys, parents, floods, count, slot, table, word0, word1, node)
        if table[slot] != node:
            floods[table[slot]] = _DONE
    return count


@njit(cache=True, nogil=True)
def _walk(memory, floods, members, exits, deal, estimate, game, first_flood, state_limit, slice_states):
    """Look at waiting classes until ``slice_states`` members have been looked at.

    Returns:
        ``WON`` (the last node met is the win), ``EXHAUSTED`` (none waits any more), ``FULL`` (the limit is reached, or
        memory is) or ``RUNNING``; and the members looked at.
    """
    memory, floods = uncounted_memory(memory), uncounted(floods)
    members, exits = uncounted_pool(members), uncounted_exits(exits)
    keys, _, links, table, heads, counters = memory
    count, bucket, bits = counters
    status = RUNNING
    looked = 0
    while status == RUNNING and looked < slice_states:
        node, bucket = _next(links, heads, floods, bucket)
        if node < 0 or looked >= state_limit:
            status = EXHAUSTED if node < 0 else FULL
            break
        word0, word1 = keys[node, 0], keys[node, 1]
        frame = frame_of(deal, word0, word1, game)
        limit, member_bits = _flood_limit(first_flood, floods[node])
        most = min(MAX_MEMBERS, state_limit - looked)
        limit = max(min(limit, most), 2)
        met, done = begin_flood(members.rows, members.table, member_bits, word0, word1), 0
        while status == RUNNING and done < met < limit:
            before = done
            met, done, leaving = flood(deal, frame, members, member_bits, met, done, limit, exits)
            looked += done - before
            if count + leaving > keys.shape[0]:
                status = FULL
            else:
                bits = _room_for(table, bits, keys, count, leaving)
                count, bucket, is_over = _meet(
                    memory, floods, deal, estimate, bits, count, bucket, node, exits.rows, leaving
                )
                if is_over:
                    status = WON
            clear(exits.rows, exits.table, leaving)
        if status == RUNNING and (count + met > keys.shape[0] or (done < met and limit >= most)):
            status = FULL
        if status == RUNNING:
            bits = _room_for(table, bits, keys, count, met)
            count = _leave_to(memory, floods, frame, bits, count, node, members.rows, met)
            if done < met:
                floods[node] += 1
                rank = cost(deal, estimate, word0, word1, BUCKETS - 1) + _DELAY * floods[node]
                bucket = _wait(links, heads, node, rank, bucket)
        clear(members.rows, members.table, met)
    counters[COUNT] = count
    counters[BUCKET] = bucket
    counters[BITS] = bits
    return status, looked


def explore(
    deal: np.void,
    word0: np.uint64,
    word1: np.uint64,
    game: Game,
    estimate: np.void,
    state_limit: int,
    first_flood: int = FIRST_FLOOD,
) -> Outcome:
    """Walk from a position that is not won yet to a win, the end or the limit.

    Arguments are those of :func:`solvers.freecell.walk.explore`, but for the :class:`~solvers.freecell.classes.Game`,
    and how many members a class's first flood meets. The outcome's ``states`` are the members looked at; one that a
    small and a larger flood look at counts twice. Its path holds the packed members on the way to a win of the game.
    """
    capacity = min(4 * state_limit + MAX_EXITS + MAX_MOVES, MAX_NODES)
    memory, floods = memory_for(capacity), _floods_for(capacity)
    first0, first1 = map(np.uint64, packed_form(deal, word0, word1, game))
    begin(memory, first0, first1)
    floods[0] = 0
    status, states = RUNNING, 0
    while status == RUNNING:
        left = state_limit - states
        status, looked = _walk(memory, floods, _members, _exits, deal, estimate, game, first_flood, left, SLICE)
        states += looked
    path = nodes_to_last(memory) if status == WON else memory.keys[:0]
    return Outcome(int(status), states, path)


def follow(
    deal: np.void,
    word0: np.uint64,
    word1: np.uint64,
    game: Game,
    estimate: np.void,
    state_limit: int,
    corridor_limit: int,
) -> Outcome:
    """Walk through a game, then through FreeCell by the stages of the win that was found, if one was.

    Arguments are those of :func:`explore`, and the limit of the second walk. The outcome is FreeCell's: a loss in a
    looser game is one, a win in it is not.
    """
    loosely = explore(deal, word0, word1, game, estimate, state_limit)
    if loosely.status != WON:
        return loosely
    corridor = make_corridor(stage_of(deal, *words) for words in loosely.path)
    outcome = walk.explore(deal, word0, word1, game.cells, estimate, corridor_limit, corridor)
    return outcome._replace(states=loosely.states + outcome.states)
