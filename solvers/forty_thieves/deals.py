"""From a deal number to the cards on the table: two decks, ten columns of four, 64 cards in the stock."""

from enum import StrEnum
from typing import NamedTuple

from solvers.cards import DECK_SIZE

LOWEST = 1
HIGHEST = 2_147_483_647
COLUMNS = 10
COLUMN_CARDS = 4
CARDS = 2 * DECK_SIZE
FOUNDATIONS = 8


class Rules(StrEnum):
    """The two sets of rules.

    Classic goes through the stock once and moves runs as single cards could go through empty columns. Relaxed moves
    runs of any length and turns the waste over once.
    """

    CLASSIC = "classic"
    RELAXED = "relaxed"


PASSES = {Rules.CLASSIC: 1, Rules.RELAXED: 2}
"""How often each set of rules goes through the stock."""


class Board(NamedTuple):
    """A Forty Thieves position: cards are integers as in :mod:`solvers.cards`; twins are the same integer.

    Attributes:
        columns: up to ten columns, each from the bottom to the top card (the top one is free to move).
        waste: from the bottom to the top card (the top one is free to move).
        stock: the next card to be turned comes first.
        foundations: the number of cards on each pile, 0 to 13: two piles of clubs, two of diamonds, hearts, spades.
        pass_number: which time the stock is gone through, 1 or 2.
    """

    columns: tuple[tuple[int, ...], ...]
    waste: tuple[int, ...] = ()
    stock: tuple[int, ...] = ()
    foundations: tuple[int, ...] = (0,) * FOUNDATIONS
    pass_number: int = 1


def forty_thieves_deal(number: int) -> Board:
    """Return the board of a deal in the numbering of KDE's KPat, which deals the same cards in its Forty & Eight.

    The generator is ``seed = 214013 * seed + 2531011 (mod 2**32)``, output ``(seed >> 16) & 0x7fff``; it shuffles two
    decks from the last place to the second. The cards come off the end, row by row over the columns, then the stock.

    Raises:
        ValueError: the number is outside 1 to 2,147,483,647.
    """
    if not LOWEST <= number <= HIGHEST:
        raise ValueError(f"Forty Thieves deal {number} is outside {LOWEST}-{HIGHEST}")
    deck = list(range(DECK_SIZE)) * 2
    seed = number
    for left in range(CARDS, 1, -1):
        seed = (214013 * seed + 2531011) & 0xFFFF_FFFF
        drawn = (seed >> 16 & 0x7FFF) % left
        deck[left - 1], deck[drawn] = deck[drawn], deck[left - 1]
    deck.reverse()
    dealt = COLUMNS * COLUMN_CARDS
    columns = tuple(tuple(deck[first:dealt:COLUMNS]) for first in range(COLUMNS))
    return Board(columns, stock=tuple(deck[dealt:]))
