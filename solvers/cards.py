"""Cards as small integers: one byte a card.

A card is ``4 * rank + suit``: rank 0 (ace) to 12 (king), suit 0 clubs, 1 diamonds, 2 hearts, 3 spades. This is the
order in which Microsoft's FreeCell and KDE's KPat fill their decks, so a deck in card order is ``range(52)``.
"""

RANKS = "A23456789TJQK"
SUITS = "CDHS"
DECK_SIZE = 52


def rank(card: int) -> int:
    """Return the rank of a card, 0 (ace) to 12 (king)."""
    return card >> 2


def suit(card: int) -> int:
    """Return the suit of a card: 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card & 3


def is_red(card: int) -> bool:
    """Tell whether a card is a diamond or a heart."""
    return card & 3 in (1, 2)


def format_card(card: int) -> str:
    """Return the two characters of a card, rank then suit: ``TH``."""
    return RANKS[card >> 2] + SUITS[card & 3]


def parse_card(text: str) -> int:
    """Read a card: rank then suit, in any case, ten as ``T`` or ``10``.

    Raises:
        ValueError: the text is no card; the message quotes it.
    """
    upper = text.upper()
    if upper.startswith("10"):
        upper = "T" + upper[2:]
    if len(upper) != 2 or upper[0] not in RANKS or upper[1] not in SUITS:
        raise ValueError(f"{text!r} is no card (a rank A 2-9 T J Q K, then a suit C D H S)")
    return 4 * RANKS.index(upper[0]) + SUITS.index(upper[1])
