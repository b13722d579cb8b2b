"""From a deal number to the cards on the table."""

from typing import NamedTuple

from solvers.cards import DECK_SIZE

FREECELL_LOWEST = 1
FREECELL_HIGHEST = 1_000_000
FREECELL_COLUMNS = 8


class Board(NamedTuple):
    """A FreeCell position: cards are integers as in :mod:`solvers.cards`.

    Attributes:
        columns: eight columns, each from the bottom to the top card (the top one is free to move).
        cells: the cards in free cells.
        foundations: for clubs, diamonds, hearts, spades the number of cards home, 0 to 13.
    """

    columns: tuple[tuple[int, ...], ...]
    cells: tuple[int, ...] = ()
    foundations: tuple[int, int, int, int] = (0, 0, 0, 0)


def freecell_deal(number: int) -> Board:
    """Return the board of a FreeCell deal in Microsoft's numbering.

    The generator is the one of Microsoft's C run-time, ``seed = 214013 * seed + 2531011 (mod 2**31)``, output
    ``seed >> 16``; each draw takes a card out of the deck, whose place the last card left fills. The cards go row by
    row to eight columns (published by Jim Horne through Michael Keller's Solitaire Laboratory).

    Raises:
        ValueError: the number is outside 1 to 1,000,000.
    """
    if not FREECELL_LOWEST <= number <= FREECELL_HIGHEST:
        raise ValueError(f"FreeCell deal {number} is outside {FREECELL_LOWEST}-{FREECELL_HIGHEST}")
    deck = list(range(DECK_SIZE))
    columns: tuple[list[int], ...] = tuple([] for _ in range(FREECELL_COLUMNS))
    seed = number
    for position in range(DECK_SIZE):
        seed = (214013 * seed + 2531011) & 0x7FFFFFFF
        left = len(deck)
        drawn = (seed >> 16) % left
        deck[drawn], deck[-1] = deck[-1], deck[drawn]
        columns[position % FREECELL_COLUMNS].append(deck.pop())
    return Board(tuple(tuple(column) for column in columns))
