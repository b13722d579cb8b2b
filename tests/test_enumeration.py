from random import Random

import plain
import pytest
from boards import Game, endgame, midgame

from solvers.deals import Board, freecell_deal
from solvers.freecell.enumeration import Enumeration, enumerate_states
from solvers.freecell.text import parse_board
from solvers.result import Verdict

WON = Board(((),) * 8, (), (13, 13, 13, 13))
SMALL = 600


@pytest.mark.parametrize(("is_autoplay", "states"), [(True, 61_643), (False, 83_239)])
def test_the_published_count(is_autoplay: bool, states: int) -> None:
    found = enumerate_states(freecell_deal(11982), 4, 1_000_000, is_autoplay)
    assert found == Enumeration(Verdict.UNSOLVABLE, states, 1_000_000)


def test_a_limit_is_the_number_of_states_that_fit() -> None:
    deal = freecell_deal(11982)
    assert enumerate_states(deal, 4, 61_643).verdict == Verdict.UNSOLVABLE
    assert enumerate_states(deal, 4, 61_642) == Enumeration(Verdict.UNDECIDED, 61_642, 61_642)
    assert enumerate_states(deal, 4, 1) == Enumeration(Verdict.UNDECIDED, 1, 1)


@pytest.mark.parametrize("slice_steps", [1, 7, 5_000])
@pytest.mark.parametrize(("number", "cells"), [(5300, 0), (617, 0), (3, 1)])
def test_slices_change_nothing(number: int, cells: int, slice_steps: int) -> None:
    deal = freecell_deal(number)
    assert enumerate_states(deal, cells, 20_000, True, slice_steps) == enumerate_states(deal, cells, 20_000)


@pytest.mark.parametrize("make", [midgame, endgame])
@pytest.mark.parametrize(("is_autoplay", "autoplay"), [(True, plain.safe), (False, plain.never)])
def test_counts_are_those_of_the_slow_twin(make, is_autoplay: bool, autoplay: plain.Autoplay) -> None:
    compared = 0
    for seed in range(200):
        board, cells = make(seed)
        verdict, states = plain.enumerate_plainly(board, cells, SMALL, autoplay)
        found = enumerate_states(board, cells, 100 * SMALL, is_autoplay)
        if verdict == "unsolvable":
            assert (found.verdict, found.states) == (verdict, len(states)), f"seed {seed}"
            compared += 1
        elif verdict == "solvable":
            assert found.verdict == verdict, f"seed {seed}"
        else:
            assert found.states >= SMALL or found.verdict == Verdict.SOLVABLE, f"seed {seed}"
    assert compared > 10


@pytest.mark.parametrize("seed", range(200))
def test_neither_autoplay_nor_the_order_of_columns_changes_a_verdict(seed: int) -> None:
    game = midgame(seed)
    found = enumerate_states(game.board, game.cells, 30_000)
    shuffled = enumerate_states(reordered(game, seed), game.cells, 30_000)
    by_hand = enumerate_states(game.board, game.cells, 100_000, is_autoplay=False)
    assert Verdict.UNDECIDED in (found.verdict, by_hand.verdict) or found.verdict == by_hand.verdict
    if found.verdict == Verdict.UNSOLVABLE:
        assert shuffled == found


def reordered(game: Game, seed: int) -> Board:
    rng = Random(seed)
    columns, cells = list(game.board.columns), list(game.board.cells)
    rng.shuffle(columns)
    rng.shuffle(cells)
    return Board(tuple(columns), tuple(cells), game.board.foundations)


def test_a_won_board_is_one_state() -> None:
    assert enumerate_states(WON, 0, 1) == Enumeration(Verdict.SOLVABLE, 1, 1)


def test_one_column_may_hold_the_deck() -> None:
    deck = Board((tuple(range(52)), *[()] * 7))
    assert plain.enumerate_plainly(deck, 0, 10_000, plain.safe)[0] == "solvable"
    assert enumerate_states(deck, 0, 10_000).verdict == Verdict.SOLVABLE


@pytest.mark.parametrize("cells", [-1, 0, 5])
def test_cells_must_hold_what_is_in_them(cells: int) -> None:
    with pytest.raises(ValueError, match=f"{cells} cells for a board with 1 cards in cells"):
        enumerate_states(Board(((),) * 8, (0,)), cells, 10)


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="a limit of 0 states leaves no room for the first"):
        enumerate_states(WON, 4, 0)


SHORT = """\
Foundations: H-6 C-4 D-5 S-3
: TC TH 7H QD
: 8C QH 9S 5C
: KC KH 7S 9H
: JD 9D 9C 8S
: 8H TD 6S 6C
: TS JS 4S JC QC
: QS 8D KD 5S 6D
: 7D KS JH 7C
"""
# Games that can be won with no cells, a wrong rule, the states after which it calls them unsolvable.
WRONG_RULES = {
    "always, deal 12392": (freecell_deal(12392), plain.always, 1_854),
    "always, deal 5300": (freecell_deal(5300), plain.always, 332),
    "without the same colour, deal 12392": (freecell_deal(12392), plain.without_same_colour, 223_619),
    "without the same colour, a short game": (parse_board(SHORT, 0), plain.without_same_colour, 66),
}


@pytest.mark.parametrize("name", WRONG_RULES)
def test_wrong_rules_of_autoplay_lose_what_can_be_won(name: str) -> None:
    """Negative controls: our rule wins what the wrong ones call unsolvable, and so does no autoplay at all."""
    board, autoplay, states = WRONG_RULES[name]
    verdict, reached = plain.enumerate_plainly(board, 0, 1_000_000, autoplay)
    assert (verdict, len(reached)) == ("unsolvable", states)
    assert enumerate_states(board, 0, 1_000_000).verdict == Verdict.SOLVABLE
    assert enumerate_states(board, 0, 10_000_000, is_autoplay=False).verdict == Verdict.SOLVABLE
