from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thieves import midgame

from solvers.forty_thieves.deals import Board, forty_thieves_deal
from solvers.forty_thieves.text import format_board, parse_board

SEEDS = st.integers(0, 2**32 - 1)
DEAL_1 = format_board(forty_thieves_deal(1))
ENDGAME = """\
Foundations: C-K C-K D-K D-K H-K H-K S-J S-T
Pass: 2
Waste: QS
Stock: KS JS
: KS QS
"""


def test_a_deal_as_text() -> None:
    lines = DEAL_1.splitlines()
    assert lines[:3] == ["Foundations: C-0 C-0 D-0 D-0 H-0 H-0 S-0 S-0", "Pass: 1", "Waste:"]
    assert lines[3].startswith("Stock: 4S 3C QD")
    assert lines[4:6] == [": JD 4D KS QD", ": 8H 2S 7S 6D"]
    assert parse_board(DEAL_1) == forty_thieves_deal(1)


def test_what_is_left_out_is_empty() -> None:
    assert parse_board("\n".join(DEAL_1.splitlines()[3:])) == forty_thieves_deal(1)
    assert parse_board(ENDGAME) == Board(((51, 47), *((),) * 9), (47,), (51, 43), (13, 13, 13, 13, 13, 13, 11, 10), 2)


@given(SEEDS)
def test_boards_read_back(seed: int) -> None:
    board = midgame(seed).board
    assert parse_board(format_board(board)) == board


@given(SEEDS)
def test_spelling_does_not_matter(seed: int) -> None:
    board, rng = midgame(seed).board, Random(seed)
    lines = [
        rng.choice([line, line.lower(), line.replace(" ", "\t"), f"  {line}  ", line.replace("T", "10")])
        for line in format_board(board).splitlines()
    ]
    headings, columns = lines[:4], lines[4:]
    rng.shuffle(headings)
    assert parse_board("\n".join([*columns, *headings, "# a comment: of no deal", ""])) == board


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Foundations:", "founds:"),
        ("S-J S-T", "s-10 s-j"),
        (": KS QS", "ks qs"),
        ("C-K C-K ", "C-K\tC-K "),
    ],
)
def test_other_spellings(old: str, new: str) -> None:
    board = parse_board(ENDGAME.replace(old, new))
    piles = (*board.foundations[:6], *sorted(board.foundations[6:], reverse=True))
    assert board._replace(foundations=piles) == parse_board(ENDGAME)


def test_blank_lines_are_empty_columns_while_there_is_room() -> None:
    assert parse_board(ENDGAME.replace(": KS QS", "\nKS\n\nQS")).columns == ((), (51,), (), (47,), *((),) * 6)
    assert parse_board(DEAL_1.replace("\n", "\n\n")) == forty_thieves_deal(1)


MALFORMED = [
    (DEAL_1.replace("KS QD\n", "XS QD\n"), "line 5: 'XS' is no card (a rank A 2-10 T J Q K, then a suit C D H S)"),
    (DEAL_1 + "ks", "line 15: 'ks' starts a column too many (10 are played)"),
    (ENDGAME.replace("KS JS", "KS JS ks"), "line 5: 'KS' is a third KS (the others: line 4 and 4)"),
    (ENDGAME.replace("S-J", "S-K"), "line 5: 'KS' is a third KS (the others: line 1 and 4)"),
    (ENDGAME.replace("Waste: QS", ""), "line 5: the board ends, and 1 card is missing: QS"),
    (ENDGAME.replace("C-K C-K", "C-K"), "line 5: the board ends, and 13 cards are missing: AC 2C 3C"),
    (ENDGAME.replace("C-K C-K", "C-K c-k C-0"), "line 1: 'C-0' is a third foundation of C"),
    (
        ENDGAME.replace("C-K C-K", "C-14 C-K"),
        "line 1: 'C-14' is no foundation (C D H S, a dash, then 0 A 2-10 T J Q K: H-0 C-A)",
    ),
    (ENDGAME.replace("Pass: 2", "Pass: 3"), "line 2: '3' is no pass (1 to 2)"),
    (ENDGAME.replace("Pass: 2", "Pass:"), "line 2: '' is no pass (1 to 2)"),
    (ENDGAME + "waste: \n", "line 6: a second Waste line (the first is line 3)"),
    (ENDGAME.replace("Waste", "Talon"), "line 3: 'Talon' is no heading (Foundations, Pass, Waste or Stock)"),
]


@pytest.mark.parametrize(("text", "message"), MALFORMED, ids=[message[:40] for _, message in MALFORMED])
def test_malformed_boards_are_told_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^line \d+: ") as error:
        parse_board(text)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n"])
def test_an_empty_text_misses_all_cards(text: str) -> None:
    with pytest.raises(ValueError, match="line 1: the board ends, and 104 cards are missing: AC AC 2C"):
        parse_board(text)


@given(st.text(alphabet="A23456789T10JQKCDHS:-#\n wastepfounds", max_size=300))
def test_short_texts_are_never_boards(text: str) -> None:
    with pytest.raises(ValueError, match=r"\Aline \d+: [^\n]+\Z"):
        parse_board(f"2C {text}"[:80])
