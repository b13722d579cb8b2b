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

from solvers.bits import prefetch
from solvers.deals import Board, freecell_deal
from solvers.freecell.estimate import Weights, cost, make_estimate
from solvers.freecell.line import shortest_line, write_line
from solvers.freecell.rules import MAX_MOVES, encode, is_won, run_moves, single_moves
from solvers.result import Result, Verdict
from solvers.transposition import FREE, find, rebuild, slot_of

SEARCH_VERSION = 1
MAX_STATES = 190_000_000
"""The largest state limit: 24 bytes a state and a table of 1 GiB keep a process below 6 GB."""

SLICE = 200_000
"""The most states looked at in one compiled call, so that Python sees an interruption within a second."""

BUCKETS = 4096
_FIRST_BITS = 12

# What a walk returns, and where its counters are.
_RUNNING, _EXHAUSTED, _WON, _FULL = range(4)
_COUNT, _BUCKET, _BITS = range(3)


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


@njit(cache=True, nogil=True)
def _begin(memory, word0, word1):
    """Empty the memory and let the first state wait."""
    memory.heads[:] = -1
    memory.keys[0, 0] = word0
    memory.keys[0, 1] = word1
    memory.parents[0] = -1
    memory.links[0] = -1
    memory.heads[0] = 0
    rebuild(memory.table, _FIRST_BITS, memory.keys, 1)
    memory.counters[_COUNT] = 1
    memory.counters[_BUCKET] = 0
    memory.counters[_BITS] = _FIRST_BITS


@njit(cache=True, nogil=True)
def _walk(memory, deal, estimate, cells, state_limit, slice_states):
    """Look at up to ``slice_states`` waiting states and store those that one move leads to from them.

    Returns:
        ``_WON`` (the last state met is the win), ``_EXHAUSTED`` (none waits any more), ``_FULL`` (the limit is
        reached) or ``_RUNNING``.
    """
    keys, parents, links, table, heads, counters = memory
    successors = np.empty((MAX_MOVES, 2), dtype=np.uint64)
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    count, bucket, bits = counters
    status = _RUNNING
    for _ in range(slice_states):
        while bucket < BUCKETS and heads[bucket] < 0:
            bucket += 1
        if bucket == BUCKETS:
            status = _EXHAUSTED
            break
        if count >= state_limit:
            status = _FULL
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
            if table[slot] != FREE:
                continue
            table[slot] = count
            keys[count, 0] = word0
            keys[count, 1] = word1
            parents[count] = node
            count += 1
            if is_won(word0, word1):
                status = _WON
                break
            rank = cost(deal, estimate, word0, word1, BUCKETS - 1)
            links[count - 1] = heads[rank]
            heads[rank] = count - 1
            bucket = min(bucket, rank)
        if status == _WON:
            break
    counters[_COUNT] = count
    counters[_BUCKET] = bucket
    counters[_BITS] = bits
    return status


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
RUNGS = (10_000, 100_000, 1_000_000, 10_000_000)
"""The limits of the longest walk in each round; the last round has the caller's."""
EARLY_ESTIMATES = 7
"""How many of the portfolio make the rounds up to the last of ``RUNGS``."""
OTHERS_PART = 5
"""What part of the longest walk's limit the other early estimates get."""
LATE_LIMIT = 1_500_000
"""The limit of each late estimate's walk."""

_memory = _allocate(RUNGS[0] + MAX_MOVES)


def _memory_for(capacity: int) -> Memory:
    """Return the process's memory, at least as large as asked for."""
    global _memory  # noqa: PLW0603 - touched pages are kept from deal to deal
    if len(_memory.parents) < capacity:
        _memory = _allocate(capacity)
    return _memory


def _explore(deal: np.void, word0: np.uint64, word1: np.uint64, cells: int, weights: Weights, state_limit: int) -> int:
    """Walk from a position to a win, the end or the limit; return the walk's last status, the states left in memory."""
    memory = _memory_for(state_limit + MAX_MOVES)
    estimate = make_estimate(deal, weights)
    _begin(memory, word0, word1)
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


def _round(rung: int) -> list[tuple[Weights, int]]:
    """Return the estimates of a round with the limits of their walks, in turn.

    Any walk that gets through is a proof: the first estimate goes ahead for it, the others look for wins in a fifth of
    its states. In a last round beyond ``RUNGS`` the late ones have their turn, and then the first goes on.
    """
    first, *others = PORTFOLIO[:EARLY_ESTIMATES]
    if rung > RUNGS[-1]:
        return [*((weights, LATE_LIMIT) for weights in PORTFOLIO[EARLY_ESTIMATES:]), (first, rung)]
    part = max(rung // OTHERS_PART, 1)
    return [(first, rung), *((weights, part) for weights in others)]


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
    for weights, limit in _round(rung):
        status = _explore(deal, word0, word1, cells, weights, limit)
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
        state_limit: how many states one walk may meet, up to ``MAX_STATES``; a walk stops after the state whose
            successors reach the limit.

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
