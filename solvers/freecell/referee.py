"""The referee: FreeCell's rules once more in plain Python, to replay what the fast search claims.

It imports the cards and the deals alone and shares no code with the fast rules, so that no bug is in both.

A solution is its moves one after another, each ``<from><to>``, with ``v<count>`` behind it where a run of more than one
card goes into an empty column:

* from: a column ``1`` to ``8`` or a cell ``a`` to ``d``; to: a column, a cell or ``h`` (home, the foundation);
* columns keep their number when they run empty; the cards of a board's cells lie in ``a``, ``b``, … in order;
* count: one hexadecimal digit, ``2`` to ``d`` (13 cards, king to ace, are the longest run). Onto a card only one length
  of run fits, so none is written;
* autoplay after the deal and after each move is neither written nor counted. Each written move counts one.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from solvers.cards import DECK_SIZE, format_card, is_red, rank, suit
from solvers.deals import Board

CELL_NAMES = "abcd"
COLUMN_NAMES = "12345678"
HOME = "h"
_MOVE = re.compile(r"([1-8a-d])([1-8a-dh])(?:v([2-9a-d]))?")
_SHOWN = 12


class RefereeError(ValueError):
    """A solution that does not win by the rules; the message names the move and what is wrong with it."""


class Move(NamedTuple):
    """One move: places as in the solution text, ``cards`` is the count where it is written."""

    source: str
    target: str
    cards: int | None = None

    def __str__(self) -> str:
        """Return the move as the solution text has it."""
        return self.source + self.target + ("" if self.cards is None else f"v{self.cards:x}")


def fits_column(card: int, parent: int) -> bool:
    """Tell whether a card may lie on another one: one rank lower, of the other colour."""
    return rank(card) + 1 == rank(parent) and is_red(card) != is_red(parent)


def is_safe(card: int, foundations: list[int]) -> bool:
    """Tell whether autoplay takes a card that fits its foundation: its going up never changes what can be won.

    Aces and twos are safe. So is a card when both foundations of the other colour are up to its rank - 1, or up to its
    rank - 2 with the other foundation of its own colour up to its rank - 3 (ranks counted from ace = 1).
    """
    number = rank(card) + 1
    other_colour = min(foundations[s] for s in range(4) if is_red(s) != is_red(card))
    twin = min(foundations[s] for s in range(4) if is_red(s) == is_red(card) and s != suit(card))
    return number <= 2 or other_colour >= number - 1 or (other_colour >= number - 2 and twin >= number - 3)


class Position:
    """A game in progress, changed by :meth:`play` and :meth:`autoplay`.

    Attributes:
        columns: eight lists of cards, bottom to top.
        cells: one entry a cell, a card or ``None``.
        foundations: the number of cards home for clubs, diamonds, hearts, spades.
    """

    def __init__(self, board: Board, cells: int) -> None:
        """Set up a board with a number of cells.

        Raises:
            ValueError: the board's cells hold more cards than there are cells, or there are more than four.
        """
        if not len(board.cells) <= cells <= len(CELL_NAMES):
            raise ValueError(f"{cells} cells for a board with {len(board.cells)} cards in cells (0 to 4 are played)")
        self.columns = [list(column) for column in board.columns]
        self.cells: list[int | None] = [*board.cells, *[None] * (cells - len(board.cells))]
        self.foundations = list(board.foundations)

    def board(self) -> Board:
        """Return the position as a board; empty cells go, so the cards in cells close up."""
        clubs, diamonds, hearts, spades = self.foundations
        cells = tuple(card for card in self.cells if card is not None)
        return Board(tuple(tuple(column) for column in self.columns), cells, (clubs, diamonds, hearts, spades))

    def copy(self) -> "Position":
        """Return an independent copy, every card in its place."""
        twin = Position(Board(tuple(tuple(column) for column in self.columns)), len(self.cells))
        twin.cells = list(self.cells)
        twin.foundations = list(self.foundations)
        return twin

    def is_won(self) -> bool:
        """Tell whether all cards are home."""
        return sum(self.foundations) == DECK_SIZE

    def top(self, place: str) -> int | None:
        """Return the card that is free to move at a column or cell, ``None`` if it is empty or not in play."""
        if place in COLUMN_NAMES:
            column = self.columns[COLUMN_NAMES.index(place)]
            return column[-1] if column else None
        index = CELL_NAMES.index(place)
        return self.cells[index] if index < len(self.cells) else None

    def fits_home(self, card: int) -> bool:
        """Tell whether a card is the next one of its foundation."""
        return self.foundations[suit(card)] == rank(card)

    def autoplay(self) -> list[Move]:
        """Send every safe card home, again and again; return the moves in the order in which they were made."""
        made: list[Move] = []
        while (move := self._safe_move()) is not None:
            self._take_home(move.source)
            made.append(move)
        return made

    def _safe_move(self) -> Move | None:
        for place in COLUMN_NAMES + CELL_NAMES:
            card = self.top(place)
            if card is not None and self.fits_home(card) and is_safe(card, self.foundations):
                return Move(place, HOME)
        return None

    def play(self, move: Move) -> None:
        """Make a move (autoplay is not part of it).

        Raises:
            RefereeError: the move is illegal; nothing was changed.
        """
        card = self.top(move.source)
        if card is None:
            raise RefereeError(f"there is no card in {_name(move.source)}")
        if move.cards is not None and (move.target not in COLUMN_NAMES or self.top(move.target) is not None):
            raise RefereeError("a count of cards belongs to a run that goes into an empty column")
        if move.target == HOME:
            self._play_home(move.source, card)
        elif move.target in CELL_NAMES:
            self._play_to_cell(move, card)
        else:
            self._play_to_column(move, card)

    def _play_home(self, source: str, card: int) -> None:
        if not self.fits_home(card):
            next_card = 4 * self.foundations[suit(card)] + suit(card)
            raise RefereeError(f"{format_card(card)} does not go home before {format_card(next_card)}")
        self._take_home(source)

    def _play_to_cell(self, move: Move, card: int) -> None:
        index = CELL_NAMES.index(move.target)
        if move.source in CELL_NAMES:
            raise RefereeError("a card in a cell goes to a column or home")
        if index >= len(self.cells):
            raise RefereeError(f"there is no {_name(move.target)} in a game of {len(self.cells)} cells")
        held = self.cells[index]
        if held is not None:
            raise RefereeError(f"{_name(move.target)} holds {format_card(held)}")
        self.cells[index] = card
        self._remove(move.source, 1)

    def _play_to_column(self, move: Move, card: int) -> None:
        if move.source == move.target:
            raise RefereeError("a column does not move onto itself")
        run = [card] if move.source in CELL_NAMES else _run(self.columns[COLUMN_NAMES.index(move.source)])
        count = (move.cards or 1) if self.top(move.target) is None else self._fitting_count(run, move.target)
        if count > len(run):
            raise RefereeError(f"the run of {_name(move.source)} has length {len(run)}, not {count}")
        if count > self.run_limit(move.target):
            raise RefereeError(
                f"{count} cards are too many to move at once: the limit is {self.run_limit(move.target)}"
            )
        self._remove(move.source, count)
        self.columns[COLUMN_NAMES.index(move.target)] += run[-count:]

    def _fitting_count(self, run: list[int], target: str) -> int:
        parent = self.columns[COLUMN_NAMES.index(target)][-1]
        for count, card in enumerate(reversed(run), start=1):
            if fits_column(card, parent):
                return count
        cards = " ".join(format_card(card) for card in run)
        raise RefereeError(f"no card of {cards} goes onto {format_card(parent)}")

    def run_limit(self, target: str) -> int:
        """Return how many cards may go onto a column at once: (empty cells + 1) * 2**(empty columns, target aside)."""
        empty = sum(not column for column in self.columns) - (self.top(target) is None)
        return int((self.cells.count(None) + 1) * 2**empty)

    def _take_home(self, source: str) -> None:
        self.foundations[suit(self._remove(source, 1))] += 1

    def _remove(self, source: str, count: int) -> int:
        """Take cards off a place and return the lowest of them."""
        if source in COLUMN_NAMES:
            column = self.columns[COLUMN_NAMES.index(source)]
            lowest = column[-count]
            del column[-count:]
            return lowest
        index = CELL_NAMES.index(source)
        card = self.cells[index]
        assert card is not None
        self.cells[index] = None
        return card

    def single_moves(self) -> Iterator[Move]:
        """Yield the single-card moves as :func:`perft` counts them."""
        empty_columns = [name for name in COLUMN_NAMES if self.top(name) is None]
        empty_cells = [name for name in CELL_NAMES[: len(self.cells)] if self.top(name) is None]
        for source in COLUMN_NAMES + CELL_NAMES:
            card = self.top(source)
            if card is None:
                continue
            if self.fits_home(card):
                yield Move(source, HOME)
            for target in COLUMN_NAMES:
                parent = self.top(target)
                if parent is not None and fits_column(card, parent):
                    yield Move(source, target)
            is_lone = source in COLUMN_NAMES and len(self.columns[COLUMN_NAMES.index(source)]) == 1
            if empty_columns and not is_lone:
                yield Move(source, empty_columns[0])
            if empty_cells and source in COLUMN_NAMES:
                yield Move(source, empty_cells[0])


def parse_moves(solution: str) -> list[Move]:
    """Cut a solution text into its moves.

    Raises:
        RefereeError: something in the text is no move.
    """
    moves: list[Move] = []
    at = 0
    while at < len(solution):
        match = _MOVE.match(solution, at)
        if match is None:
            raise RefereeError(f"move {len(moves) + 1}: {solution[at : at + _SHOWN]!r} does not start with a move")
        source, target, count = match.groups()
        moves.append(Move(source, target, None if count is None else int(count, 16)))
        at = match.end()
    return moves


def replay(board: Board, cells: int, solution: str) -> int:
    """Replay a solution from a board; return its number of moves.

    Raises:
        RefereeError: a move is illegal, or the game is not won after the last; names the move (the first is 1).
        ValueError: the board does not fit the number of cells.
    """
    position = Position(board, cells)
    position.autoplay()
    moves = parse_moves(solution)
    for index, move in enumerate(moves, start=1):
        try:
            position.play(move)
        except RefereeError as error:
            raise RefereeError(f"move {index} ({move}): {error}") from None
        position.autoplay()
    if not position.is_won():
        left = DECK_SIZE - sum(position.foundations)
        raise RefereeError(f"the solution ends with {left} cards not home")
    return len(moves)


def perft(board: Board, cells: int, depth: int) -> int:
    """Count the sequences of ``depth`` single-card moves from a board, autoplay following the deal and each move.

    Sources are the eight columns and the occupied cells, each a place of its own. A card may go onto each column whose
    top card takes it, home (by hand, if it fits), into an empty column and from a column into an empty cell; all empty
    columns count as one target, and so do all empty cells. The only card of a column does not go into an empty column.
    A won position has no moves; at depth 0 the count is 1.
    """
    position = Position(board, cells)
    position.autoplay()
    return _count_lines(position, depth)


def divide(board: Board, cells: int, depth: int) -> dict[str, int]:
    """Split :func:`perft` by first move, to find where two counts part (``depth`` at least 1)."""
    position = Position(board, cells)
    position.autoplay()
    return {str(move): _count_lines(_after(position, move), depth - 1) for move in position.single_moves()}


def _count_lines(position: Position, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(_count_lines(_after(position, move), depth - 1) for move in position.single_moves())


def _after(position: Position, move: Move) -> Position:
    following = position.copy()
    following.play(move)
    following.autoplay()
    return following


def _run(column: list[int]) -> list[int]:
    """Return the longest sequence at the top of a non-empty column, lowest card first."""
    start = len(column) - 1
    while start > 0 and fits_column(column[start], column[start - 1]):
        start -= 1
    return column[start:]


def _name(place: str) -> str:
    return f"column {place}" if place in COLUMN_NAMES else f"cell {place}"
