"""From the positions on a winning path to the moves as a player makes them."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from solvers.deals import Board
from solvers.freecell.rules import (
    AT_BOTTOM,
    HOME,
    IN_CELL,
    MAX_MOVES,
    ON_A,
    autoplayed,
    run_moves,
    single_moves,
)

Key = tuple[int, int]
_CELLS = "abcd"


def shortest_line(deal: np.void, path: NDArray[np.uint64], cells: int) -> list[tuple[int, int]]:
    """Return the fewest moves that lead from the first to the last position of a path without leaving its positions.

    Args:
        deal: the ``DEAL`` record.
        path: ``uint64[n, 2]`` the words of the positions from the deal to the win, each one move after the last.
        cells: how many cells the game has.

    Returns:
        For each move the card (of a run, the bottom one) and the kind of place it goes to.
    """
    positions: list[Key] = [(int(word0), int(word1)) for word0, word1 in path]
    allowed = set(positions)
    came_from: dict[Key, tuple[Key, int]] = {}
    successors = np.empty((MAX_MOVES, 2), dtype=np.uint64)
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    waiting = deque(positions[:1])
    while positions[-1] not in came_from:
        here = waiting.popleft()
        words = np.uint64(here[0]), np.uint64(here[1])
        count = single_moves(deal, *words, cells, successors, moves)
        count = run_moves(deal, *words, cells, successors, moves, count)
        for (word0, word1), move in zip(successors[:count].tolist(), moves[:count].tolist(), strict=True):
            there = (word0, word1)
            if there in allowed and there not in came_from:
                came_from[there] = (here, move)
                waiting.append(there)
    line = []
    here = positions[-1]
    while here != positions[0]:
        here, move = came_from[here]
        line.append(divmod(move, 8))
    return line[::-1]


def write_line(board: Board, cells: int, line: list[tuple[int, int]]) -> str:
    """Return the moves as the solution text that :mod:`solvers.freecell.referee` defines.

    Cards go to the first empty cell and to the first empty column.
    """
    table = _Table(board, cells)
    return "".join(table.move(card, place) for card, place in line)


class _Table:
    """The board in its columns and cells, each in its place."""

    def __init__(self, board: Board, cells: int) -> None:
        self.cells: list[int | None] = [*board.cells, *[None] * (cells - len(board.cells))]
        self.columns = [list(column) for column in board.columns]
        self.foundations = board.foundations
        self._autoplay()

    def move(self, card: int, place: int) -> str:
        """Make one move and return its text."""
        source, run = self._take(card)
        if place == IN_CELL:
            target = self.cells.index(None)
            self.cells[target] = card
            text = source + _CELLS[target]
        elif place == HOME:
            home = list(self.foundations)
            home[card & 3] += 1
            self.foundations = (home[0], home[1], home[2], home[3])
            text = source + "h"
        else:
            target = self._column_for(card, place)
            self.columns[target].extend(run)
            text = source + str(target + 1) + (f"v{len(run):x}" if place == AT_BOTTOM and len(run) > 1 else "")
        self._autoplay()
        return text

    def _take(self, card: int) -> tuple[str, list[int]]:
        if card in self.cells:
            cell = self.cells.index(card)
            self.cells[cell] = None
            return _CELLS[cell], [card]
        number, column = next((n, column) for n, column in enumerate(self.columns, 1) if card in column)
        start = column.index(card)
        run = column[start:]
        del column[start:]
        return str(number), run

    def _column_for(self, card: int, place: int) -> int:
        if place == AT_BOTTOM:
            return self.columns.index([])
        parent = (card + 4) ^ (1 if place == ON_A else 2)
        return next(n for n, column in enumerate(self.columns) if column and column[-1] == parent)

    def _autoplay(self) -> None:
        loose = tuple(card for card in self.cells if card is not None)
        after = autoplayed(Board(tuple(map(tuple, self.columns)), loose, self.foundations))
        self.columns = [list(column) for column in after.columns]
        self.cells = [card if card in after.cells else None for card in self.cells]
        self.foundations = after.foundations
