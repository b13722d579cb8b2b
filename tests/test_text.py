from random import Random

import pytest
from boards import Game, games
from hypothesis import given
from hypothesis import strategies as st

from solvers.deals import freecell_deal
from solvers.freecell.text import format_board, parse_board

DEAL_24 = """\
4C 2C 9C 8C QS 4S 2H
5H QH 3C AC 3H 4H QD
QC 9S 6H 9H 3S KS 3D
5D 2S JC 5C JH 6D AS
2D KD TH TC TD 8D
7H JS KH TS KC 7C
AH 5S 6S AD 8H JD
7S 6C 7D 4D 8S 9D
"""
MIDGAME = """\
Foundations: H-6 C-9 D-2 S-A
Freecells: QS 3S KD
: 8H 3D
: KS QD JC
: 8D TD 7D JH TS 9D
: 7S 6D
: 5S
: KH QC JD TC 9H 8S 7H 6S 5D 4S
: KC QH JS TH 9S
: 4D 2S
"""


def test_a_deal_is_its_columns() -> None:
    assert parse_board(DEAL_24, 4) == freecell_deal(24)
    assert format_board(freecell_deal(24)).splitlines()[:3] == [
        "Foundations: H-0 C-0 D-0 S-0",
        "Freecells:",
        ": 4C 2C 9C 8C QS 4S 2H",
    ]


def test_a_game_in_progress() -> None:
    board = parse_board(MIDGAME, 4)
    assert board.foundations == (9, 2, 6, 1)
    assert len(board.cells) == 3
    assert format_board(board) == MIDGAME


@given(games)
def test_boards_read_back(game: Game) -> None:
    assert parse_board(format_board(game.board), game.cells) == game.board


def respell(line: str, rng: Random) -> str:
    if line.startswith(":"):
        line = rng.choice([line, line.replace("T", "10"), line.replace(":", " ") if line != ":" else line])
    return rng.choice([line, line.lower(), line.replace(" ", "\t"), f"  {line}  "])


@given(games, st.randoms(use_true_random=False))
def test_spelling_does_not_matter(game: Game, rng: Random) -> None:
    lines = [respell(line, rng) for line in format_board(game.board).splitlines()]
    lines += rng.choice([[], ["# a comment: of no deal"], [""]])
    headings, columns = lines[:2], lines[2:]
    rng.shuffle(headings)
    text = "\n".join(rng.choice([headings + columns, columns + headings]))
    assert parse_board(text, game.cells) == game.board


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Foundations:", "Founds:"),
        ("Freecells:", "FC:"),
        ("Freecells: QS 3S KD", "freecells: - qs 3s - kd"),
        ("H-6 C-9 D-2 S-A", "s-1 D-2 C-9 H-6"),
        ("H-6 C-9 D-2 S-A\n", "H-6 C-9 D-2 S-A\n\n# after move 61\n"),
        ("TS 9D", "10s 9d"),
    ],
)
def test_other_spellings(old: str, new: str) -> None:
    assert parse_board(MIDGAME.replace(old, new), 4) == parse_board(MIDGAME, 4)


def test_blank_lines_are_empty_columns_while_there_is_room() -> None:
    text = "Founds: C-K D-K H-K S-J\n\nQS\n\nKS\n\n"
    assert parse_board(text, 0).columns == ((), (47,), (), (51,), (), (), (), ())
    assert parse_board(DEAL_24.replace("\n", "\n\n"), 0) == freecell_deal(24)


def test_columns_left_out_at_the_end_are_empty() -> None:
    assert parse_board("Founds: C-K D-K H-K S-Q\nks", 0).columns == ((51,), *[()] * 7)


def test_one_stands_for_an_ace_as_in_fc_solve() -> None:
    assert parse_board(DEAL_24.replace("AC", "1c"), 4) == freecell_deal(24)


MALFORMED = [
    (DEAL_24.replace("9S 6H", "9X 6H"), "line 3: '9X' is no card (a rank A 2-10 T J Q K, then a suit C D H S)"),
    (DEAL_24.replace("9S 6H", "9S,6H"), "line 3: '9S,6H' is no card (a rank A 2-10 T J Q K, then a suit C D H S)"),
    (
        DEAL_24.replace("9S 6H", "x" * 50),
        f"line 3: '{'x' * 20}' is no card (a rank A 2-10 T J Q K, then a suit C D H S)",
    ),
    (DEAL_24.replace("KD TH", "KD 9s"), "line 5: '9s' stands twice (line 3 has it too)"),
    (DEAL_24.replace("7C\n", "\n"), "line 8: the board ends, and 1 card is missing: 7C"),
    (DEAL_24.replace("5H QH", "").replace("KS", ""), "line 8: the board ends, and 3 cards are missing: 5H QH KS"),
    (DEAL_24.replace("KS 3D", "KS\n3D"), "line 9: '7S 6C 7D 4D 8S 9D' starts a column too many (8 are played)"),
    ("Founds: S-A\n" + DEAL_24, "line 5: 'AS' stands twice (line 1 has it home, S-A)"),
    ("Founds: X-A\n" + DEAL_24, "line 1: 'X-A' is no foundation (C D H S, a dash, then 0 A 2-10 T J Q K: H-0 C-A)"),
    ("Founds: S-14\n" + DEAL_24, "line 1: 'S-14' is no foundation (C D H S, a dash, then 0 A 2-10 T J Q K: H-0 C-A)"),
    ("Founds: S-A s-2\n" + DEAL_24, "line 1: 's-2' is a second foundation of S"),
    ("Founds: S-0\n# x\nfoundations: S-0\n", "line 3: a second Foundations line (the first is line 1)"),
    ("FC:\nfreecells: -\n", "line 2: a second Freecells line (the first is line 1)"),
    ("FC: QS 3S KD 2C JC\n", "line 1: 'JC' is a card too many in cells (4 cells are played)"),
    ("Talon: QS\n" + DEAL_24, "line 1: 'Talon' is no heading (Freecells, FC, Foundations or Founds)"),
    ("QS QD JC QS\n", "line 1: 'QS' stands twice (line 1 has it too)"),
]


@pytest.mark.parametrize(("text", "message"), MALFORMED, ids=[message[:30] for _, message in MALFORMED])
def test_malformed_boards_are_told_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^line \d+: ") as error:
        parse_board(text, 4)
    assert str(error.value) == message


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n"])
def test_an_empty_text_misses_all_cards(text: str) -> None:
    with pytest.raises(ValueError, match="line 1: the board ends, and 52 cards are missing: AC 2C"):
        parse_board(text, 4)


def test_a_board_with_too_many_cards_in_cells_for_the_game() -> None:
    with pytest.raises(ValueError, match="line 2: '3S' is a card too many in cells \\(1 cells are played\\)"):
        parse_board(MIDGAME, 1)


@given(st.text(alphabet="A23456789T10JQKCDHS:-#\n fcounds", max_size=300))
def test_short_texts_are_never_boards(text: str) -> None:
    with pytest.raises(ValueError, match=r"\Aline \d+: [^\n]+\Z"):
        parse_board(f"2C {text}"[:80], 4)
