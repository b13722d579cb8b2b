"""Boards as text, in the form that fc-solve and PySolFC read and write.

A line is a column, bottom card first, with or without ``:`` before it; ``Freecells:`` (``FC:``) and ``Foundations:``
(``Founds:``) lines tell of a game in progress::

    Foundations: H-0 C-A D-3 S-K
    Freecells: - TD
    : 4C 2C 9C 8C QS 4S 2H
    …

Cards are rank then suit in any case, ten as ``10`` or ``T``, an ace as ``A`` or ``1``; ``-`` is an empty cell. Lines
that start with ``#`` are comments. A blank line is an empty column, as in fc-solve, unless that makes more than eight
columns; columns left out at the end are empty. Unlike fc-solve, nothing is passed over in silence: a ninth column or a
second line of cells or foundations is an error.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from solvers.cards import DECK_SIZE, RANKS, SUITS, format_card, parse_card, rank, suit
from solvers.deals import FREECELL_COLUMNS, Board

_CELLS, _FOUNDATIONS, _COLUMN, _BLANK = "Freecells", "Foundations", "column", "blank"
_HEADINGS = {"": _COLUMN, "freecells": _CELLS, "fc": _CELLS, "foundations": _FOUNDATIONS, "founds": _FOUNDATIONS}
_FOUNDATION = re.compile(r"([CDHS])-(0|10|[1-9ATJQK])", re.IGNORECASE | re.ASCII)
_QUOTED = 20
_SUIT_ORDER = "HCDS"  # the order in which fc-solve prints the foundations


class _Line(NamedTuple):
    """One line of the text: its number (the first is 1), what it tells of, its words."""

    number: int
    kind: str
    words: list[str]

    def error(self, message: str) -> ValueError:
        return ValueError(f"line {self.number}: {message}")


def format_board(board: Board) -> str:
    """Write a board as ten lines of text; empty cells are left out, so the cards in cells close up."""
    counts = zip(_SUIT_ORDER, (board.foundations[SUITS.index(name)] for name in _SUIT_ORDER), strict=True)
    foundations = " ".join(f"{name}-{'0' if count == 0 else RANKS[count - 1]}" for name, count in counts)
    piles = [f"{_CELLS}: {_format_cards(board.cells)}", *(f": {_format_cards(column)}" for column in board.columns)]
    return "".join(f"{line.rstrip()}\n" for line in (f"{_FOUNDATIONS}: {foundations}", *piles))


def _format_cards(cards: tuple[int, ...]) -> str:
    return " ".join(format_card(card) for card in cards)


def parse_board(text: str, cells: int) -> Board:
    """Read a board from text; the 52 cards of a deck lie in its columns, cells and foundations, each once.

    Raises:
        ValueError: the text is no board with that number of cells; the message names the line and what is wrong in it.
    """
    lines = [_read_line(number, content) for number, content in _content(text)]
    column_lines = _column_lines(lines)
    deck = _Deck()
    foundations = deck.take_foundations(_only(lines, _FOUNDATIONS))
    in_cells = deck.take_cells(_only(lines, _CELLS), cells)
    columns = [deck.take(line, line.words) for line in column_lines]
    deck.check_complete(lines[-1] if lines else _Line(1, _BLANK, []))
    columns += [()] * (FREECELL_COLUMNS - len(columns))
    return Board(tuple(columns), in_cells, foundations)


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
        raise ValueError(f"line {number}: {heading[:_QUOTED]!r} is no heading (Freecells, FC, Foundations or Founds)")
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
    if len(columns) > FREECELL_COLUMNS:
        columns = [line for line in columns if line.kind != _BLANK]
    if len(columns) > FREECELL_COLUMNS:
        ninth = columns[FREECELL_COLUMNS]
        raise ninth.error(
            f"{' '.join(ninth.words)[:_QUOTED]!r} starts a column too many ({FREECELL_COLUMNS} are played)"
        )
    return columns


class _Deck:
    """Notes where in the text each card stood."""

    def __init__(self) -> None:
        self.places: dict[int, str] = {}

    def take(self, line: _Line, words: list[str]) -> tuple[int, ...]:
        """Read the cards of a pile."""
        cards = tuple(_read_card(line, word) for word in words)
        for card, word in zip(cards, words, strict=True):
            if card in self.places:
                raise line.error(f"{word!r} stands twice ({self.places[card]})")
            self.places[card] = f"line {line.number} has it too"
        return cards

    def take_cells(self, line: _Line | None, cells: int) -> tuple[int, ...]:
        """Read the cards in cells."""
        if line is None:
            return ()
        words = [word for word in line.words if word != "-"]
        if len(words) > cells:
            raise line.error(f"{words[cells][:_QUOTED]!r} is a card too many in cells ({cells} cells are played)")
        return self.take(line, words)

    def take_foundations(self, line: _Line | None) -> tuple[int, int, int, int]:
        """Read how many cards of each suit are home; suits left out have none."""
        counts: dict[str, int] = {}
        for word in () if line is None else line.words:
            assert line is not None
            match = _FOUNDATION.fullmatch(word)
            if match is None:
                raise line.error(
                    f"{word[:_QUOTED]!r} is no foundation (C D H S, a dash, then 0 A 2-10 T J Q K: H-0 C-A)"
                )
            name = match[1].upper()
            if name in counts:
                raise line.error(f"{word!r} is a second foundation of {name}")
            counts[name] = 0 if match[2] == "0" else rank(_read_card(line, match[2] + name)) + 1
            for card_rank in range(counts[name]):
                self.places[4 * card_rank + SUITS.index(name)] = f"line {line.number} has it home, {word}"
        return counts.get("C", 0), counts.get("D", 0), counts.get("H", 0), counts.get("S", 0)

    def check_complete(self, last: _Line) -> None:
        """Raise if a card of the deck is nowhere."""
        missing = sorted(set(range(DECK_SIZE)) - set(self.places), key=lambda card: (suit(card), rank(card)))
        if missing:
            noun = "card is" if len(missing) == 1 else "cards are"
            raise last.error(f"the board ends, and {len(missing)} {noun} missing: {_format_cards(tuple(missing))}")


def _read_card(line: _Line, word: str) -> int:
    """Read a card; an ace may be a ``1``, which fc-solve accepts too."""
    is_one = word.startswith("1") and not word.startswith("10")
    try:
        return parse_card("A" + word[1:] if is_one else word)
    except ValueError:
        raise line.error(f"{word[:_QUOTED]!r} is no card (a rank A 2-10 T J Q K, then a suit C D H S)") from None
