"""FreeCell's fast rules: a whole position in two 64-bit words.

A card that has moved lies on one of the two cards that can carry it, in a cell, at the bottom of a column that was
empty, or on its foundation; a card that has not moved lies where it was dealt. So a position is: for each column how
much of the deal is still in place, and two bits for each other card. Columns and cells need no order, and equal
positions have equal words: the words are the state's key, whole and exact.

    word 0   63..60     59..56     55..52     51..4                          3..0
             column 3   column 2   column 1   low code bit of card 51..4     column 0
    word 1   column 7   column 6   column 5   high code bit of card 51..4    column 4

    code  0  on parent A: the next rank, suit ^ 1      (or in place, or home)
          1  on parent B: the next rank, suit ^ 2      (or the highest card home of its suit)
          2  in a cell
          3  at the bottom of a column

A column's four bits are its *depth*: how many breaks of the deal are in place. A break is a dealt card that does not
lie on one of its parents; a dealt card that does, and above which nothing but such cards is left, counts as moved
there, and so does a bottom card, so that a position reached in two ways has one key. Aces never rest outside the deal
and their foundations (autoplay), so their bits are free for the columns, and each ace is a break.

All functions work on words in which autoplay has run its course. Masks are ``uint64``, bit ``c`` for card ``c``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from solvers.bits import popcount, trailing_zeros
from solvers.deals import FREECELL_COLUMNS, Board

MAX_DEPTH = 15
MAX_MOVES = 512

ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64((1 << 52) - 1)
ACES = np.uint64(0xF)
LOW_RANKS = np.uint64(0xFF)
THREE_RANKS = np.uint64(0xFFF)
CODES = np.uint64(0x000F_FFFF_FFFF_FFF0)
DEPTH = np.uint64(0xF)
DEPTHS = ~CODES
EVEN_SUITS = np.uint64(0x5555_5555_5555_5555)
LOW_SUITS = np.uint64(0x3333_3333_3333_3333)
ONE_SUIT = np.uint64(0x0001_1111_1111_1111)
RANK = np.uint64(4)
PAIR = np.uint64(2)
TWO_RANKS = np.uint64(8)
WON = np.uint64(0xF << 48)
DEPTH_SHIFTS = np.array([0, 52, 56, 60, 0, 52, 56, 60], dtype=np.uint64)

ON_A, ON_B, IN_CELL, AT_BOTTOM, HOME = range(5)


DEAL = np.dtype(
    [
        ("kept", np.uint64, (FREECELL_COLUMNS, MAX_DEPTH + 1)),
        ("top", np.uint64, (FREECELL_COLUMNS, MAX_DEPTH + 1)),
        ("loose", np.uint64, (2, FREECELL_COLUMNS, MAX_DEPTH + 1)),
        ("column", np.int64, (52,)),
        ("beneath", np.uint64, (52,)),
    ]
)
"""The dealt cards as tables: what a column's depth means. One record, for Numba counts references to arrays in a tuple.

``kept``     the cards of a column that are in place at a depth, as a mask
``top``      the highest of them, 0 at depth 0
``loose``    the code bits, low and high, of the cards that count as moved once a depth is left for the one below
``column``   the column in which a card was dealt
``beneath``  the card it was dealt on, as a mask; 0 for a bottom card
"""


class View(NamedTuple):
    """A position spread out: masks (``uint64``) of where each card is; ``empty_columns`` is an ``int64``."""

    home: np.uint64
    kept: np.uint64
    cells: np.uint64
    bottoms: np.uint64
    on_a: np.uint64
    on_b: np.uint64
    tops: np.uint64
    empty_columns: np.int64


def _code(column: tuple[int, ...], position: int) -> int | None:
    """Return how the card at a place of a column would be coded if it had moved there; None if it can't have."""
    card = column[position]
    if card < 4:
        return None
    if position == 0:
        return AT_BOTTOM
    lies_on = column[position - 1]
    if lies_on >> 2 != (card >> 2) + 1:
        return None
    return {1: ON_A, 2: ON_B}.get((lies_on & 3) ^ (card & 3))


def autoplayed(board: Board) -> Board:
    """Return the board after autoplay has sent home every card that can go without harm."""
    columns = [list(column) for column in board.columns]
    cells = list(board.cells)
    home = list(board.foundations)
    while True:
        for pile in [*columns, *([card] for card in cells)]:
            if pile and _is_safe(pile[-1], home):
                card = pile.pop()
                break
        else:
            return Board(tuple(map(tuple, columns)), tuple(cells), (home[0], home[1], home[2], home[3]))
        home[card & 3] += 1
        if card in cells:
            cells.remove(card)


def _is_safe(card: int, home: list[int]) -> bool:
    rank, suit = card >> 2, card & 3
    opposite = min(home[suit ^ 1], home[suit ^ 2])
    return home[suit] == rank and (
        rank <= 1 or opposite >= rank or (opposite >= rank - 1 and home[suit ^ 3] >= rank - 2)
    )


def encode(board: Board) -> tuple[np.void, np.uint64, np.uint64]:
    """Return the ``DEAL`` record of a board and its two words, after autoplay.

    Raises:
        ValueError: a column has more than 15 breaks (no game that began with a deal has more than 7).
    """
    board = autoplayed(board)
    deal = np.zeros(1, dtype=DEAL)[0]
    words = [0, 0]
    for index, column in enumerate(board.columns):
        depth, below, moved = 0, 0, [0, 0]
        for position, card in enumerate(column):
            deal["column"][card] = index
            deal["beneath"][card] = 1 << column[position - 1] if position else 0
            below |= 1 << card
            code = _code(column, position)
            if code is not None:
                moved = [bits | (code >> half & 1) << card for half, bits in enumerate(moved)]
                continue
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError(f"column {index + 1} has more than {MAX_DEPTH} cards out of sequence")
            deal["kept"][index, depth], deal["top"][index, depth] = below, 1 << card
            deal["loose"][:, index, depth] = moved
            moved = [0, 0]
        words[index >> 2] |= depth << int(DEPTH_SHIFTS[index])
        words = [word | bits for word, bits in zip(words, moved, strict=True)]
    for card in board.cells:
        words[1] |= 1 << card
    for suit, height in enumerate(board.foundations):
        if height > 1:
            words[0] |= 1 << (4 * (height - 1) + suit)
    return deal, np.uint64(words[0]), np.uint64(words[1])


@njit(cache=True, nogil=True)
def flip_a(mask):
    """Return the cards of the same ranks in suit ^ 1."""
    return ((mask >> ONE) & EVEN_SUITS) | ((mask & EVEN_SUITS) << ONE)


@njit(cache=True, nogil=True)
def flip_b(mask):
    """Return the cards of the same ranks in suit ^ 2."""
    return ((mask >> PAIR) & LOW_SUITS) | ((mask & LOW_SUITS) << PAIR)


@njit(cache=True, nogil=True)
def depth_of(word0, word1, column):
    """Return the depth (``int64``) of a column."""
    word = word0 if column < 4 else word1
    return np.int64((word >> DEPTH_SHIFTS[column]) & DEPTH)


@njit(cache=True, nogil=True)
def home_cards(word0, word1, kept):
    """Return the mask of the cards on foundations, given that of the cards in place."""
    coded = (word0 | word1) & CODES
    home = ZERO
    for suit in range(4):
        ace = ONE << np.uint64(suit)
        if kept & ace:
            continue
        if kept & (ace << RANK):
            home |= ace
        else:
            # Below its highest card home a suit has no code bits, and a two never stays out once its ace is home.
            pile = coded & (ONE_SUIT << np.uint64(suit))
            home |= (pile ^ (pile - ONE)) & (ONE_SUIT << np.uint64(suit))
    return home


@njit(cache=True, nogil=True)
def in_place(deal, word0, word1):
    """Return the masks of the cards in place and of the topmost of them, and how many columns have none (``int64``)."""
    kept = ZERO
    tops = ZERO
    bare = 0
    for column in range(8):
        depth = depth_of(word0, word1, column)
        kept |= deal.kept[column, depth]
        tops |= deal.top[column, depth]
        bare += depth == 0
    return kept, tops, bare


@njit(cache=True, nogil=True)
def stage_of(deal, word0, word1):
    """Return a position's stage as a ``uint64``: the columns' depths, and how many cards of each suit are home.

    No move but one that ends a stage changes either, and none brings it back.
    """
    kept, _, _ = in_place(deal, word0, word1)
    home = home_cards(word0, word1, kept)
    stage = (word0 & DEPTHS) | (word1 & DEPTH) << RANK | (word1 & DEPTHS & ~DEPTH) >> np.uint64(12)
    for suit in range(4):
        height = popcount(home & (ONE_SUIT << np.uint64(suit)))
        stage |= np.uint64(height) << np.uint64(8 + 4 * suit)
    return stage


@njit(cache=True, nogil=True)
def spread(word0, word1, placed, home):
    """Return the :class:`View` of a position, given what :func:`in_place` says and the mask of the cards home."""
    kept, tops, bare = placed
    moved = ALL & ~(kept | home)
    cells = moved & word1 & ~word0
    bottoms = moved & word1 & word0
    on_a = moved & ~(word0 | word1)
    on_b = moved & word0 & ~word1
    covered = (flip_a(on_a) | flip_b(on_b)) << RANK
    tops = (tops | on_a | on_b | bottoms) & ~covered
    return View(home, kept, cells, bottoms, on_a, on_b, tops, bare - popcount(bottoms))


@njit(cache=True, nogil=True)
def view(deal, word0, word1):
    """Return the :class:`View` of a position."""
    placed = in_place(deal, word0, word1)
    return spread(word0, word1, placed, home_cards(word0, word1, placed[0]))


@njit(cache=True, nogil=True)
def next_home(home):
    """Return the cards that would be next on the foundations."""
    return ((home << RANK) | ACES) & ~home & ALL


@njit(cache=True, nogil=True)
def safe_home(home):
    """Return the cards whose going home now can never change whether the deal can be won.

    These are aces, twos, a card whose opposite-colour foundations both reach its rank - 1, and a card whose
    opposite-colour foundations both reach its rank - 2 while the other of its own colour reaches its rank - 3.
    """
    one_lower = (home << RANK) | ACES
    two_lower = (home << TWO_RANKS) | LOW_RANKS
    three_lower = (home << (TWO_RANKS + RANK)) | THREE_RANKS
    opposite = flip_a(one_lower) & flip_b(one_lower)
    nearly = flip_a(two_lower) & flip_b(two_lower) & flip_a(flip_b(three_lower))
    return next_home(home) & (LOW_RANKS | opposite | nearly)


@njit(cache=True, nogil=True)
def lift(deal, word0, word1, card, is_kept):
    """Return the words without the card (an index) in the place where it lies."""
    if is_kept:
        column = deal.column[card]
        depth = depth_of(word0, word1, column)
        unit = ONE << DEPTH_SHIFTS[column]
        if column < 4:
            word0 -= unit
        else:
            word1 -= unit
        return word0 | deal.loose[0, column, depth], word1 | deal.loose[1, column, depth]
    keep = ~(ONE << np.uint64(card))
    return word0 & keep, word1 & keep


@njit(cache=True, nogil=True)
def exposed_by(deal, seen, bit, card):
    """Return the card that becomes free when the given one leaves, as a mask; 0 if none does."""
    if seen.kept & bit:
        return deal.beneath[card]
    if seen.on_a & bit:
        return flip_a(bit) << RANK
    if seen.on_b & bit:
        return flip_b(bit) << RANK
    return ZERO


@njit(cache=True, nogil=True)
def put(word0, word1, bit, place):
    """Return the words with the card (a mask) in a place: ON_A, ON_B, IN_CELL, AT_BOTTOM or HOME."""
    if place == HOME:
        return word0 ^ ((bit | (bit >> RANK)) & CODES), word1
    if place & 1:
        word0 |= bit
    if place & 2:
        word1 |= bit
    return word0, word1


@njit(cache=True, nogil=True)
def autoplay(deal, word0, word1, home):
    """Return the words after every card that can go home without harm has gone.

    The mask of the cards home is an argument: until autoplay is through, a two may be out with its ace home, and then
    the words alone do not tell it.
    """
    while True:
        seen = spread(word0, word1, in_place(deal, word0, word1), home)
        ready = safe_home(home) & (seen.tops | seen.cells)
        if ready == ZERO:
            return word0, word1
        home |= ready
        while ready:
            card = trailing_zeros(ready)
            bit = ONE << np.uint64(card)
            ready ^= bit
            word0, word1 = lift(deal, word0, word1, card, seen.kept & bit != ZERO)
            word0, word1 = put(word0, word1, bit, HOME)


@njit(cache=True, nogil=True)
def emit(deal, word0, word1, seen, safe, card, place, successors, moves, count):
    """Store the position after one move, and the move (``8 * card + place``); return the count of stored ones.

    A move frees one card at the most, so autoplay has something to do only if that card is safe or a card went home.
    """
    bit = ONE << np.uint64(card)
    next0, next1 = lift(deal, word0, word1, card, seen.kept & bit != ZERO)
    next0, next1 = put(next0, next1, bit, place)
    if place == HOME:
        next0, next1 = autoplay(deal, next0, next1, seen.home | bit)
    elif exposed_by(deal, seen, bit, card) & safe:
        next0, next1 = autoplay(deal, next0, next1, seen.home)
    successors[count, 0] = next0
    successors[count, 1] = next1
    moves[count] = 8 * card + place
    return count + 1


@njit(cache=True, nogil=True)
def emit_each(deal, word0, word1, seen, safe, cards, place, successors, moves, count):
    """Store the positions after each card of a mask has moved to a kind of place; return the count of stored ones."""
    while cards:
        card = trailing_zeros(cards)
        cards &= cards - ONE
        count = emit(deal, word0, word1, seen, safe, card, place, successors, moves, count)
    return count


@njit(cache=True, nogil=True)
def single_moves(deal, word0, word1, cells, successors, moves):
    """Store every position that one card's move leads to.

    Empty cells count as one, and so do empty columns; a card alone in its column does not go to an empty one.

    Args:
        cells: how many cells the game has.
        successors: ``uint64[MAX_MOVES, 2]``, filled with the words.
        moves: ``int64[MAX_MOVES]``, filled with ``8 * card + place``.

    Returns:
        How many were stored.
    """
    seen = view(deal, word0, word1)
    safe = safe_home(seen.home)
    free = seen.tops | seen.cells
    count = 0
    if popcount(seen.cells) < cells:
        count = emit_each(deal, word0, word1, seen, safe, seen.tops, IN_CELL, successors, moves, count)
    if seen.empty_columns > 0:
        movable = free & ~seen.bottoms
        count = emit_each(deal, word0, word1, seen, safe, movable, AT_BOTTOM, successors, moves, count)
    carried = seen.tops >> RANK
    count = emit_each(deal, word0, word1, seen, safe, free & flip_a(carried), ON_A, successors, moves, count)
    count = emit_each(deal, word0, word1, seen, safe, free & flip_b(carried), ON_B, successors, moves, count)
    return emit_each(deal, word0, word1, seen, safe, free & next_home(seen.home), HOME, successors, moves, count)


@njit(cache=True, nogil=True)
def run_moves(deal, word0, word1, cells, successors, moves, count):
    """Store every position that the move of a run of two or more cards leads to, as :func:`single_moves` does.

    A run moves at once when empty cells and columns would let it go card by card: (empty cells + 1) * 2 ** (empty
    columns) cards, the target not counted where it is an empty column itself.
    """
    seen = view(deal, word0, word1)
    limit = (cells - popcount(seen.cells) + 1) << seen.empty_columns
    if limit < 2:
        return count
    safe = safe_home(seen.home)
    carried = seen.tops >> RANK
    carried_a, carried_b = flip_a(carried), flip_b(carried)
    ends = seen.tops & (seen.on_a | seen.on_b)
    while ends:
        bit = ends & (~ends + ONE)
        ends ^= bit
        length = 1
        while length < limit and bit & (seen.on_a | seen.on_b):
            bit = (flip_a(bit) if bit & seen.on_a else flip_b(bit)) << RANK
            length += 1
            card = trailing_zeros(bit)
            if bit & carried_a:
                count = emit(deal, word0, word1, seen, safe, card, ON_A, successors, moves, count)
            if bit & carried_b:
                count = emit(deal, word0, word1, seen, safe, card, ON_B, successors, moves, count)
            if seen.empty_columns > 0 and 2 * length <= limit and bit & ~seen.bottoms:
                count = emit(deal, word0, word1, seen, safe, card, AT_BOTTOM, successors, moves, count)
    return count


@njit(cache=True, nogil=True)
def is_won(word0, word1):
    """Tell whether all cards are home."""
    return word0 == WON and word1 == ZERO


@njit(cache=True, nogil=True)
def _count_lines(deal, word0, word1, cells, depth):
    if depth == 0:
        return 1
    successors = np.empty((MAX_MOVES, 2), dtype=np.uint64)
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    if is_won(word0, word1):
        return 0
    count = single_moves(deal, word0, word1, cells, successors, moves)
    if depth == 1:
        return count
    total = 0
    for i in range(count):
        total += _count_lines(deal, successors[i, 0], successors[i, 1], cells, depth - 1)
    return total


def perft(board: Board, cells: int, depth: int) -> int:
    """Return the number of lines of ``depth`` moves, as :func:`solvers.freecell.referee.perft` defines them."""
    deal, word0, word1 = encode(board)
    return int(_count_lines(deal, word0, word1, cells, depth))
