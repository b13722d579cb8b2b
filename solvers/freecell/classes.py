"""Positions that moves can reach from one another and back, taken together.

A card that has moved and moves again, goes to no foundation and sets off no autoplay, can return at once: what it left
still takes it. Such moves join positions into *classes*. Every other move takes a dealt card out of its place or sends
one home and is never undone, so a search may treat a class as one node: its *members* are flooded in a table that
stays in the processor's cache, and what leaves it are its *exits*.

Members of a class have the same cards in place and the same cards home, which is its :class:`Frame`. The node of a
class is a *packed* member: one in which no loose card could lie on another card, and the lowest loose cards lie in
cells. A class has few packed members, most have one.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.bits import leading_zeros, popcount, trailing_zeros, uncounted
from solvers.freecell.rules import (
    ALL,
    AT_BOTTOM,
    HOME,
    IN_CELL,
    ON_A,
    ON_B,
    ONE,
    RANK,
    ZERO,
    autoplay,
    flip_a,
    flip_b,
    home_cards,
    in_place,
    lift,
    next_home,
    put,
    safe_home,
)

MAX_EXITS = 4096
"""Room for the exits of one call of :func:`flood`."""

_EXITS_OF_ONE = 128
_EXIT_BITS = 13
_MIX_0 = np.uint64(0x9E37_79B9_7F4A_7C15)
_MIX_1 = np.uint64(0xC2B2_AE3D_27D4_EB4F)
_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFF_FFFF)


class Frame(NamedTuple):
    """What the members of a class have in common: masks (``uint64``) and two counts (``int64``).

    Attributes:
        home: the cards home.
        tops: the cards in place that only moved cards can lie on.
        moved: the cards that are neither home nor in place.
        safe: the cards that autoplay would send home.
        goals: the cards that are next on their foundations.
        bare: the columns that have no card in place.
        cells: the cells of the game.
    """

    home: np.uint64
    tops: np.uint64
    moved: np.uint64
    safe: np.uint64
    goals: np.uint64
    bare: np.int64
    cells: np.int64


class Piles(NamedTuple):
    """Where a member has its cards: masks (``uint64``).

    Attributes:
        in_cells: the moved cards in cells.
        bottoms: those at the bottom of a column.
        on_a: those on their parent A.
        on_b: those on their parent B.
        tops: the cards, moved or in place, at the end of a column.
        loose: the moved cards that lie on no card and carry none.
        to_a: the cards whose parent A is at the end of a column.
        to_b: the cards whose parent B is.
    """

    in_cells: np.uint64
    bottoms: np.uint64
    on_a: np.uint64
    on_b: np.uint64
    tops: np.uint64
    loose: np.uint64
    to_a: np.uint64
    to_b: np.uint64


class Pool(NamedTuple):
    """Words without doubles in a table that is emptied in the time it took to fill.

    Attributes:
        rows: ``uint64[n, 3]`` in the order in which they came: two words; then 32 bits that tell what they came from,
            above 32 that tell where they are in the table.
        table: ``int32[2 ** m]`` the index of a row plus 1, or 0.
    """

    rows: NDArray[np.uint64]
    table: NDArray[np.int32]


def make_pool(capacity: int) -> Pool:
    """Return an empty pool; pages that it never reaches are never touched."""
    return Pool(
        np.empty((capacity, 3), dtype=np.uint64),
        np.zeros(1 << (2 * capacity - 1).bit_length(), dtype=np.int32),
    )


@njit(cache=True, nogil=True)
def uncounted_pool(pool):
    """Return the same :class:`Pool` of :func:`~solvers.bits.uncounted` arrays."""
    return Pool(uncounted(pool.rows), uncounted(pool.table))


@njit(cache=True, nogil=True)
def frame_of(deal, word0, word1, cells):
    """Return the :class:`Frame` of a position."""
    kept, tops, bare = in_place(deal, word0, word1)
    home = home_cards(word0, word1, kept)
    return Frame(home, tops, ALL & ~(kept | home), safe_home(home), next_home(home), bare, cells)


@njit(cache=True, nogil=True)
def piles_of(frame, word0, word1):
    """Return the :class:`Piles` of a member."""
    moved = frame.moved
    in_cells = moved & word1 & ~word0
    bottoms = moved & word1 & word0
    on_a = moved & ~(word0 | word1)
    on_b = moved & word0 & ~word1
    covered = (flip_a(on_a) | flip_b(on_b)) << RANK
    tops = (frame.tops | on_a | on_b | bottoms) & ~covered
    to_a, to_b = flip_a(tops >> RANK), flip_b(tops >> RANK)
    return Piles(in_cells, bottoms, on_a, on_b, tops, in_cells | (bottoms & tops), to_a, to_b)


@njit(cache=True, nogil=True)
def pack_one(frame, word0, word1):
    """Return a member's words after one move that packs it; the same words if it is packed.

    Loose cards go onto parents, and cards on a parent B onto a free parent A. Then, where a cell or a column is free to
    let loose cards change places, the lowest of them go to cells and the others to columns.
    """
    piles = piles_of(frame, word0, word1)
    onto_a = (piles.loose | (piles.on_b & piles.tops & ~flip_b(frame.safe >> RANK))) & piles.to_a
    if onto_a:
        bit = onto_a & (~onto_a + ONE)
        return word0 & ~bit, word1 & ~bit
    onto_b = piles.loose & piles.to_b
    if onto_b:
        bit = onto_b & (~onto_b + ONE)
        return word0 | bit, word1 & ~bit
    low = piles.loose
    for _ in range(popcount(low) - frame.cells):
        low ^= ONE << np.uint64(63 - leading_zeros(low))
    to_cells = low & ~piles.in_cells
    if to_cells and popcount(piles.in_cells) < frame.cells:
        return word0 ^ (to_cells & (~to_cells + ONE)), word1
    to_columns = piles.in_cells & ~low
    if to_columns and popcount(piles.bottoms) < frame.bare:
        return word0 | (to_columns & (~to_columns + ONE)), word1
    return word0, word1


@njit(cache=True, nogil=True)
def packed(frame, word0, word1):
    """Return the words of a member's packed form."""
    while True:
        next0, next1 = pack_one(frame, word0, word1)
        if next0 == word0 and next1 == word1:
            return word0, word1
        word0, word1 = next0, next1


@njit(cache=True, nogil=True)
def pack_one_of(deal, word0, word1, cells):
    """Return the words of a position after one move that packs it, the same words if it is packed."""
    return pack_one(frame_of(deal, word0, word1, cells), word0, word1)


@njit(cache=True, nogil=True)
def packed_form(deal, word0, word1, cells):
    """Return the words of a position's packed form."""
    return packed(frame_of(deal, word0, word1, cells), word0, word1)


@njit(cache=True, nogil=True, inline="always")
def _add(rows, table, bits, count, word0, word1, origin):
    """Put words into a :class:`Pool` that holds ``count`` others unless they are there; return the count after."""
    mask = (1 << bits) - 1
    slot = np.int64(((word0 ^ (word1 * _MIX_0)) * _MIX_1) >> np.uint64(64 - bits))
    while table[slot]:
        index = table[slot] - 1
        if rows[index, 0] == word0 and rows[index, 1] == word1:
            return count
        slot = (slot + 1) & mask
    table[slot] = count + 1
    rows[count, 0] = word0
    rows[count, 1] = word1
    rows[count, 2] = np.uint64(origin) << _HALF | np.uint64(slot)
    return count + 1


@njit(cache=True, nogil=True)
def clear(rows, table, count):
    """Empty a :class:`Pool` of ``count`` rows."""
    for index in range(count):
        table[np.int64(rows[index, 2] & _LOW_HALF)] = 0


@njit(cache=True, nogil=True)
def origin_of(rows, index):
    """Return the index (``int64``) of what a row of a :class:`Pool` came from."""
    return np.int64(rows[index, 2] >> _HALF)


@njit(cache=True, nogil=True, inline="always")
def _add_each(rows, table, bits, count, origin, cards, place):
    """Put into a pool what a member becomes when each card of a mask moves to a kind of place; return the count."""
    word0, word1 = rows[origin, 0], rows[origin, 1]
    while cards:
        bit = cards & (~cards + ONE)
        cards ^= bit
        next0, next1 = put(word0 & ~bit, word1 & ~bit, bit, place)
        count = _add(rows, table, bits, count, next0, next1, origin)
    return count


@njit(cache=True, nogil=True)
def _add_exit(deal, frame, word0, word1, bit, place, home, is_auto, rows, table, count, origin):
    """Put into a pool the packed position after one move, and after autoplay where that is said to do something."""
    card = trailing_zeros(bit)
    word0, word1 = lift(deal, word0, word1, card, bit & ~frame.moved != ZERO)
    word0, word1 = put(word0, word1, bit, place)
    if is_auto:
        word0, word1 = autoplay(deal, word0, word1, home)
    word0, word1 = packed_form(deal, word0, word1, frame.cells)
    return _add(rows, table, _EXIT_BITS, count, word0, word1, origin)


@njit(cache=True, nogil=True, inline="always")
def _add_exits(deal, frame, piles, word0, word1, rows, table, count, origin):
    """Put a member's exits into a pool; return the count.

    Two kinds of exit may be left out. A card's places other than its foundation are members of one class where no
    autoplay follows, so the first will do. And where a loose card could still be packed without being in the way, the
    member with it packed has an exit to the same class; packing ends, so some member has it.
    """
    has_cell = popcount(piles.in_cells) < frame.cells
    has_column = frame.bare > popcount(piles.bottoms)
    held = _held(frame, piles)
    free = piles.tops | piles.in_cells
    leaving = free & (~frame.moved | frame.goals | held)
    while leaving:
        bit = leaving & (~leaving + ONE)
        leaving ^= bit
        under = _under(deal, frame, piles, bit)
        packable = (piles.loose & piles.to_a & ~flip_a(bit >> RANK)) | (piles.loose & piles.to_b & ~flip_b(bit >> RANK))
        if bit & frame.goals:
            home = frame.home | bit
            is_auto = safe_home(home) & ((free ^ bit) | under) != ZERO
            if is_auto or not packable:
                count = _add_exit(deal, frame, word0, word1, bit, HOME, home, is_auto, rows, table, count, origin)
        is_auto = under & frame.safe != ZERO
        if not (is_auto or bit & ~frame.moved):
            continue
        on_a, on_b = bit & piles.to_a != ZERO, bit & piles.to_b != ZERO
        if packable and not is_auto and (has_cell or has_column or (on_a and on_b)):
            continue
        places = (
            on_a
            | on_b << 1
            | (has_cell and not bit & piles.in_cells) << 2
            | (has_column and not bit & piles.bottoms) << 3
        )
        if not is_auto:
            places &= -places
        while places:
            place = trailing_zeros(np.uint64(places))
            places &= places - 1
            count = _add_exit(deal, frame, word0, word1, bit, place, frame.home, is_auto, rows, table, count, origin)
    return count


@njit(cache=True, nogil=True)
def _held(frame, piles):
    """Return the cards that lie on one that autoplay would send home."""
    return (piles.on_a & flip_a(frame.safe >> RANK)) | (piles.on_b & flip_b(frame.safe >> RANK))


@njit(cache=True, nogil=True)
def _under(deal, frame, piles, bit):
    """Return the card that becomes free when one leaves, as a mask; 0 if none does."""
    if bit & ~frame.moved:
        return deal.beneath[trailing_zeros(bit)]
    if bit & piles.on_a:
        return flip_a(bit) << RANK
    if bit & piles.on_b:
        return flip_b(bit) << RANK
    return ZERO


@njit(cache=True, nogil=True)
def begin_flood(rows, table, bits, word0, word1):
    """Make a position the first member in an empty pool; return how many there are: 1."""
    return _add(rows, table, bits, 0, word0, word1, 0)


@njit(cache=True, nogil=True)
def flood(deal, frame, members, bits, count, done, limit, exits):
    """Look at members of a class, put what moves that can be taken back lead to beside them, and collect exits.

    Args:
        deal: the ``DEAL`` record.
        frame: the class's :class:`Frame`.
        members: the :class:`Pool` of members; the first is where the flood began.
        bits: how many bits of the members' table are in use; ``2 ** bits`` is at least twice ``limit`` and what one
            member adds.
        count: how many members there are.
        done: how many of them have been looked at.
        limit: go on while there are fewer members than this.
        exits: an empty :class:`Pool` of ``MAX_EXITS``.

    Returns:
        The members, those looked at (all, once the class is complete) and the exits; the exits hold as origins the
        members that they leave.
    """
    rows, table = members
    exit_rows, exit_table = exits
    leaving = 0
    while done < count < limit and leaving < MAX_EXITS - _EXITS_OF_ONE:
        word0, word1 = rows[done, 0], rows[done, 1]
        piles = piles_of(frame, word0, word1)
        movable = (piles.tops & frame.moved | piles.in_cells) & ~_held(frame, piles)
        if popcount(piles.in_cells) < frame.cells:
            cards = movable & ~piles.in_cells
            count = _add_each(rows, table, bits, count, done, cards, IN_CELL)
        if frame.bare > popcount(piles.bottoms):
            cards = movable & ~piles.bottoms
            count = _add_each(rows, table, bits, count, done, cards, AT_BOTTOM)
        count = _add_each(rows, table, bits, count, done, movable & piles.to_a, ON_A)
        count = _add_each(rows, table, bits, count, done, movable & piles.to_b, ON_B)
        leaving = _add_exits(deal, frame, piles, word0, word1, exit_rows, exit_table, leaving, done)
        done += 1
    return count, done, leaving
