"""What the two words of a position mean, read in plain Python as the layout in the fast rules says."""

from collections.abc import Iterator

import numpy as np
import plain
from boards import Game

from solvers.deals import Board
from solvers.freecell import rules
from solvers.freecell.referee import COLUMN_NAMES, Move, Position, RefereeError

NONE: tuple[tuple[int, ...], ...] = ((),) * 8
Words = tuple[int, int]

# The layout as the module's docstring draws it, written down once more: word and lowest bit of each column's depth.
DEPTH_FIELDS = ((0, 0), (0, 52), (0, 56), (0, 60), (1, 0), (1, 52), (1, 56), (1, 60))


def card(name: str) -> int:
    return 4 * "A23456789TJQK".index(name[0]) + "CDHS".index(name[1])


def cards(names: str) -> tuple[int, ...]:
    return tuple(card(name) for name in names.split())


def board_of(*columns: str, cells: str = "", foundations: tuple[int, int, int, int] = (0, 0, 0, 0)) -> Board:
    return Board((*map(cards, columns), *NONE[len(columns) :]), cards(cells), foundations)


# Jacks to kings, the jacks buried: KH and the queens of clubs and hearts count as moved.
LATE = board_of("JC KC QH", "JD KD QC", "JH JS KS", "KH", cells="QD QS", foundations=(10, 10, 10, 10))


def depths(words: Words) -> list[int]:
    return [words[word] >> shift & 15 for word, shift in DEPTH_FIELDS]


def physical(board: Board) -> plain.State:
    """Return the form in which equal positions are equal: the order of columns and cells does not matter."""
    return tuple(sorted(board.columns)), tuple(sorted(board.cells)), board.foundations


def is_break(column: tuple[int, ...], place: int) -> bool:
    """Tell whether a dealt card cannot have moved to where it lies."""
    here = column[place]
    return here < 4 or (place > 0 and not plain.is_taken(here, column[:place]))


def decode(dealt: Board, words: Words) -> plain.State:
    """Return the position that two words mean on a deal (after autoplay), read as the layout says."""
    columns = []
    for column, depth in zip(dealt.columns, depths(words), strict=True):
        breaks = [place for place in range(len(column)) if is_break(column, place)]
        columns.append(list(column[: breaks[depth - 1] + 1]) if depth else [])
    kept = {card for column in columns for card in column}
    codes = [words[0] >> c & 1 | (words[1] >> c & 1) << 1 for c in range(52)]
    home = [_height(suit, kept, codes) for suit in range(4)]
    cells = []
    for c in reversed(range(52)):
        if c in kept or c >> 2 < home[c & 3]:
            continue
        if codes[c] == 2:
            cells.append(c)
        elif codes[c] == 3:
            columns.append([c])
        else:
            parent = (c + 4) ^ (1 if codes[c] == 0 else 2)
            next(column for column in columns if column and column[-1] == parent).append(c)
    columns = [column for column in columns if column]
    assert len(columns) <= 8
    clubs, diamonds, hearts, spades = home
    padded = tuple(map(tuple, columns)) + ((),) * (8 - len(columns))
    return physical(Board(padded, tuple(cells), (clubs, diamonds, hearts, spades)))


def _height(suit: int, kept: set[int], codes: list[int]) -> int:
    if suit in kept:
        return 0
    if suit + 4 in kept:
        return 1
    return 1 + next(rank for rank in range(1, 13) if codes[4 * rank + suit])


class Fast:
    """The compiled rules on one deal, answering in physical positions."""

    def __init__(self, game: Game) -> None:
        self.cells = game.cells
        self.dealt = rules.autoplayed(game.board)
        self.deal, word0, word1 = rules.encode(game.board)
        self.first = int(word0), int(word1)
        self._successors = np.zeros((rules.MAX_MOVES, 2), np.uint64)
        self._moves = np.zeros(rules.MAX_MOVES, np.int64)

    def single_moves(self, words: Words) -> list[Words]:
        args = self.deal, np.uint64(words[0]), np.uint64(words[1]), self.cells, self._successors, self._moves
        return self._words(rules.single_moves(*args))

    def run_moves(self, words: Words) -> list[Words]:
        args = self.deal, np.uint64(words[0]), np.uint64(words[1]), self.cells, self._successors, self._moves
        return self._words(rules.run_moves(*args, 0))

    def positions(self, words: list[Words]) -> set[plain.State]:
        return {decode(self.dealt, each) for each in words}

    def _words(self, count: int) -> list[Words]:
        return [(word0, word1) for word0, word1 in self._successors[:count].tolist()]


def position_of(state: plain.State, cells: int) -> Position:
    return Position(Board(*state), cells)


def refereed(position: Position, moves: Iterator[Move]) -> set[plain.State]:
    """Return the positions that the referee reaches by those of the moves that it permits."""
    reached = set()
    for move in moves:
        following = position.copy()
        try:
            following.play(move)
        except RefereeError:
            continue
        following.autoplay()
        reached.add(physical(following.board()))
    return reached


def conceivable_runs(position: Position) -> Iterator[Move]:
    """Yield every move of two cards or more from column to column that can be written."""
    for source in COLUMN_NAMES:
        free = position.top(source)
        for target in COLUMN_NAMES:
            parent = position.top(target)
            if parent is None:
                yield from (Move(source, target, count) for count in range(2, 14))
            elif free is not None and not plain.is_taken(free, (parent,)):
                yield Move(source, target)
