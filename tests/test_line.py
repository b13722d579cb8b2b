"""From a path of positions to written moves: fewest within the path, and accepted by the referee."""

from typing import Any

import numpy as np
import plain
import pytest
from boards import Game, endgame
from words import LATE, Fast, card, conceivable_runs, decode, position_of, refereed

from solvers.deals import freecell_deal
from solvers.freecell import rules, search
from solvers.freecell.line import shortest_line, write_line
from solvers.freecell.referee import replay
from solvers.result import Verdict

WINS = [Game(freecell_deal(number), cells) for number, cells in [(164, 0), (12392, 0), (2, 1), (3, 2), (1, 3), (1, 4)]]
WINS += [game for game in map(endgame, range(40)) if search.solve(*game, 5_000).verdict == Verdict.SOLVABLE]


@pytest.fixture
def paths(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the arguments with which searches ask for the shortest line, as they come."""
    asked: list[Any] = []

    def note(deal: Any, path: Any, cells: int) -> list[tuple[int, int]]:
        asked.append((deal, path.copy(), cells))
        return shortest_line(deal, path, cells)

    monkeypatch.setattr(search, "shortest_line", note)
    return asked


def distance(states: list[plain.State], cells: int) -> int:
    """Return how many of the referee's moves lead from the first state to the last without leaving the states."""
    left, frontier, moves = set(states[1:]), {states[0]}, 0
    while states[-1] in left:
        moves += 1
        following: set[plain.State] = set()
        for position in (position_of(state, cells) for state in frontier):
            following |= refereed(position, position.single_moves()) | refereed(position, conceivable_runs(position))
        frontier = following & left
        left -= frontier
    return moves


@pytest.mark.parametrize("game", WINS)
def test_the_line_of_a_search(game: Game, paths: list[Any]) -> None:
    result = search.solve(*game, 50_000)
    assert result.solution is not None
    moves = replay(*game, result.solution)
    if not paths:  # autoplay alone wins
        assert moves == 0
        return
    [(_, path, _)] = paths
    states = [decode(rules.autoplayed(game.board), (int(word0), int(word1))) for word0, word1 in path]
    assert states[-1][2] == (13, 13, 13, 13)
    assert moves == distance(states, game.cells) <= len(path) - 1


def test_a_detour_is_left_out() -> None:
    """KC's queen goes to a cell and to another king, where it could have gone at once."""
    game = Game(LATE, 4)
    fast = Fast(game)
    queen = 1 << card("QH")
    detour = [fast.first]
    for kind in (rules.IN_CELL, rules.ON_A):
        after = fast.single_moves(detour[-1])
        detour.append(next(words for words in after if at(fast, words, kind) & queen))
    assert shortest_line(fast.deal, np.array(detour, np.uint64), 4) == [(card("QH"), rules.ON_A)]


def at(fast: Fast, words: tuple[int, int], kind: int) -> int:
    """Return the cards that have moved to a kind of place, as a mask."""
    seen = rules.view(fast.deal, np.uint64(words[0]), np.uint64(words[1]))
    return int({rules.IN_CELL: seen.cells, rules.ON_A: seen.on_a}[kind])


def test_a_line_of_no_moves() -> None:
    assert write_line(LATE, 4, []) == ""


LINE = {
    "from the second cell onto a card": ("QS", rules.ON_A, "b4"),
    "from the first cell onto a card": ("QD", rules.ON_B, "a3"),
    "a run into the first empty column": ("KC", rules.AT_BOTTOM, "15v2"),
}


@pytest.mark.parametrize("what", LINE)
def test_how_a_move_is_written(what: str) -> None:
    name, place, text = LINE[what]
    assert write_line(LATE, 4, [(card(name), place)]) == text


def test_cells_and_columns_that_were_emptied_are_used_again() -> None:
    line = [
        ("QS", rules.ON_A),
        ("QH", rules.IN_CELL),
        ("QD", rules.ON_B),
        ("QH", rules.AT_BOTTOM),
        ("QC", rules.IN_CELL),
    ]
    text = write_line(LATE, 4, [(card(name), place) for name, place in line])
    assert text == "b41ba3b52a"
