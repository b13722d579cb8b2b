import pytest

from solvers.cards import DECK_SIZE, RANKS, SUITS, format_card, is_red, parse_card, rank, suit


def test_cards_count_suits_within_ranks() -> None:
    assert [format_card(card) for card in range(5)] == ["AC", "AD", "AH", "AS", "2C"]
    assert format_card(DECK_SIZE - 1) == "KS"


def test_every_card_reads_back() -> None:
    for card in range(DECK_SIZE):
        assert parse_card(format_card(card)) == card
        assert parse_card(format_card(card).lower()) == card
        assert (RANKS[rank(card)], SUITS[suit(card)]) == tuple(format_card(card))


def test_diamonds_and_hearts_are_red() -> None:
    assert [is_red(parse_card(f"7{name}")) for name in "CDHS"] == [False, True, True, False]


@pytest.mark.parametrize("text", ["10h", "10H", "Th", "th"])
def test_ten_has_two_names(text: str) -> None:
    assert format_card(parse_card(text)) == "TH"


@pytest.mark.parametrize("text", ["", "H", "1H", "11H", "AX", "HA", "10", "A H", "AHH", "Aß"])
def test_what_is_no_card_is_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="is no card") as error:
        parse_card(text)
    assert repr(text) in str(error.value)
