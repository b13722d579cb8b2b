"""Forty Thieves: the fast rules against the referee, position by position."""

from collections.abc import Callable, Iterator
from random import Random

import numpy as np
import pytest
from thieves import Fast, Game, empty_board, midgame, small_deal

from solvers.forty_thieves import rules
from solvers.forty_thieves.deals import Board, Rules, forty_thieves_deal
from solvers.forty_thieves.referee import Position, successors

CHUNKS = range(4)
GAMES_A_CHUNK = 60
STEPS = 15


def games(chunk: int) -> Iterator[Game]:
    for seed in range(chunk * GAMES_A_CHUNK, (chunk + 1) * GAMES_A_CHUNK):
        make: Callable[[int], Game] = Random(seed).choice([midgame, small_deal])
        yield make(seed)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_moves_are_those_of_the_referee(chunk: int) -> None:
    compared = 0
    for seed, game in enumerate(games(chunk)):
        rng = Random(seed)
        fast = Fast(game)
        position = Position(game.board, game.rules)
        position.autoplay()
        words = fast.first
        for _ in range(STEPS):
            assert fast.key(words) == position.key(), f"seed {seed}"
            following = fast.following(words)
            reached = successors(position)
            assert {fast.key(each) for each in following} == set(reached), f"seed {seed}, {position.board()}"
            compared += 1
            if not following:
                break
            words = rng.choice(following)
            _, position = reached[fast.key(words)]
    assert compared > 3 * GAMES_A_CHUNK


@pytest.mark.parametrize("chunk", CHUNKS)
def test_positions_and_words_are_one_to_one(chunk: int) -> None:
    """Over the first states that moves reach, met in many ways, each position has one key, and the key tells all."""
    met_again = 0
    for seed, game in enumerate(games(chunk)):
        fast = Fast(game)
        seen = {fast.first[:3]: fast.first}
        waiting = [fast.first]
        for words in waiting:
            for each in fast.following(words):
                met_again += each[:3] in seen
                if each[:3] not in seen:
                    waiting.append(each)
                assert seen.setdefault(each[:3], each) == each
            if len(seen) > 300:
                break
        assert len({fast.key(words) for words in seen.values()}) == len(seen), f"seed {seed}"
    assert met_again > 20 * GAMES_A_CHUNK


def test_twins_in_the_stock_leave_one_waste() -> None:
    """Of two twins turned one after the other, it does not matter which one is still there."""
    fast = Fast(Game(Board(((43,), (), (47,)), (), (39, 39, 51), (13, 13, 13, 13, 13, 13, 9, 9)), Rules.CLASSIC))
    assert len({fast.key(words) for words in reachable(fast)}) == len(reachable(fast))


def reachable(fast: Fast) -> set[tuple[int, ...]]:
    seen = {fast.first}
    waiting = [fast.first]
    while waiting:
        new = set(fast.following(waiting.pop())) - seen
        seen |= new
        waiting += new
    return seen


def test_layout_of_a_deal() -> None:
    deal, words = rules.encode(forty_thieves_deal(1), Rules.CLASSIC)
    assert int(words[1]) >> 40 == 0
    assert int(words[2]) == 2**64 - 1
    assert int(words[3]) == 0
    codes = [int(words[0]) >> 10 * i & 1023 for i in range(6)] + [int(words[1]) >> 10 * i & 1023 for i in range(4)]
    assert codes == sorted(codes, reverse=True)
    assert min(codes) >= rules.FIRST_BREAK_CODE
    assert sorted(int(deal["top"][code]) for code in codes) == sorted(
        column[-1] for column in forty_thieves_deal(1).columns
    )


def test_layout_of_codes() -> None:
    deal, words = rules.encode(empty_board((48, 44), (51,), (40, 48, 44), (40, 48)), Rules.CLASSIC)
    codes = [int(words[0]) >> 10 * i & 1023 for i in range(6)]
    assert codes[4:] == [0, 0]
    assert codes[:2] == [rules.FIRST_BREAK_CODE + 1, rules.FIRST_BREAK_CODE]
    assert codes[2:4] == [int(rules.RUN_CODES[51]), int(rules.RUN_CODES[48]) + 1]
    assert [int(deal["length"][code]) for code in codes[:4]] == [2, 1, 1, 2]
    assert int(rules.RUN_CODES[51]) + 12 == rules.FIRST_BREAK_CODE - 1


@pytest.mark.parametrize(("classic", "empty"), [(1, 0), (2, 1), (4, 2), (8, 3), (13, 4), (13, 10)])
def test_longest_moves(classic: int, empty: int) -> None:
    assert rules.longest_moves(Rules.CLASSIC)[empty] == classic
    assert rules.longest_moves(Rules.RELAXED)[empty] == 13


def test_a_won_board() -> None:
    _, words = rules.encode(empty_board(foundations=(13,) * 8), Rules.CLASSIC)
    assert rules.home_cards(words.reshape(1, 4), 0) == 104


MALFORMED = [
    (Board(((),) * 11), Rules.CLASSIC, "11 columns (10 are played)"),
    (
        Board(((),), (0,), (0,) * 64),
        Rules.CLASSIC,
        "65 cards in waste and stock (a game that began with a deal has 64)",
    ),
    (Board(((),), pass_number=2), Rules.CLASSIC, "pass 2 (under classic rules the last one is 1)"),
    (Board(((),), pass_number=0), Rules.RELAXED, "pass 0 (under relaxed rules the last one is 2)"),
    (
        Board((tuple([48, 51] * 50),)),
        Rules.CLASSIC,
        "the columns have too many cards out of sequence (a game that began with a deal has 30)",
    ),
]


@pytest.mark.parametrize(("board", "game_rules", "message"), MALFORMED, ids=[message for *_, message in MALFORMED])
def test_boards_that_are_refused(board: Board, game_rules: Rules, message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(").replace(")", r"\)") + "$"):
        rules.encode(board, game_rules)


def test_words_are_unsigned() -> None:
    _, words = rules.encode(forty_thieves_deal(1), Rules.RELAXED)
    assert words.dtype == np.uint64
