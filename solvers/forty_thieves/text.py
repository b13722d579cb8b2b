"""Boards as text: a line for each column, and lines that start with what they tell of.

For example::

    Foundations: C-0 C-A D-3 D-4 H-0 H-0 S-K S-2
    Pass: 1
    Waste: 4S 3C
    Stock: QD 5C 9D
    : JD 4D KS QD
    …

A line is a column, bottom card first, with or without ``:`` before it. The last card of ``Waste`` is the one to play,
the first one of ``Stock`` is turned next. ``Foundations`` (``Founds``) has up to two piles of each suit, ``Pass`` is 1
or 2; what is left out is empty, the pass 1. Cards are rank then suit in any case, ten as ``10`` or ``T``. Lines that
start with ``#`` are comments. A blank line is an empty column, unless that makes more than ten columns; columns left
out at the end are empty.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from solvers.cards import DECK_SIZE, RANKS, SUITS, format_card, parse_card, rank, suit
from solvers.forty_thieves.deals import COLUMNS, FOUNDATIONS, PASSES, Board

_FOUNDATIONS, _PASS, _WASTE, _STOCK, _COLUMN, _BLANK = "Foundations", "Pass", "Waste", "Stock", "column", "blank"
_HEADINGS = {
    "": _COLUMN,
    "foundations": _FOUNDATIONS,
    "founds": _FOUNDATIONS,
    "pass": _PASS,
    "waste": _WASTE,
    "stock": _STOCK,
}
_ACCEPTED = "Foundations, Pass, Waste or Stock"
_FOUNDATION = re.compile(r"([CDHS])-(0|10|[2-9ATJQK])", re.IGNORECASE | re.ASCII)
_QUOTED = 20


class _Line(NamedTuple):
    """One line of the text: its number (the first is 1), what it tells of, its words."""

    number: int
    kind: str
    words: list[str]

    def error(self, message: str) -> ValueError:
        return ValueError(f"line {self.number}: {message}")


def format_board(board: Board) -> str:
    """Write a board as lines of text."""
    piles = (
        f"{SUITS[index // 2]}-{'0' if count == 0 else RANKS[count - 1]}"
        for index, count in enumerate(board.foundations)
    )
    lines = [
        f"{_FOUNDATIONS}: {' '.join(piles)}",
        f"{_PASS}: {board.pass_number}",
        f"{_WASTE}: {_format_cards(board.waste)}",
        f"{_STOCK}: {_format_cards(board.stock)}",
        *(f": {_format_cards(column)}" for column in board.columns),
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _format_cards(cards: tuple[int, ...]) -> str:
    return " ".join(map(format_card, cards))


def parse_board(text: str) -> Board:
    """Read a board from text; the 104 cards of two decks lie in its piles, each twice.

    Raises:
        ValueError: the text is no board; the message names the line and what is wrong in it.
    """
    lines = [_read_line(number, content) for number, content in _content(text)]
    column_lines = _column_lines(lines)
    decks = _Decks()
    foundations = decks.take_foundations(_only(lines, _FOUNDATIONS))
    waste, stock = (() if line is None else decks.take(line) for line in (_only(lines, _WASTE), _only(lines, _STOCK)))
    columns = [decks.take(line) for line in column_lines]
    columns += [()] * (COLUMNS - len(columns))
    decks.check_complete(lines[-1] if lines else _Line(1, _BLANK, []))
    return Board(tuple(columns), waste, stock, foundations, _read_pass(_only(lines, _PASS)))


def _content(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, comments left out."""
    for number, content in enumerate(text.splitlines(), start=1):
        if not content.lstrip().startswith("#"):
            yield number, content


def _read_line(number: int, content: str) -> _Line:
    before, colon, after = content.partition(":")
    if not colon:
        words = content.split()
        return _Line(number, _COLUMN if words else _BLANK, words)
    heading = before.strip()
    kind = _HEADINGS.get(heading.lower())
    if kind is None:
        raise ValueError(f"line {number}: {heading[:_QUOTED]!r} is no heading ({_ACCEPTED})")
    return _Line(number, kind, after.split())


def _only(lines: list[_Line], kind: str) -> _Line | None:
    """Return the one line of a kind, if there is any."""
    found = [line for line in lines if line.kind == kind]
    if len(found) > 1:
        raise found[1].error(f"a second {kind} line (the first is line {found[0].number})")
    return found[0] if found else None


def _column_lines(lines: list[_Line]) -> list[_Line]:
    columns = [line for line in lines if line.kind in (_COLUMN, _BLANK)]
    while columns and not columns[-1].words:
        columns.pop()
    if len(columns) > COLUMNS:
        columns = [line for line in columns if line.kind != _BLANK]
    if len(columns) > COLUMNS:
        extra = columns[COLUMNS]
        raise extra.error(f"{' '.join(extra.words)[:_QUOTED]!r} starts a column too many ({COLUMNS} are played)")
    return columns


def _read_pass(line: _Line | None) -> int:
    if line is None:
        return 1
    text = " ".join(line.words)
    last = max(PASSES.values())
    if text not in map(str, range(1, last + 1)):
        raise line.error(f"{text[:_QUOTED]!r} is no pass (1 to {last})")
    return int(text)


class _Decks:
    """Counts the cards of both decks, and where each stood."""

    def __init__(self) -> None:
        self.places: dict[int, list[int]] = {card: [] for card in range(DECK_SIZE)}

    def _add(self, line: _Line, card: int, word: str) -> None:
        if len(self.places[card]) == 2:
            before = " and ".join(map(str, self.places[card]))
            raise line.error(f"{word!r} is a third {format_card(card)} (the others: line {before})")
        self.places[card].append(line.number)

    def take(self, line: _Line) -> tuple[int, ...]:
        """Read the cards of a pile."""
        cards = tuple(_read_card(line, word) for word in line.words)
        for card, word in zip(cards, line.words, strict=True):
            self._add(line, card, word)
        return cards

    def take_foundations(self, line: _Line | None) -> tuple[int, ...]:
        """Read how many cards are on each foundation; those left out have none."""
        heights = [0] * FOUNDATIONS
        piles: Counter[int] = Counter()
        for word in () if line is None else line.words:
            assert line is not None
            match = _FOUNDATION.fullmatch(word)
            if match is None:
                raise line.error(
                    f"{word[:_QUOTED]!r} is no foundation (C D H S, a dash, then 0 A 2-10 T J Q K: H-0 C-A)"
                )
            index = SUITS.index(match[1].upper())
            if piles[index] == 2:
                raise line.error(f"{word!r} is a third foundation of {SUITS[index]}")
            height = 0 if match[2] == "0" else rank(_read_card(line, match[2] + match[1])) + 1
            heights[2 * index + piles[index]] = height
            piles[index] += 1
            for card_rank in range(height):
                self._add(line, 4 * card_rank + index, word)
        return tuple(heights)

    def check_complete(self, last: _Line) -> None:
        """Raise if a card of the two decks is nowhere."""
        missing = [card for card, lines in self.places.items() for _ in range(2 - len(lines))]
        missing.sort(key=lambda card: (suit(card), rank(card)))
        if missing:
            noun = "card is" if len(missing) == 1 else "cards are"
            raise last.error(f"the board ends, and {len(missing)} {noun} missing: {_format_cards(tuple(missing))}")


def _read_card(line: _Line, word: str) -> int:
    try:
        return parse_card(word)
    except ValueError:
        raise line.error(f"{word[:_QUOTED]!r} is no card (a rank A 2-10 T J Q K, then a suit C D H S)") from None
