"""The referee: Forty Thieves' rules once more in plain Python, to replay what the fast search claims.

It imports the cards and the deals alone and shares no code with the fast rules, so that no bug is in both.

A solution is its moves one after another:

* ``t`` turns a card of the stock onto the waste, ``r`` turns the waste over (Relaxed, once, when the stock is empty);
* ``<from><to>`` moves cards, with ``v<count>`` behind it where a run of more than one goes into an empty column. From:
  a column ``1`` to ``9``, the tenth is ``0``, or the waste ``w``; to: a column or ``h`` (home, a foundation);
* columns keep their number when they run empty;
* count: one hexadecimal digit, ``2`` to ``d`` (13 cards, king to ace, are the longest run). Onto a card only one length
  of run fits, so none is written;
* autoplay after the deal and after each move is neither written nor counted. Each written move counts one.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from solvers.cards import SUITS, format_card, rank, suit
from solvers.forty_thieves.deals import CARDS, COLUMNS, FOUNDATIONS, PASSES, Board, Rules

COLUMN_NAMES = "1234567890"
WASTE = "w"
HOME = "h"
TURN = "t"
REDEAL = "r"
_MOVE = re.compile(r"([tr])|([0-9w])([0-9h])(?:v([2-9a-d]))?")
_SHOWN = 12

# Positions are equal if columns, waste, stock, foundations and pass are; columns have no order, nor has a suit's pair.
PositionKey = tuple[tuple[tuple[int, ...], ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], int]


class RefereeError(ValueError):
    """A solution that does not win by the rules; the message names the move and what is wrong with it."""


class Move(NamedTuple):
    """One move: places as in the solution text (no target for ``t`` and ``r``), ``cards`` the count where written."""

    source: str
    target: str = ""
    cards: int | None = None

    def __str__(self) -> str:
        """Return the move as the solution text has it."""
        return self.source + self.target + ("" if self.cards is None else f"v{self.cards:x}")


def fits_column(card: int, parent: int) -> bool:
    """Tell whether a card may lie on another one: one rank lower, of the same suit."""
    return rank(card) + 1 == rank(parent) and suit(card) == suit(parent)


class Position:
    """A game in progress, changed by :meth:`play` and :meth:`autoplay`.

    Attributes:
        rules: the set of rules.
        columns: lists of cards, bottom to top.
        waste: cards, bottom to top.
        stock: cards, the next one to be turned first.
        foundations: the number of cards on each of the eight piles, as in :class:`Board`.
        pass_number: which time the stock is gone through.
    """

    def __init__(self, board: Board, rules: Rules) -> None:
        """Set up a board.

        Raises:
            ValueError: the board has more than ten columns, not eight foundations, or a pass that the rules don't have.
        """
        if len(board.columns) > COLUMNS or len(board.foundations) != FOUNDATIONS:
            raise ValueError(
                f"{len(board.columns)} columns and {len(board.foundations)} foundations (10 and 8 are played)"
            )
        if not 1 <= board.pass_number <= PASSES[rules]:
            raise ValueError(f"pass {board.pass_number} (under {rules} rules the last one is {PASSES[rules]})")
        self.rules = rules
        self.columns = [list(column) for column in board.columns]
        self.waste = list(board.waste)
        self.stock = list(board.stock)
        self.foundations = list(board.foundations)
        self.pass_number = board.pass_number

    def board(self) -> Board:
        """Return the position as a board."""
        columns = tuple(map(tuple, self.columns))
        return Board(columns, tuple(self.waste), tuple(self.stock), tuple(self.foundations), self.pass_number)

    def copy(self) -> "Position":
        """Return an independent copy."""
        return Position(self.board(), self.rules)

    def key(self) -> PositionKey:
        """Return what makes two positions the same: columns unordered, and the two foundations of each suit."""
        columns, waste, stock, piles, pass_number = self.board()
        pairs = (sorted(piles[first : first + 2]) for first in range(0, FOUNDATIONS, 2))
        return tuple(sorted(columns)), waste, stock, tuple(height for pair in pairs for height in pair), pass_number

    def is_won(self) -> bool:
        """Tell whether all cards are home."""
        return sum(self.foundations) == CARDS

    def pile(self, place: str) -> list[int]:
        """Return the cards of a column or of the waste.

        Raises:
            RefereeError: there is no such column.
        """
        if place == WASTE:
            return self.waste
        index = COLUMN_NAMES.index(place)
        if index >= len(self.columns):
            raise RefereeError(f"there is no column {place} in a game of {len(self.columns)}")
        return self.columns[index]

    def _foundation_for(self, card: int) -> int | None:
        """Return the index of the foundation that a card fits."""
        pair = (2 * suit(card), 2 * suit(card) + 1)
        return next((index for index in pair if self.foundations[index] == rank(card)), None)

    def is_safe(self, card: int) -> bool:
        """Tell whether autoplay takes a card: both foundations of its suit are up to its rank - 1, or beyond.

        Then nothing that is not home can lie on it.
        """
        heights = self.foundations[2 * suit(card) : 2 * suit(card) + 2]
        return min(heights) == rank(card)

    def autoplay(self) -> list[Move]:
        """Send every safe card home, again and again; return the moves in the order in which they were made."""
        made: list[Move] = []
        while (move := self._safe_move()) is not None:
            self._play_home(self.pile(move.source))
            made.append(move)
        return made

    def _safe_move(self) -> Move | None:
        for place in self._sources():
            if self.is_safe(self.pile(place)[-1]):
                return Move(place, HOME)
        return None

    def _sources(self) -> list[str]:
        """Return the places from which a card may move."""
        return [place for place in COLUMN_NAMES[: len(self.columns)] + WASTE if self.pile(place)]

    def play(self, move: Move) -> None:
        """Make a move (autoplay is not part of it).

        Raises:
            RefereeError: the move is illegal; nothing was changed.
        """
        if move.source == TURN:
            self._turn()
        elif move.source == REDEAL:
            self._redeal()
        else:
            pile = self.pile(move.source)
            if not pile:
                raise RefereeError(f"there is no card in {_name(move.source)}")
            if move.target == HOME:
                self._play_home(pile)
            else:
                self._play_to_column(move, pile)

    def _turn(self) -> None:
        if not self.stock:
            raise RefereeError("there is no card in the stock")
        self.waste.append(self.stock.pop(0))

    def _redeal(self) -> None:
        if self.pass_number == PASSES[self.rules]:
            raise RefereeError(f"the waste is not turned over again in pass {self.pass_number} of {self.rules} rules")
        if self.stock:
            raise RefereeError(f"the waste is not turned over while {len(self.stock)} cards are in the stock")
        if not self.waste:
            raise RefereeError("there is no card in the waste")
        self.stock, self.waste = self.waste, []
        self.pass_number += 1

    def _play_home(self, pile: list[int]) -> None:
        card = pile[-1]
        index = self._foundation_for(card)
        if index is None:
            heights = self.foundations[2 * suit(card) : 2 * suit(card) + 2]
            raise RefereeError(
                f"{format_card(card)} does not go home: the foundations of {SUITS[suit(card)]} have {heights[0]} and"
                f" {heights[1]} cards"
            )
        self.foundations[index] += 1
        pile.pop()

    def _play_to_column(self, move: Move, pile: list[int]) -> None:
        target = self.pile(move.target)
        if target is pile:
            raise RefereeError("a column does not move onto itself")
        if move.cards is not None and target:
            raise RefereeError("a count of cards belongs to a run that goes into an empty column")
        run = pile[-1:] if move.source == WASTE else _run(pile)
        count = _fitting_count(run, target[-1]) if target else (move.cards or 1)
        if count > len(run):
            raise RefereeError(f"the run of {_name(move.source)} has length {len(run)}, not {count}")
        if count > self.run_limit(move.target):
            raise RefereeError(
                f"{count} cards are too many to move at once: the limit is {self.run_limit(move.target)}"
            )
        target += run[-count:]
        del pile[-count:]

    def run_limit(self, target: str) -> int:
        """Return how many cards may go to a column at once: Classic 2**(empty columns, target aside), Relaxed any."""
        if self.rules == Rules.RELAXED:
            return CARDS
        empty = sum(not column for column in self.columns) - (not self.pile(target))
        return int(2**empty)

    def moves(self) -> Iterator[Move]:
        """Yield the legal moves; empty columns are alike, and a whole column does not go into one."""
        if self.stock:
            yield Move(TURN)
        elif self.waste and self.pass_number < PASSES[self.rules]:
            yield Move(REDEAL)
        for source in self._sources():
            pile = self.pile(source)
            run = pile[-1:] if source == WASTE else _run(pile)
            if self._foundation_for(run[-1]) is not None:
                yield Move(source, HOME)
            longest = len(run) - (source != WASTE and len(run) == len(pile))
            yield from self._moves_to_columns(source, run, longest)

    def _moves_to_columns(self, source: str, run: list[int], longest: int) -> Iterator[Move]:
        """Yield a run's moves onto columns, and those of up to ``longest`` cards into the first empty one."""
        is_any_empty = False
        for target in COLUMN_NAMES[: len(self.columns)]:
            pile = self.pile(target)
            limit = self.run_limit(target)
            if not pile and not is_any_empty:
                is_any_empty = True
                for count in range(1, min(longest, limit) + 1):
                    yield Move(source, target, count if count > 1 else None)
            elif pile and any(fits_column(card, pile[-1]) for card in run[-limit:]):
                yield Move(source, target)


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
        stock, source, target, count = match.groups()
        moves.append(Move(stock) if stock else Move(source, target, None if count is None else int(count, 16)))
        at = match.end()
    return moves


def replay(board: Board, rules: Rules, solution: str) -> int:
    """Replay a solution from a board; return its number of moves.

    Raises:
        RefereeError: a move is illegal, or the game is not won after the last; names the move (the first is 1).
        ValueError: the board does not fit the rules.
    """
    position = Position(board, rules)
    position.autoplay()
    moves = parse_moves(solution)
    for index, move in enumerate(moves, start=1):
        try:
            position.play(move)
        except RefereeError as error:
            raise RefereeError(f"move {index} ({move}): {error}") from None
        position.autoplay()
    if not position.is_won():
        left = CARDS - sum(position.foundations)
        raise RefereeError(f"the solution ends with {left} cards not home")
    return len(moves)


def perft(board: Board, rules: Rules, depth: int) -> int:
    """Count the lines of ``depth`` moves from a board, autoplay following the deal and each move.

    Moves that lead to the same position (:meth:`Position.key`) count once. A won position has no moves; at depth 0 the
    count is 1.
    """
    position = Position(board, rules)
    position.autoplay()
    return _count_lines(position, depth)


def divide(board: Board, rules: Rules, depth: int) -> dict[str, int]:
    """Split :func:`perft` by first move, to find where two counts part (``depth`` at least 1)."""
    position = Position(board, rules)
    position.autoplay()
    return {str(move): _count_lines(following, depth - 1) for move, following in successors(position).values()}


def successors(position: Position) -> dict[PositionKey, tuple[Move, Position]]:
    """Return the positions that one move and autoplay lead to, each with the first move that does."""
    found: dict[PositionKey, tuple[Move, Position]] = {}
    for move in position.moves():
        following = position.copy()
        following.play(move)
        following.autoplay()
        found.setdefault(following.key(), (move, following))
    return found


def _count_lines(position: Position, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(_count_lines(following, depth - 1) for _, following in successors(position).values())


def _fitting_count(run: list[int], parent: int) -> int:
    for count, card in enumerate(reversed(run), start=1):
        if fits_column(card, parent):
            return count
    cards = " ".join(map(format_card, run))
    raise RefereeError(f"no card of {cards} goes onto {format_card(parent)}")


def _run(column: list[int]) -> list[int]:
    """Return the longest run at the top of a non-empty column, lowest card first."""
    start = len(column) - 1
    while start > 0 and fits_column(column[start], column[start - 1]):
        start -= 1
    return column[start:]


def _name(place: str) -> str:
    return "the waste" if place == WASTE else f"column {place}"
