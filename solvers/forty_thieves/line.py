"""From the positions on a winning path to the moves as a player makes them."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from solvers.forty_thieves.deals import PASSES, Board, Rules
from solvers.forty_thieves.rules import (
    COUNT_MASK,
    EMPTY,
    FROM_STOCK,
    FROM_WASTE,
    KEY_WORDS,
    MAX_MOVES,
    REDEAL,
    RUN_CODES,
    SOURCE_SHIFT,
    TABLE,
    TARGET_MASK,
    TARGET_SHIFT,
    TO_HOME,
    WORDS,
    card_moves,
    longest_moves,
    send_home,
    settle,
    stock_move,
    take,
    take_waste,
    turn,
    unsorted,
    waste_top,
)

Key = tuple[int, ...]
_COLUMN_NAMES = "1234567890"


def shortest_line(deal: np.void, path: NDArray[np.uint64], rules: Rules) -> list[int]:
    """Return the fewest moves that lead from the first to the last position of a path without leaving its positions.

    Args:
        deal: the ``DEAL`` record.
        path: ``uint64[n, 4]`` the words of the positions from the deal to the win, each one move after the last.
        rules: the set of rules.
    """
    positions = [tuple(words) for words in path[:, :KEY_WORDS].tolist()]
    places = {key: index for index, key in enumerate(positions)}
    came_from: dict[Key, tuple[Key, int]] = {}
    waiting = deque(positions[:1])
    here, there = np.zeros(2, dtype=TABLE)
    successors = np.empty((MAX_MOVES, WORDS), dtype=np.uint64)
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    longest, passes = longest_moves(rules), PASSES[rules]
    while positions[-1] not in came_from:
        before = waiting.popleft()
        at = places[before]
        count = card_moves(deal, path, at, longest, here, there, successors, moves)
        count = stock_move(deal, path, at, passes, there, successors, moves, count)
        for words, move in zip(successors[:count, :KEY_WORDS].tolist(), moves[:count].tolist(), strict=True):
            key = tuple(words)
            if key in places and key not in came_from and key != positions[0]:
                came_from[key] = (before, move)
                waiting.append(key)
    line = []
    key = positions[-1]
    while key != positions[0]:
        key, move = came_from[key]
        line.append(move)
    return line[::-1]


def write_line(board: Board, line: list[int]) -> str:
    """Return the moves as the solution text that :mod:`solvers.forty_thieves.referee` defines.

    Cards go to the first empty column, and of equal columns the first one moves.
    """
    deal, table = unsorted(board)
    settle(deal, table)
    return "".join(_play(deal, table, move) for move in line)


def _play(deal: np.void, table: np.void, move: int) -> str:
    """Make one move, with autoplay after it, and return its text."""
    source, target, cards = move >> SOURCE_SHIFT, move >> TARGET_SHIFT & TARGET_MASK, move & COUNT_MASK
    if source in (FROM_STOCK, REDEAL):
        turn(table)
        text = "t" if source == FROM_STOCK else "r"
    else:
        text = _move_cards(deal, table, source, target, cards)
    settle(deal, table)
    return text


def _move_cards(deal: np.void, table: np.void, source: int, target: int, cards: int) -> str:
    columns = table["columns"]
    codes = columns.tolist()
    column = None if source == FROM_WASTE else codes.index(source)
    card = int(waste_top(deal, table) if column is None else deal["top"][source])
    if column is None:
        take_waste(deal, table)
    else:
        take(deal, table, column, cards)
    text = "w" if column is None else _COLUMN_NAMES[column]
    if target == TO_HOME:
        send_home(table, card)
        return text + "h"
    onto = codes.index(target)
    columns[onto] = RUN_CODES[card + 4 * (cards - 1)] + cards - 1 if target == EMPTY else target + cards
    return text + _COLUMN_NAMES[onto] + (f"v{cards:x}" if target == EMPTY and cards > 1 else "")
