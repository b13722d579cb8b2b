"""Games looser than FreeCell with far fewer positions, and those of them that moves join, taken together.

Every line of moves in FreeCell is one in a looser game too, so a loss there is a loss in FreeCell; a win there may not
be one. A :class:`Game` says which of two rules it gives up:

- *Singles*, moved cards that lie on no card and carry none, have a place each, a cell or the bottom of a column. If
  they *float*, any of them is where it suits, and only how many there are matters. In the words all then have the code
  of a card in a cell.
- *Twins*, the two cards of a rank and colour, have the same two parents. If they *swap*, they may change what they lie
  on, with all that they carry, where each lies on a card. In the words both are then on their parent A.

A card that has moved and moves again, goes to no foundation and sets off no autoplay, can return at once: what it left
still takes it. Such moves join positions into *classes*. Every other move takes a dealt card out of its place or sends
one home and is never undone, so a search may treat a class as one node: its *members* are flooded in a table that
stays in the processor's cache, and what leaves it are its *exits*.

Members of a class have the same cards in place and the same cards home, which is its :class:`Frame`. The node of a
class is a *packed* member: one in which no single could lie on another card and, where singles do not float, the lowest
of them lie in cells. A class has few packed members, most have one.
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
    flip_a,
    flip_b,
    home_cards,
    in_place,
    lift,
    next_home,
    put,
    safe_home,
)

MAX_EXITS = 8192
"""Room for the exits of one call of :func:`flood`."""

_EXITS_OF_ONE = 2048
_EXIT_BITS = 14
_MIX_0 = np.uint64(0x9E37_79B9_7F4A_7C15)
_MIX_1 = np.uint64(0xC2B2_AE3D_27D4_EB4F)


class Game(NamedTuple):
    """What is played: FreeCell if neither singles float nor twins swap.

    Attributes:
        cells: how many cells there are.
        is_floating: whether singles float.
        is_swapping: whether twins swap.
    """

    cells: int
    is_floating: bool
    is_swapping: bool


class Frame(NamedTuple):
    """What the members of a class have in common: masks (``uint64``), a count (``int64``) and the game.

    Attributes:
        home: the cards home.
        tops: the cards in place that only moved cards can lie on.
        moved: the cards that are neither home nor in place.
        safe: the cards that autoplay would send home.
        goals: the cards that are next on their foundations.
        bare: the columns that have no card in place.
        game: the :class:`Game`.
    """

    home: np.uint64
    tops: np.uint64
    moved: np.uint64
    safe: np.uint64
    goals: np.uint64
    bare: np.int64
    game: Game


class Piles(NamedTuple):
    """Where a member has its cards: masks (``uint64``), and what is free (``bool``).

    Attributes:
        singles: the moved cards that lie on no card and carry none.
        in_cells: those of them that lie in cells; all of them if they float.
        on_a: the moved cards on their parent A.
        on_b: those on their parent B.
        tops: the cards, moved or in place, that lie on one and carry none.
        paired: those of ``on_a`` that may swap with a twin that is there too.
        to_a: the cards whose parent A could carry one more.
        to_b: the cards whose parent B could.
        has_cell: whether a cell is free; if singles float, a cell or a column.
        has_column: whether a column is free, unless singles float.
    """

    singles: np.uint64
    in_cells: np.uint64
    on_a: np.uint64
    on_b: np.uint64
    tops: np.uint64
    paired: np.uint64
    to_a: np.uint64
    to_b: np.uint64
    has_cell: np.bool_
    has_column: np.bool_


class Pool(NamedTuple):
    """Words without doubles in a table that is emptied in the time it took to fill.

    Attributes:
        rows: ``uint64[n, 3]`` in the order in which they came: two words, and where they are in the table.
        table: ``int32[2 ** m]`` the index of a row plus 1, or 0.
    """

    rows: NDArray[np.uint64]
    table: NDArray[np.int32]


class Exits(NamedTuple):
    """A :class:`Pool` of what leaves a class.

    Attributes:
        rows: ``uint64[MAX_EXITS, 3]`` as a pool's.
        table: ``int32[2 ** m]`` as a pool's.
        waiting: ``uint64[53, 3]`` room for positions that autoplay is not through with, and the cards home.
    """

    rows: NDArray[np.uint64]
    table: NDArray[np.int32]
    waiting: NDArray[np.uint64]


def make_exits() -> Exits:
    """Return an empty pool for exits."""
    return Exits(*make_pool(MAX_EXITS), np.empty((53, 3), dtype=np.uint64))


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
def uncounted_exits(exits):
    """Return the same :class:`Exits` of :func:`~solvers.bits.uncounted` arrays."""
    return Exits(uncounted(exits.rows), uncounted(exits.table), uncounted(exits.waiting))


@njit(cache=True, nogil=True)
def twin(mask):
    """Return the cards of the same ranks and colours in the other suits."""
    return flip_a(flip_b(mask))


@njit(cache=True, nogil=True)
def _frame(placed, home, game):
    kept, tops, bare = placed
    return Frame(home, tops, ALL & ~(kept | home), safe_home(home), next_home(home), bare, game)


@njit(cache=True, nogil=True)
def frame_of(deal, word0, word1, game):
    """Return the :class:`Frame` of a position."""
    placed = in_place(deal, word0, word1)
    return _frame(placed, home_cards(word0, word1, placed[0]), game)


@njit(cache=True, nogil=True)
def loosened(frame, word0, word1):
    """Return the words that a position of FreeCell, or of the game itself, has in the game."""
    moved = frame.moved
    on_a = moved & ~(word0 | word1)
    on_b = moved & word0 & ~word1
    if frame.game.is_floating:
        covered = (flip_a(on_a) | flip_b(on_b)) << RANK
        word0 &= ~(moved & word0 & word1 & ~covered)
    if frame.game.is_swapping:
        word0 &= ~(on_b & twin(on_b))
    return word0, word1


@njit(cache=True, nogil=True)
def piles_of(frame, word0, word1):
    """Return the :class:`Piles` of a member."""
    moved = frame.moved
    in_cells = moved & word1 & ~word0
    bottoms = moved & word1 & word0
    on_a = moved & ~(word0 | word1)
    on_b = moved & word0 & ~word1
    covered = (flip_a(on_a) | flip_b(on_b)) << RANK
    singles = in_cells | (bottoms & ~covered)
    tops = (frame.tops | on_a | on_b) & ~covered
    carriers = tops | (bottoms & ~covered)
    room, columns = frame.game.cells - popcount(in_cells), frame.bare - popcount(bottoms)
    if frame.game.is_floating:
        if columns > 0:
            carriers |= singles
        room, columns = room + columns, 0
    to_a, to_b = flip_a(carriers >> RANK), flip_b(carriers >> RANK)
    paired = on_a & twin(on_a) if frame.game.is_swapping else ZERO
    return Piles(singles, in_cells, on_a, on_b, tops, paired, to_a, to_b, room > 0, columns > 0)


@njit(cache=True, nogil=True)
def _parent(bit, place):
    """Return the card on which one lies, or would, by its place; 0 for a single's."""
    if place == ON_A:
        return flip_a(bit) << RANK
    if place == ON_B:
        return flip_b(bit) << RANK
    return ZERO


@njit(cache=True, nogil=True)
def _place_of(piles, bit):
    """Return the place of a moved card that carries none; of singles, which differ in nothing here, ``IN_CELL``."""
    if bit & piles.on_a:
        return ON_A
    return ON_B if bit & piles.on_b else IN_CELL


@njit(cache=True, nogil=True, inline="always")
def _moved(frame, piles, word0, word1, bit, source, place):
    """Return the words after a moved card's move to a place other than its foundation."""
    word0, word1 = _taken(piles, word0, word1, bit, source)
    word0, word1 = _put(piles, word0, word1, bit, place)
    return loosened(frame, word0, word1)


@njit(cache=True, nogil=True, inline="always")
def _taken(piles, word0, word1, bit, source):
    """Return the words without a moved card in its place; of paired twins, the other one stays on the other parent."""
    if bit & piles.paired and source == ON_B:
        word0 |= twin(bit)
    return word0 & ~bit, word1 & ~bit


@njit(cache=True, nogil=True, inline="always")
def _put(piles, word0, word1, bit, place):
    """Return the words with a card, which had been taken, in a place; a single that is to carry it has a column."""
    return put(word0 | (_parent(bit, place) & piles.singles), word1, bit, place)


@njit(cache=True, nogil=True)
def _pack_one(frame, word0, word1):
    """Return a member's words after one move that packs it; the same words if it is packed.

    Singles go onto parents, and cards on a parent B onto a free parent A. Then, where a cell or a column is free to let
    singles change places, the lowest of them go to cells and the others to columns.
    """
    piles = piles_of(frame, word0, word1)
    onto_a = (piles.singles | (piles.on_b & piles.tops & ~flip_b(frame.safe >> RANK))) & piles.to_a
    cards, place = onto_a, ON_A
    if not cards:
        cards, place = piles.singles & piles.to_b, ON_B
    if not (cards or frame.game.is_floating):
        cards, place = _out_of_order(frame, piles)
    if not cards:
        return word0, word1
    bit = cards & (~cards + ONE)
    return _moved(frame, piles, word0, word1, bit, _place_of(piles, bit), place)


@njit(cache=True, nogil=True)
def _out_of_order(frame, piles):
    """Return singles that belong to free cells, or else to free columns, and which of the two that is."""
    low = piles.singles
    for _ in range(popcount(low) - frame.game.cells):
        low ^= ONE << np.uint64(63 - leading_zeros(low))
    if piles.has_cell and low & ~piles.in_cells:
        return low & ~piles.in_cells, IN_CELL
    if piles.has_column:
        return piles.in_cells & ~low, AT_BOTTOM
    return ZERO, AT_BOTTOM


@njit(cache=True, nogil=True)
def packed(frame, word0, word1):
    """Return the words of a member's packed form."""
    while True:
        next0, next1 = _pack_one(frame, word0, word1)
        if next0 == word0 and next1 == word1:
            return word0, word1
        word0, word1 = next0, next1


@njit(cache=True, nogil=True)
def packed_form(deal, word0, word1, game):
    """Return the words of the packed form of a position of FreeCell, or of the game itself."""
    frame = frame_of(deal, word0, word1, game)
    word0, word1 = loosened(frame, word0, word1)
    return packed(frame, word0, word1)


@njit(cache=True, nogil=True, inline="always")
def _add(rows, table, bits, count, word0, word1):
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
    rows[count, 2] = np.uint64(slot)
    return count + 1


@njit(cache=True, nogil=True)
def clear(rows, table, count):
    """Empty a :class:`Pool` of ``count`` rows."""
    for index in range(count):
        table[np.int64(rows[index, 2])] = 0


@njit(cache=True, nogil=True, inline="always")
def _add_each(frame, piles, rows, table, bits, count, origin, cards, source, place):
    """Put into a pool what a member becomes when each card of a mask goes from a place to another; return the count."""
    word0, word1 = rows[origin, 0], rows[origin, 1]
    while cards:
        bit = cards & (~cards + ONE)
        cards ^= bit
        next0, next1 = _moved(frame, piles, word0, word1, bit, source, place)
        count = _add(rows, table, bits, count, next0, next1)
    return count


@njit(cache=True, nogil=True)
def _add_settled(deal, game, word0, word1, home, exits, count):
    """Put into a pool the packed positions that autoplay leads to; return the count.

    Where only one card of a pair of twins goes home, the other one may stay on either parent.
    """
    rows, table, waiting = exits
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = word0, word1, home
    left = 1
    while left:
        left -= 1
        word0, word1, home = waiting[left, 0], waiting[left, 1], waiting[left, 2]
        frame = _frame(in_place(deal, word0, word1), home, game)
        word0, word1 = loosened(frame, word0, word1)
        piles = piles_of(frame, word0, word1)
        ready = frame.safe & (piles.tops | piles.singles)
        if ready == ZERO:
            if count == MAX_EXITS:
                raise OverflowError("a position has more exits than there is room for")
            word0, word1 = packed(frame, word0, word1)
            count = _add(rows, table, _EXIT_BITS, count, word0, word1)
            continue
        sure = ready & ~(piles.paired & ~twin(ready))
        cards = sure if sure else ready
        bit = cards & (~cards + ONE)
        home |= bit
        for source in range(ON_A, ON_A + 1 if sure else ON_B + 1):
            next0 = word0 | twin(bit) if source == ON_B else word0
            next0, next1 = lift(deal, next0, word1, trailing_zeros(bit), bit & ~frame.moved != ZERO)
            next0, next1 = put(next0, next1, bit, HOME)
            waiting[left, 0], waiting[left, 1], waiting[left, 2] = next0, next1, home
            left += 1
    return count


@njit(cache=True, nogil=True)
def _add_exit(deal, frame, piles, words, bit, source, place, exits, count):
    """Put into a pool what a card's move from one place to another leads to; return the count."""
    word0, word1 = words
    if bit & frame.moved:
        word0, word1 = _taken(piles, word0, word1, bit, source)
    else:
        word0, word1 = lift(deal, word0, word1, trailing_zeros(bit), True)
    home = frame.home
    if place == HOME:
        word0, word1 = put(word0, word1, bit, HOME)
        home |= bit
    else:
        word0, word1 = _put(piles, word0, word1, bit, place)
    return _add_settled(deal, frame.game, word0, word1, home, exits, count)


@njit(cache=True, nogil=True, inline="always")
def _add_exits(deal, frame, piles, word0, word1, exits, count):
    """Put a member's exits into a pool; return the count.

    Two kinds of exit may be left out where no autoplay follows. A card's places other than its foundation are members
    of one class (of floating singles, if there is room), so one will do. And if a single could still be packed without
    being in the way, the member with it packed has an exit to the same class; packing ends, so some member has it.
    """
    free = piles.tops | piles.singles
    leaving = free & (~frame.moved | frame.goals | _held(frame, piles, ON_A) | _held(frame, piles, ON_B))
    while leaving:
        bit = leaving & (~leaving + ONE)
        leaving ^= bit
        packable = piles.singles & ((piles.to_a & ~flip_a(bit >> RANK)) | (piles.to_b & ~flip_b(bit >> RANK)))
        is_paired = bit & piles.paired != ZERO
        first = ON_A if is_paired else (_place_of(piles, bit) if bit & frame.moved else IN_CELL)
        last = ON_B if is_paired else first
        for source in range(first, last + 1):
            under = _parent(bit, source) if bit & frame.moved else deal.beneath[trailing_zeros(bit)]
            if bit & frame.goals:
                is_auto = safe_home(frame.home | bit) & ((free ^ bit) | under) != ZERO
                if is_auto or not packable:
                    count = _add_exit(deal, frame, piles, (word0, word1), bit, source, HOME, exits, count)
            is_auto = under & frame.safe != ZERO
            if not (is_auto or bit & ~frame.moved):
                continue
            on_a, on_b = bit & piles.to_a != ZERO, bit & piles.to_b != ZERO
            to_cell = piles.has_cell and not bit & piles.in_cells
            to_column = piles.has_column and not bit & piles.singles & ~piles.in_cells
            places = on_a | on_b << 1 | to_cell << 2 | to_column << 3
            if not is_auto:
                if frame.game.is_floating:
                    places = 1 << IN_CELL if piles.has_cell else places
                    other_way = piles.has_cell
                else:
                    other_way = places & (places - 1) != 0
                    places &= -places
                if packable and other_way:
                    continue
            while places:
                place = trailing_zeros(np.uint64(places))
                places &= places - 1
                count = _add_exit(deal, frame, piles, (word0, word1), bit, source, place, exits, count)
    return count


@njit(cache=True, nogil=True)
def _held(frame, piles, place):
    """Return the moved cards that lie, in this place, on one that autoplay would send home."""
    if place == ON_A:
        return piles.on_a & flip_a(frame.safe >> RANK)
    return (piles.on_b | piles.paired) & flip_b(frame.safe >> RANK)


@njit(cache=True, nogil=True)
def begin_flood(rows, table, bits, word0, word1):
    """Make a position the first member in an empty pool; return how many there are: 1."""
    return _add(rows, table, bits, 0, word0, word1)


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
        exits: empty :class:`Exits`.

    Returns:
        The members, those looked at (all, once the class is complete) and the exits.
    """
    rows, table = members
    leaving = 0
    while done < count < limit and leaving < MAX_EXITS - _EXITS_OF_ONE:
        word0, word1 = rows[done, 0], rows[done, 1]
        piles = piles_of(frame, word0, word1)
        # Twins that are paired hold both of their parents, so that neither has another card's place to go to.
        from_a = piles.on_a & piles.tops & ~_held(frame, piles, ON_A)
        from_b = (piles.on_b | piles.paired) & piles.tops & ~_held(frame, piles, ON_B)
        count = _add_each(frame, piles, rows, table, bits, count, done, from_b & piles.to_a, ON_B, ON_A)
        count = _add_each(frame, piles, rows, table, bits, count, done, from_a & piles.to_b, ON_A, ON_B)
        count = _add_each(frame, piles, rows, table, bits, count, done, piles.singles & piles.to_a, IN_CELL, ON_A)
        count = _add_each(frame, piles, rows, table, bits, count, done, piles.singles & piles.to_b, IN_CELL, ON_B)
        if piles.has_cell:
            count = _add_each(frame, piles, rows, table, bits, count, done, from_a, ON_A, IN_CELL)
            count = _add_each(frame, piles, rows, table, bits, count, done, from_b, ON_B, IN_CELL)
            in_columns = piles.singles & ~piles.in_cells
            count = _add_each(frame, piles, rows, table, bits, count, done, in_columns, AT_BOTTOM, IN_CELL)
        if piles.has_column:
            count = _add_each(frame, piles, rows, table, bits, count, done, from_a, ON_A, AT_BOTTOM)
            count = _add_each(frame, piles, rows, table, bits, count, done, from_b, ON_B, AT_BOTTOM)
            count = _add_each(frame, piles, rows, table, bits, count, done, piles.in_cells, IN_CELL, AT_BOTTOM)
        leaving = _add_exits(deal, frame, piles, word0, word1, exits, leaving)
        done += 1
    return count, done, leaving
