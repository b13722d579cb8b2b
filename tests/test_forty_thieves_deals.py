import pytest

from solvers.cards import format_card
from solvers.forty_thieves.deals import HIGHEST, forty_thieves_deal

# Made with an independent program: columns from bottom to top, then the cards that are turned first.
PRINTED = {
    1: (
        "JD 4D KS QD|8H 2S 7S 6D|3H 2D KC 9D|TH 8S 6C TC|5D 3D AC JH|8H QH 2H JC|4C AS 7S 8S|4C 6S TS 9S|QH 3S 9H 2S"
        "|KD 8D 6C 4H",
        "4S 3C QD 5C 9D 9S 7H 3H 8D 9C 7C 3S",
    ),
    2: (
        "QD 3S 9S 6H|4S 3H TS 6D|7C QH 2D QH|5S 3C 8H 5C|9C 6S 4S 9S|KC 8D 2C 7S|9H 5D 9H QC|QS 2C TD JS|KD TC 5S 9C"
        "|7C 3D 4C 2H",
        "7D TH JH 3C TC 9D 9D 2H",
    ),
}


def cards(pile: tuple[int, ...]) -> str:
    return " ".join(map(format_card, pile))


@pytest.mark.parametrize("number", sorted(PRINTED))
def test_deals_are_those_of_another_program(number: int) -> None:
    board = forty_thieves_deal(number)
    columns, stock = PRINTED[number]
    assert "|".join(map(cards, board.columns)) == columns
    assert cards(board.stock)[: len(stock)] == stock


@pytest.mark.parametrize("number", [1, 10_000, HIGHEST])
def test_a_deal_is_two_whole_decks(number: int) -> None:
    board = forty_thieves_deal(number)
    assert [len(column) for column in board.columns] == [4] * 10
    assert sorted(sum(board.columns, board.stock)) == sorted([*range(52), *range(52)])
    assert (board.waste, board.foundations, board.pass_number) == ((), (0,) * 8, 1)


@pytest.mark.parametrize("number", [-1, 0, HIGHEST + 1])
def test_numbers_outside_the_range_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"Forty Thieves deal {number} is outside 1-2147483647"):
        forty_thieves_deal(number)
