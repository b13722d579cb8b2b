"""Forty Thieves' fast rules: a whole position in four 64-bit words.

A column is one number, its *code*: runs are of one suit, so a column is settled by the last break in it and the length
of the run from there. A break is a card that does not lie on the next rank of its suit. The codes of one run count
upwards with its length, so n cards on top add n.

    code  0         an empty column
          1..364    one run: from ``RUN_CODES`` of its bottom card on
          365..     a run on a break further up: numbered by the board, equal columns equally
          1023      no column (a game with fewer than ten)

Waste and stock are one sequence, that of the cards as they are turned, less those that have gone. Of a card and its
twin, the one turned first counts as still there where the sequence leaves that open, so equal ones have equal words.

    word 0   59..0   columns 0..5, ten bits each, highest code first
    word 1   47      set in the second pass     46..40  place of the next card of the stock (64 if none)
             39..0   columns 6..9
    word 2   63..0   the cards of the sequence that are there, in waste or stock
    word 3   31..0   foundations, four bits each: for each suit the lower, then the higher

Words 0 to 2 are the key, whole and exact: word 3 follows from them. All functions work on positions in which autoplay
has run its course.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.bits import leading_zeros, trailing_zeros
from solvers.forty_thieves.deals import COLUMNS, PASSES, Board, Rules

MAX_SEQUENCE = 64
MAX_MOVES = 256
WORDS = 4
KEY_WORDS = 3

EMPTY = 0
NO_COLUMN = 1023
CODES = NO_COLUMN + 1
RUN_CODES = np.array([1 + 4 * (r * (r + 1) // 2) + s * (r + 1) for r in range(13) for s in range(4)], dtype=np.int64)
"""``int64[52]``: the code of each card alone in a column."""
FIRST_BREAK_CODE = 365

NO_CARD = -100
ZERO = np.uint64(0)
ONE = np.uint64(1)
CODE_BITS = np.uint64(10)
CODE_MASK = np.uint64(NO_COLUMN)
PLACE_SHIFT = np.uint64(40)
PLACE_MASK = np.uint64(0x7F)
PASS_SHIFT = np.uint64(47)
FOUR = np.uint64(4)
NIBBLE = np.uint64(0xF)
LOW_NIBBLES = np.uint64(0x0F0F_0F0F)
ONE_A_BYTE = np.uint64(0x0101_0101)

# A move is ``source << 16 | target << 4 | count``: codes of columns as they were, or these.
FROM_WASTE, FROM_STOCK, TO_HOME = CODES, CODES + 1, CODES
REDEAL = CODES + 2
SOURCE_SHIFT, TARGET_SHIFT, COUNT_MASK, TARGET_MASK = 16, 4, 15, 2047

DEAL = np.dtype(
    [
        ("top", np.int16, CODES),
        ("length", np.int16, CODES),
        ("beneath", np.int16, CODES),
        ("sequence", np.int16, MAX_SEQUENCE),
        ("twin", np.int16, MAX_SEQUENCE),
    ]
)
"""What codes and places mean.

``top``       the card on top of a column, ``NO_CARD`` where there is none
``length``    the length of the run there
``beneath``   the code of the column without that run
``sequence``  the cards of waste and stock in the order in which they are turned
``twin``      the place of the twin that is turned before, -1 if there is none
"""

TABLE = np.dtype(
    [
        ("columns", np.int64, COLUMNS),
        ("low", np.int64, 4),
        ("high", np.int64, 4),
        ("waste", np.uint64),
        ("stock", np.uint64),
        ("is_second_pass", np.int64),
    ]
)
"""A position spread out: codes, each suit's lower and higher foundation, and places of the sequence as bits."""


class _Codes:
    """Numbers the columns of a board."""

    def __init__(self, deal: np.void) -> None:
        self.deal = deal
        self.next = FIRST_BREAK_CODE
        self.starts: dict[tuple[int, int], int] = {}
        deal["top"] = NO_CARD
        for card, code in enumerate(RUN_CODES.tolist()):
            self._describe(code, card, EMPTY)

    def _describe(self, code: int, card: int, beneath: int) -> None:
        for length in range(1, card // 4 + 2):
            self.deal["top"][code + length - 1] = card - 4 * (length - 1)
            self.deal["length"][code + length - 1] = length
            self.deal["beneath"][code + length - 1] = beneath

    def code(self, column: tuple[int, ...]) -> int:
        code = EMPTY
        for card in column:
            if self.deal["top"][code] == card + 4:
                code += 1
            elif code == EMPTY:
                code = int(RUN_CODES[card])
            else:
                code = self._after_break(code, card)
        return code

    def _after_break(self, beneath: int, card: int) -> int:
        start = self.starts.get((beneath, card))
        if start is None:
            start, self.next = self.next, self.next + card // 4 + 1
            if self.next > NO_COLUMN:
                raise ValueError(
                    "the columns have too many cards out of sequence (a game that began with a deal has 30)"
                )
            self.starts[beneath, card] = start
            self._describe(start, card, beneath)
        return start


def encode(board: Board, rules: Rules) -> tuple[np.void, NDArray[np.uint64]]:
    """Return the ``DEAL`` record of a board and its ``uint64[4]`` words, after autoplay.

    Raises:
        ValueError: the board has more than ten columns, more than 64 cards in waste and stock, too many breaks, or a
            pass that the rules don't have.
    """
    _check(board, rules)
    deal, table = unsorted(board)
    words = np.zeros((1, WORDS), dtype=np.uint64)
    settle(deal, table)
    pack(table, words, 0)
    return deal, words[0]


def unsorted(board: Board) -> tuple[np.void, np.void]:
    """Return the ``DEAL`` record of a board, and as a ``TABLE`` record the board itself, its columns in their order.

    Raises:
        ValueError: the board has too many breaks.
    """
    deal, table = np.zeros(1, dtype=DEAL)[0], np.zeros(1, dtype=TABLE)[0]
    codes = _Codes(deal)
    table["columns"] = NO_COLUMN
    table["columns"][: len(board.columns)] = [codes.code(column) for column in board.columns]
    for suit in range(4):
        table["low"][suit], table["high"][suit] = sorted(board.foundations[2 * suit : 2 * suit + 2])
    sequence = board.waste + board.stock
    deal["sequence"][: len(sequence)] = sequence
    deal["twin"] = -1
    for place, card in enumerate(sequence):
        if card in sequence[:place]:
            deal["twin"][place] = sequence.index(card)
    table["waste"] = (1 << len(board.waste)) - 1
    table["stock"] = (1 << len(sequence)) - (1 << len(board.waste))
    table["is_second_pass"] = board.pass_number - 1
    return deal, table


def _check(board: Board, rules: Rules) -> None:
    if len(board.columns) > COLUMNS:
        raise ValueError(f"{len(board.columns)} columns ({COLUMNS} are played)")
    if len(board.waste) + len(board.stock) > MAX_SEQUENCE:
        cards = len(board.waste) + len(board.stock)
        raise ValueError(f"{cards} cards in waste and stock (a game that began with a deal has {MAX_SEQUENCE})")
    if not 1 <= board.pass_number <= PASSES[rules]:
        raise ValueError(f"pass {board.pass_number} (under {rules} rules the last one is {PASSES[rules]})")


def longest_moves(rules: Rules) -> NDArray[np.int64]:
    """Return ``int64[11]``: the cards that may go onto a column at once, by the number of empty columns.

    Into an empty column goes what goes onto one with one empty column less.
    """
    if rules == Rules.RELAXED:
        return np.full(COLUMNS + 1, 13, dtype=np.int64)
    return np.minimum(2 ** np.arange(COLUMNS + 1, dtype=np.int64), 13)


@njit(cache=True, nogil=True)
def unpack(words, index, table):
    """Spread out the position at an index of ``uint64[n, 4]`` words."""
    word = words[index, 0]
    for column in range(COLUMNS):
        if column == 6:
            word = words[index, 1]
        table.columns[column] = np.int64(word & CODE_MASK)
        word >>= CODE_BITS
    place = words[index, 1] >> PLACE_SHIFT & PLACE_MASK
    below = (ONE << place) - ONE if place < np.uint64(MAX_SEQUENCE) else ~ZERO
    table.waste = words[index, 2] & below
    table.stock = words[index, 2] & ~below
    table.is_second_pass = np.int64(words[index, 1] >> PASS_SHIFT & ONE)
    home = words[index, 3]
    for suit in range(4):
        table.low[suit] = np.int64(home & NIBBLE)
        table.high[suit] = np.int64(home >> FOUR & NIBBLE)
        home >>= FOUR + FOUR


@njit(cache=True, nogil=True)
def pack(table, words, index):
    """Put the columns in order and write the position's words."""
    columns = table.columns
    for i in range(1, COLUMNS):
        code = columns[i]
        j = i
        while j > 0 and columns[j - 1] < code:
            columns[j] = columns[j - 1]
            j -= 1
        columns[j] = code
    word = ZERO
    for column in range(5, -1, -1):
        word = word << CODE_BITS | np.uint64(columns[column])
    words[index, 0] = word
    word = np.uint64(table.is_second_pass) << np.uint64(7) | np.uint64(trailing_zeros(table.stock))
    for column in range(9, 5, -1):
        word = word << CODE_BITS | np.uint64(columns[column])
    words[index, 1] = word
    words[index, 2] = table.waste | table.stock
    home = ZERO
    for suit in range(3, -1, -1):
        home = home << FOUR | np.uint64(table.high[suit])
        home = home << FOUR | np.uint64(table.low[suit])
    words[index, 3] = home


@njit(cache=True, nogil=True)
def copy(source, target):
    """Make one spread-out position like another."""
    for column in range(COLUMNS):
        target.columns[column] = source.columns[column]
    for suit in range(4):
        target.low[suit] = source.low[suit]
        target.high[suit] = source.high[suit]
    target.waste = source.waste
    target.stock = source.stock
    target.is_second_pass = source.is_second_pass


@njit(cache=True, nogil=True)
def waste_top(deal, table):
    """Return the top card of the waste, ``NO_CARD`` if there is none."""
    if table.waste == ZERO:
        return np.int64(NO_CARD)
    return np.int64(deal.sequence[63 - leading_zeros(table.waste)])


@njit(cache=True, nogil=True)
def take_waste(deal, table):
    """Take the top card off the waste, and let twins further on count as those that have gone."""
    gone = 63 - leading_zeros(table.waste)
    table.waste &= ~(ONE << np.uint64(gone))
    later = table.stock
    while later != ZERO:
        place = trailing_zeros(later)
        twin = deal.twin[place]
        if twin < 0:
            return
        between = (ONE << np.uint64(place)) - (ONE << np.uint64(twin))
        if (table.waste | table.stock) & between:
            return
        table.stock ^= ONE << np.uint64(place) | ONE << np.uint64(twin)
        later &= later - ONE


@njit(cache=True, nogil=True)
def take(deal, table, column, count):
    """Take cards off the run of a column."""
    code = table.columns[column]
    table.columns[column] = code - count if count < deal.length[code] else deal.beneath[code]


@njit(cache=True, nogil=True)
def fits_home(table, card):
    """Tell whether one of its suit's foundations takes a card."""
    return card >= 0 and (table.low[card & 3] == card >> 2 or table.high[card & 3] == card >> 2)


@njit(cache=True, nogil=True)
def send_home(table, card):
    """Lay a card that fits on its foundation."""
    if table.high[card & 3] == card >> 2:
        table.high[card & 3] += 1
    else:
        table.low[card & 3] += 1


@njit(cache=True, nogil=True)
def is_safe(table, card):
    """Tell whether autoplay takes a card: both foundations of its suit are up to the rank below, or beyond."""
    return card >= 0 and table.low[card & 3] == card >> 2


@njit(cache=True, nogil=True)
def settle(deal, table):
    """Send every safe card home, again and again."""
    going = True
    while going:
        going = False
        for column in range(COLUMNS):
            card = np.int64(deal.top[table.columns[column]])
            while is_safe(table, card):
                take(deal, table, column, 1)
                send_home(table, card)
                card = np.int64(deal.top[table.columns[column]])
                going = True
        card = waste_top(deal, table)
        while is_safe(table, card):
            take_waste(deal, table)
            send_home(table, card)
            card = waste_top(deal, table)
            going = True


@njit(cache=True, nogil=True)
def emit(deal, table, source, target, cards, successors, moves, count):
    """Settle a position in which a move was made and store it; return the count of stored ones."""
    settle(deal, table)
    pack(table, successors, count)
    moves[count] = source << SOURCE_SHIFT | target << TARGET_SHIFT | cards
    return count + 1


@njit(cache=True, nogil=True)
def card_moves(deal, words, index, longest, here, there, successors, moves):
    """Store every position that a move of cards leads to; equal columns count as one.

    Args:
        words: ``uint64[n, 4]`` positions, of which the one at ``index`` is meant.
        longest: ``int64[11]`` of :func:`longest_moves`.
        here: a ``TABLE`` record, filled with the position.
        there: another one, to work in.
        successors: ``uint64[MAX_MOVES, 4]``, filled with the words.
        moves: ``int64[MAX_MOVES]``, filled with the moves.

    Returns:
        How many were stored.
    """
    unpack(words, index, here)
    columns = here.columns
    empty = 0
    for column in range(COLUMNS):
        empty += columns[column] == EMPTY
    count = 0
    for column in range(COLUMNS):
        code = columns[column]
        if code in (EMPTY, NO_COLUMN) or (column > 0 and columns[column - 1] == code):
            continue
        top = np.int64(deal.top[code])
        if fits_home(here, top):
            copy(here, there)
            take(deal, there, column, 1)
            send_home(there, top)
            count = emit(deal, there, code, TO_HOME, 1, successors, moves, count)
        count = run_moves(deal, here, there, column, longest, empty, successors, moves, count)
    return waste_moves(deal, here, there, successors, moves, count)


@njit(cache=True, nogil=True)
def run_moves(deal, here, there, column, longest, empty, successors, moves, count):
    """Store what the moves of a column's run lead to, onto other columns and into an empty one."""
    columns = here.columns
    code = columns[column]
    top = np.int64(deal.top[code])
    length = np.int64(deal.length[code])
    for target in range(COLUMNS):
        onto = columns[target]
        above = np.int64(deal.top[onto]) - top
        if above <= 0 or above & 3 or above > 4 * min(length, longest[empty]):
            continue
        if target > 0 and columns[target - 1] == onto:
            continue
        copy(here, there)
        take(deal, there, column, above >> 2)
        there.columns[target] += above >> 2
        count = emit(deal, there, code, onto, above >> 2, successors, moves, count)
    if empty > 0:
        if deal.beneath[code] == EMPTY:
            length -= 1
        for cards in range(1, min(length, longest[empty - 1]) + 1):
            copy(here, there)
            take(deal, there, column, cards)
            there.columns[COLUMNS - 1] = RUN_CODES[top + 4 * (cards - 1)] + cards - 1
            count = emit(deal, there, code, EMPTY, cards, successors, moves, count)
    return count


@njit(cache=True, nogil=True)
def waste_moves(deal, here, there, successors, moves, count):
    """Store what the moves of the waste's top card lead to."""
    card = waste_top(deal, here)
    if card < 0:
        return count
    if fits_home(here, card):
        copy(here, there)
        take_waste(deal, there)
        send_home(there, card)
        count = emit(deal, there, FROM_WASTE, TO_HOME, 1, successors, moves, count)
    for target in range(COLUMNS):
        onto = here.columns[target]
        if deal.top[onto] != card + 4 or (target > 0 and here.columns[target - 1] == onto):
            continue
        copy(here, there)
        take_waste(deal, there)
        there.columns[target] += 1
        count = emit(deal, there, FROM_WASTE, onto, 1, successors, moves, count)
    if here.columns[COLUMNS - 1] == EMPTY:
        copy(here, there)
        take_waste(deal, there)
        there.columns[COLUMNS - 1] = RUN_CODES[card]
        count = emit(deal, there, FROM_WASTE, EMPTY, 1, successors, moves, count)
    return count


@njit(cache=True, nogil=True)
def stock_move(deal, words, index, passes, there, successors, moves, count):
    """Store the position after the turn of a card, or after the redeal if one is left.

    Args:
        passes: how often the rules go through the stock.
        there: a ``TABLE`` record to work in; the others as in :func:`card_moves`.

    Returns:
        The count of stored positions.
    """
    unpack(words, index, there)
    if there.stock != ZERO:
        turn(there)
        return emit(deal, there, FROM_STOCK, EMPTY, 1, successors, moves, count)
    if there.waste != ZERO and there.is_second_pass + 1 < passes:
        turn(there)
        return emit(deal, there, REDEAL, EMPTY, 1, successors, moves, count)
    return count


@njit(cache=True, nogil=True)
def turn(table):
    """Turn a card of the stock, or the waste where there is no stock."""
    if table.stock != ZERO:
        bit = table.stock & (~table.stock + ONE)
        table.stock ^= bit
        table.waste |= bit
    else:
        table.stock = table.waste
        table.waste = ZERO
        table.is_second_pass = 1


@njit(cache=True, nogil=True)
def home_cards(words, index):
    """Return how many cards are home (``int64``)."""
    pairs = (words[index, 3] & LOW_NIBBLES) + (words[index, 3] >> FOUR & LOW_NIBBLES)
    return np.int64(pairs * ONE_A_BYTE >> np.uint64(24) & np.uint64(0xFF))


@njit(cache=True, nogil=True)
def _count_lines(deal, words, longest, passes, here, there, depth):
    if depth == 0:
        return 1
    successors = np.empty((MAX_MOVES, WORDS), dtype=np.uint64)
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    count = card_moves(deal, words, 0, longest, here, there, successors, moves)
    count = stock_move(deal, words, 0, passes, there, successors, moves, count)
    total = 0
    for i in range(count):
        is_first = True
        for j in range(i):
            if (successors[i, :KEY_WORDS] == successors[j, :KEY_WORDS]).all():
                is_first = False
        if is_first:
            total += _count_lines(deal, successors[i : i + 1], longest, passes, here, there, depth - 1)
    return total


def perft(board: Board, rules: Rules, depth: int) -> int:
    """Return the number of lines of ``depth`` moves, as :func:`solvers.forty_thieves.referee.perft` defines them."""
    deal, words = encode(board, rules)
    here, there = np.zeros(2, dtype=TABLE)
    first = words.reshape(1, WORDS)
    return int(_count_lines(deal, first, longest_moves(rules), PASSES[rules], here, there, depth))
