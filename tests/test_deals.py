import pytest

from solvers.cards import format_card
from solvers.deals import FREECELL_HIGHEST, freecell_deal

# Row by row, as any other program shows them.
PRINTED = {
    1: """\
JD 2D 9H JC 5D 7H 7C 5H
KD KC 9S 5S AD QC KH 3H
2S KS 9D QD JS AS AH 3C
4C 5C TS QH 4H AC 4D 7S
3S TD 4S TH 8H 2C JH 7D
6D 8S 8D QS 6C 3D 8C TC
6S 9C 2H 6H
""",
    617: """\
7D AD 5C 3S 5S 8C 2D AH
TD 7S QD AC 6D 8H AS KH
TH QC 3H 9D 6S 8D 3D TC
KD 5H 9S 3C 8S 7H 4D JS
4C QS 9C 9H 7C 6H 2C 2S
4S TS 2H 5D JC 6C JH QH
JD KS KC 4H
""",
}


def print_rows(number: int) -> str:
    columns = freecell_deal(number).columns
    rows = [[column[row] for column in columns if row < len(column)] for row in range(7)]
    return "".join(" ".join(map(format_card, row)) + "\n" for row in rows)


@pytest.mark.parametrize("number", sorted(PRINTED))
def test_deals_are_those_of_other_programs(number: int) -> None:
    assert print_rows(number) == PRINTED[number]


@pytest.mark.parametrize("number", [1, 32000, 32001, FREECELL_HIGHEST])
def test_a_deal_is_a_whole_deck(number: int) -> None:
    board = freecell_deal(number)
    assert [len(column) for column in board.columns] == [7] * 4 + [6] * 4
    assert sorted(card for column in board.columns for card in column) == list(range(52))
    assert (board.cells, board.foundations) == ((), (0, 0, 0, 0))


@pytest.mark.parametrize("number", [-1, 0, FREECELL_HIGHEST + 1])
def test_numbers_outside_the_range_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"FreeCell deal {number} is outside 1-1000000"):
        freecell_deal(number)
