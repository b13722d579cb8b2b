import pytest
from test_referee import GOLDEN

from solvers.cards import parse_card
from solvers.deals import Board, freecell_deal
from solvers.freecell.notation import expand, write_moves
from solvers.freecell.referee import Position, RefereeError, parse_moves


@pytest.mark.parametrize("number", sorted(GOLDEN))
def test_written_moves_win_without_any_autoplay(number: int) -> None:
    written = write_moves(freecell_deal(number), 0, GOLDEN[number])
    position = Position(freecell_deal(number), 0)
    for text in written:
        (move,) = parse_moves(text.strip("()"))
        position.play(move)
    assert position.is_won()


@pytest.mark.parametrize("number", sorted(GOLDEN))
def test_moves_outside_parentheses_are_the_solution(number: int) -> None:
    written = write_moves(freecell_deal(number), 0, GOLDEN[number])
    assert "".join(text for text in written if not text.startswith("(")) == GOLDEN[number]
    assert sum(text.endswith(("h", "h)")) for text in written) == 52


def test_automatic_moves_stand_where_they_happen() -> None:
    pile = tuple(map(parse_card, ["KS", "QS", "QH", "JS"]))
    board = Board((tuple(map(parse_card, ["KC", "JH"])), pile, (), *[()] * 5), (parse_card("KH"),), (12, 13, 10, 10))
    assert write_moves(board, 1, "") == ["(1h)", "(1h)", "(2h)", "(2h)", "(2h)", "(2h)", "(ah)"]


def test_runs_into_empty_columns_tell_their_length() -> None:
    columns = ["KD QC JH", "", "KC", "KH", "KS", "QD", "QH", "QS"]
    board = Board(tuple(tuple(map(parse_card, column.split())) for column in columns))
    assert write_moves(board, 2, "12v321v22aa2") == ["12v3", "21v2", "2a", "a2"]


def test_a_bad_solution_is_refused() -> None:
    with pytest.raises(RefereeError, match="cell a holds 6S"):
        write_moves(freecell_deal(1), 4, "1a1a")
    with pytest.raises(RefereeError, match="move 1: 'x' does not start with a move"):
        write_moves(freecell_deal(1), 4, "x")


def test_ten_moves_a_line() -> None:
    lines = expand(freecell_deal(1529), 0, GOLDEN[1529])
    assert [line.count(" ") for line in lines[:-1]] == [9] * (len(lines) - 1)
    assert " ".join(lines).split() == write_moves(freecell_deal(1529), 0, GOLDEN[1529])
    assert expand(freecell_deal(1529), 0, "") == ["(5h) (5h)"]
