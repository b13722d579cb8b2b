"""The fast rules against the referee and the slow twin: the same positions, the same moves, the same autoplay."""

from collections.abc import Callable, Iterator
from random import Random

import plain
import pytest
from boards import Game, endgame, midgame
from words import (
    LATE,
    NONE,
    Fast,
    Words,
    board_of,
    card,
    cards,
    conceivable_runs,
    decode,
    depths,
    physical,
    position_of,
    refereed,
)

from solvers.deals import Board
from solvers.freecell import rules
from solvers.freecell.referee import Position

WON = Board(NONE, (), (13, 13, 13, 13))


def words_of(board: Board) -> Words:
    _, word0, word1 = rules.encode(board)
    return int(word0), int(word1)


def code(words: Words, name: str) -> int:
    """Return the two code bits of a card."""
    return words[0] >> card(name) & 1 | (words[1] >> card(name) & 1) << 1


# The layout, field by field. These boards need not hold the whole pack: encoding looks at the cards that are there.


@pytest.mark.parametrize("column", range(8))
def test_layout_depth_of_a_column(column: int) -> None:
    columns = list(NONE)
    columns[column] = cards("KC KD 5C 9H 4H")
    board = Board(tuple(columns))
    expected = [0] * 8
    expected[column] = 4
    assert depths(words_of(board)) == expected
    _, word0, word1 = rules.encode(board)
    assert [rules.depth_of(word0, word1, index) for index in range(8)] == expected


def test_layout_each_column_has_a_field_of_its_own() -> None:
    # Cards in rising order are breaks, all but the first of a column: column n gets n of them.
    rising = iter(range(4, 52))
    board = Board(tuple(tuple(next(rising) for _ in range(n + 1)) for n in range(8)))
    words = words_of(board)
    assert words[0] >> 52 == 0x321
    assert words[1] >> 52 == 0x765
    assert (words[0] & 15, words[1] & 15) == (0, 4)


@pytest.mark.parametrize(
    ("board", "name", "expected"),
    [
        (board_of("KC QD"), "QD", 0),  # parent A: clubs and diamonds, hearts and spades
        (board_of("KD QC"), "QC", 0),
        (board_of("KH QS"), "QS", 0),
        (board_of("KS QH"), "QH", 0),
        (board_of("KC QH"), "QH", 1),  # parent B: clubs and hearts, diamonds and spades
        (board_of("KH QC"), "QC", 1),
        (board_of("KD QS"), "QS", 1),
        (board_of("KS QD"), "QD", 1),
        (board_of("KS", cells="QD"), "QD", 2),
        (board_of("KS"), "KS", 3),
        (board_of("5H KS"), "5H", 0),  # in place, under a break
        (board_of("5H KS"), "KS", 0),  # a break
        (board_of("5H KS QD"), "QD", 1),  # dealt in sequence on the last break: as if moved there
        (board_of("5H KS QD 3C"), "QD", 0),  # in place, since a break lies on it
    ],
)
def test_layout_code_of_a_card(board: Board, name: str, expected: int) -> None:
    assert code(words_of(board), name) == expected


def test_layout_a_sequence_from_the_bottom_counts_as_moved() -> None:
    words = words_of(board_of("KC QD JS"))
    assert depths(words)[0] == 0
    assert [code(words, name) for name in ("KC", "QD", "JS")] == [3, 0, 1]


def test_layout_an_ace_is_a_break_wherever_it_was_dealt() -> None:
    assert depths(words_of(board_of("AC KC", "2H AS KD")))[:2] == [2, 2]


def test_layout_the_highest_card_home_is_marked_and_the_others_are_not() -> None:
    words = words_of(board_of("5H KS QC 6C", "5C KC", "5D KD", "5S QS", foundations=(4, 3, 2, 4)))
    codes = [[code(words, rank + suit) for rank in "234"] for suit in "CDHS"]
    assert codes == [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_layout_an_ace_alone_at_home_has_no_bits() -> None:
    board = board_of("2C KC", "2D KD", "2H KH", "2S KS", foundations=(1, 1, 1, 1))
    assert words_of(board) == (1 << 60 | 1 << 56 | 1 << 52 | 1, 0)


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("kept", "JC KC JD KD JH JS KS"),
        ("cells", "QD QS"),
        ("bottoms", "KH"),
        ("on_a", "QC"),
        ("on_b", "QH"),
        ("tops", "QH QC KS KH"),
    ],
)
def test_view(field: str, names: str) -> None:
    seen = rules.view(*rules.encode(LATE))
    assert int(getattr(seen, field)) == sum(1 << c for c in cards(names))
    assert int(seen.home) == (1 << 40) - 1
    assert seen.empty_columns == 4


def test_a_won_board() -> None:
    deal, word0, word1 = rules.encode(WON)
    assert (int(word0), int(word1)) == (0xF << 48, 0)
    assert rules.is_won(word0, word1)
    fast = Fast(Game(WON, 4))
    assert (fast.single_moves(fast.first), fast.run_moves(fast.first)) == ([], [])
    assert int(rules.view(deal, word0, word1).home) == (1 << 52) - 1


def test_autoplay_may_win_at_once() -> None:
    one_left = board_of("KH", "KC", cells="KD QD", foundations=(12, 11, 12, 13))
    assert rules.autoplayed(one_left) == WON
    assert words_of(one_left) == words_of(WON)


def test_a_column_has_up_to_15_breaks() -> None:
    rising = tuple(range(4, 20))
    assert depths(words_of(Board((rising, *NONE[1:])))) == [15, *[0] * 7]
    with pytest.raises(ValueError, match=r"^column 3 has more than 15 cards out of sequence$"):
        rules.encode(Board((*NONE[:2], (*rising, 20), *NONE[3:])))


# The fast rules along games and over whole small spaces.

CHUNKS = range(8)
GAMES_A_CHUNK = 60
STEPS = 12


def games(chunk: int) -> Iterator[tuple[int, Game]]:
    """Yield games in all stages of play, by 0 to 4 cells, each with its seed."""
    for seed in range(chunk * GAMES_A_CHUNK, (chunk + 1) * GAMES_A_CHUNK):
        rng = Random(seed)
        make: Callable[[int], Game] = rng.choice([midgame, endgame, lambda s: endgame(s, 6, 11)])
        yield seed, make(seed)


def walk(fast: Fast, seed: int) -> Iterator[Words]:
    """Yield the words along a random game of single cards and runs."""
    rng = Random(f"walk {seed}")
    words = fast.first
    for _ in range(STEPS):
        yield words
        following = fast.single_moves(words) + 3 * fast.run_moves(words)
        if not following:
            return
        words = rng.choice(following)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_a_board_comes_back_from_its_words(chunk: int) -> None:
    for seed, game in games(chunk):
        position = Position(game.board, game.cells)
        position.autoplay()
        assert rules.autoplayed(game.board) == position.board(), f"seed {seed}"
        fast = Fast(game)
        assert decode(fast.dealt, fast.first) == physical(position.board()), f"seed {seed}"


@pytest.mark.parametrize("chunk", CHUNKS)
def test_single_moves_are_those_of_the_referee_and_of_the_slow_twin(chunk: int) -> None:
    compared = 0
    for seed, game in games(chunk):
        fast = Fast(game)
        for words in walk(fast, seed):
            state = decode(fast.dealt, words)
            position = position_of(state, game.cells)
            reached = fast.positions(fast.single_moves(words))
            assert reached == refereed(position, position.single_moves()), f"seed {seed}, {state}"
            # To the slow twin, a card alone in its column may go to an empty one: that changes nothing.
            assert reached == set(plain.successors(state, game.cells, plain.safe)) - {state}, f"seed {seed}, {state}"
            compared += 1
    assert compared > 3 * GAMES_A_CHUNK


@pytest.mark.parametrize("chunk", CHUNKS)
def test_runs_are_those_that_the_referee_permits(chunk: int) -> None:
    runs = 0
    for seed, game in games(chunk):
        fast = Fast(game)
        for words in walk(fast, seed):
            state = decode(fast.dealt, words)
            position = position_of(state, game.cells)
            reached = fast.positions(fast.run_moves(words))
            # A column that is one run may go to an empty column: that changes nothing.
            assert reached == refereed(position, conceivable_runs(position)) - {state}, f"seed {seed}, {state}"
            runs += len(reached)
    assert runs > GAMES_A_CHUNK


@pytest.mark.parametrize("chunk", CHUNKS)
def test_positions_and_words_are_one_to_one(chunk: int) -> None:
    """Over the first states that moves reach from a board, met in many ways, each position has one key."""
    met_again = 0
    for seed, game in games(chunk):
        fast = Fast(game)
        seen = {fast.first}
        waiting = [fast.first]
        for words in waiting:
            following = fast.single_moves(words) + fast.run_moves(words)
            met_again += sum(each in seen for each in following)
            waiting += sorted(set(following) - seen)
            seen.update(following)
            if len(seen) > 100:
                break
        assert len(fast.positions(list(seen))) == len(seen), f"seed {seed}"
    assert met_again > 20 * GAMES_A_CHUNK


@pytest.mark.parametrize("chunk", CHUNKS)
def test_the_order_of_columns_and_cells_changes_no_move(chunk: int) -> None:
    for seed, (board, cells) in games(chunk):
        rng = Random(seed)
        shuffled = Board(
            tuple(rng.sample(board.columns, 8)), tuple(rng.sample(board.cells, len(board.cells))), board.foundations
        )
        here, there = Fast(Game(board, cells)), Fast(Game(shuffled, cells))
        assert here.positions(here.single_moves(here.first)) == there.positions(there.single_moves(there.first))
        assert here.positions(here.run_moves(here.first)) == there.positions(there.run_moves(there.first))
