"""perft for Forty Thieves: the number of lines of moves from a position, to each depth, by every set of rules there is.

A block of the file is a position (``deal N``, or a board as text), then ``rules NAME``, then ``lines`` with the counts
at depth 1, 2, …; a blank line ends it. What counts as a line is told at :func:`solvers.forty_thieves.referee.perft`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from thieves import empty_board

from solvers.forty_thieves import referee, rules
from solvers.forty_thieves.deals import Board, Rules, forty_thieves_deal
from solvers.forty_thieves.text import parse_board

COUNTERS: dict[str, Callable[[Board, Rules, int], int]] = {"referee": referee.perft, "fast": rules.perft}
PATH = Path(__file__).parent / "perft" / "forty_thieves.txt"


class Entry(NamedTuple):
    name: str
    board: Board
    rules: Rules
    lines: list[int]


def read_entries() -> Iterator[Entry]:
    text = "\n".join(line for line in PATH.read_text().splitlines() if not line.startswith("#"))
    for block in text.strip().split("\n\n"):
        *position, rules_line, counts_line = block.strip().splitlines()
        game_rules = Rules(rules_line.removeprefix("rules "))
        lines = [int(count) for count in counts_line.removeprefix("lines ").split()]
        is_deal = position[0].startswith("deal ")
        board = forty_thieves_deal(int(position[0][5:])) if is_deal else parse_board("\n".join(position))
        yield Entry(f"{position[0] if is_deal else position[-1]}, {game_rules}", board, game_rules, lines)


ENTRIES = list(read_entries())


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_lines_to_each_depth(entry: Entry, counter: str) -> None:
    perft = COUNTERS[counter]
    counted = [perft(entry.board, entry.rules, depth) for depth in range(1, len(entry.lines) + 1)]
    assert counted == entry.lines, split(entry)


def split(entry: Entry) -> str:
    """The referee's counts by first move, to see where another count parts from it."""
    depth = len(entry.lines)
    parts = referee.divide(entry.board, entry.rules, depth)
    return f"the referee at depth {depth}: " + ", ".join(f"{move} {count}" for move, count in parts.items())


@pytest.mark.parametrize("counter", COUNTERS)
def test_depth_nought_is_one_line(counter: str) -> None:
    assert COUNTERS[counter](forty_thieves_deal(1), Rules.CLASSIC, 0) == 1


@pytest.mark.parametrize("counter", COUNTERS)
def test_a_won_position_has_no_moves(counter: str) -> None:
    assert COUNTERS[counter](empty_board(foundations=(13,) * 8), Rules.RELAXED, 1) == 0


def test_the_split_adds_up() -> None:
    entry = ENTRIES[0]
    for depth, lines in enumerate(entry.lines, start=1):
        assert sum(referee.divide(entry.board, entry.rules, depth).values()) == lines
