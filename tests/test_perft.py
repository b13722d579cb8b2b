"""perft: the number of lines of single-card moves from a position, to each depth, by every set of rules there is.

A block of a file in ``perft/`` is a position (``deal N``, or a board as text), then ``cells K``, then ``lines`` with
the counts at depth 1, 2, …; a blank line ends it. What counts as a move is told at
:func:`solvers.freecell.referee.perft`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from solvers.deals import Board, freecell_deal
from solvers.freecell import referee, rules
from solvers.freecell.text import parse_board

COUNTERS: dict[str, Callable[[Board, int, int], int]] = {
    "referee": referee.perft,
    "fast": rules.perft,
}


class Entry(NamedTuple):
    name: str
    board: Board
    cells: int
    lines: list[int]


def read_entries(path: Path) -> Iterator[Entry]:
    text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("#"))
    for block in text.strip().split("\n\n"):
        *position, cells_line, counts_line = block.strip().splitlines()
        cells = int(cells_line.removeprefix("cells "))
        lines = [int(count) for count in counts_line.removeprefix("lines ").split()]
        if position[0].startswith("deal "):
            yield Entry(f"{position[0]}, {cells} cells", freecell_deal(int(position[0][5:])), cells, lines)
        else:
            yield Entry(f"{position[-1]}, {cells} cells", parse_board("\n".join(position), cells), cells, lines)


ENTRIES = list(read_entries(Path(__file__).parent / "perft" / "freecell.txt"))


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_lines_to_each_depth(entry: Entry, counter: str) -> None:
    perft = COUNTERS[counter]
    counted = [perft(entry.board, entry.cells, depth) for depth in range(1, len(entry.lines) + 1)]
    assert counted == entry.lines, split(entry)


def split(entry: Entry) -> str:
    """The referee's counts by first move, to see where another count parts from it."""
    depth = len(entry.lines)
    parts = referee.divide(entry.board, entry.cells, depth)
    return f"the referee at depth {depth}: " + ", ".join(f"{move} {count}" for move, count in parts.items())


@pytest.mark.parametrize("counter", COUNTERS)
def test_depth_nought_is_one_line(counter: str) -> None:
    assert COUNTERS[counter](freecell_deal(1), 4, 0) == 1


@pytest.mark.parametrize("counter", COUNTERS)
def test_a_won_position_has_no_moves(counter: str) -> None:
    assert COUNTERS[counter](Board(((),) * 8, (), (13, 13, 13, 13)), 4, 1) == 0


def test_the_split_adds_up() -> None:
    entry = ENTRIES[0]
    for depth, lines in enumerate(entry.lines, start=1):
        assert sum(referee.divide(entry.board, entry.cells, depth).values()) == lines
