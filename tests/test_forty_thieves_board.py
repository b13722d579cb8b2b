"""`deals forty-thieves solve --board` and `show`, with the search itself."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pipeline.cli import main
from pipeline.forty_thieves import jobs
from solvers.forty_thieves.deals import Rules, forty_thieves_deal
from solvers.forty_thieves.referee import replay
from solvers.forty_thieves.text import format_board, parse_board

# The fives and sixes of clubs come free in time.
ENDGAME = """\
Foundations: C-4 C-5 D-K D-K H-K H-K S-K S-K
Pass: 1
: 8C 6C
: 6C
: 7C 5C 7C 8C
: KC QC JC TC 9C
: KC QC JC TC 9C
"""
NO_STOCK = forty_thieves_deal(34)._replace(waste=forty_thieves_deal(34).stock, stock=())


def solve(text: str, *words: str) -> Result:
    return CliRunner().invoke(main, ["forty-thieves", "solve", "--board", "-", *words], input=text)


def test_a_board_is_solved_under_both_rule_sets() -> None:
    result = solve(ENDGAME)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert [line.split(", ")[0] for line in lines if "states searched" in line] == [
        "classic: solvable",
        "relaxed: solvable",
    ]
    (first, *_) = [line for line in lines if line.startswith("Solution, ")]
    said, solution = first.removeprefix("Solution, ").split(" moves: ")
    assert replay(parse_board(ENDGAME), Rules.CLASSIC, solution) == int(said)


def test_a_limit_leaves_a_board_open() -> None:
    board = format_board(forty_thieves_deal(1))
    words = ("--rules", "classic", "--limit", "100")
    result = solve(board, *words)
    assert result.exit_code == 0
    assert result.stdout.startswith("classic: undecided, ")
    assert result.stdout.endswith(" states searched of at most 100\n")
    assert solve(board, *words, "--require-decided").exit_code == 4


def test_any_progress_is_told_with_its_moves() -> None:
    result = solve(format_board(NO_STOCK), "--any-progress")
    assert result.exit_code == 0, result.stderr
    first, second, moves = result.stdout.splitlines()
    assert first.startswith("classic: surely no further card goes to a foundation, ")
    assert second.startswith("relaxed: one more card can go to a foundation, ")
    assert moves.startswith("r t t t ")
    assert moves.endswith("h)")


def test_any_progress_may_stay_open() -> None:
    words = ("--any-progress", "--rules", "relaxed", "--limit", "1")
    assert "relaxed: undecided whether one more card" in solve(format_board(NO_STOCK), *words).stdout
    assert solve(format_board(NO_STOCK), *words, "--require-decided").exit_code == 4


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("JD 4D", (), "board <stdin>: line 1: the board ends, and 102 cards are missing"),
        (ENDGAME.replace("8C 6C", "8C 6X"), (), "board <stdin>: line 3: '6X' is no card"),
        (ENDGAME.replace("Pass: 1", "Pass: 3"), (), "board <stdin>: line 2: '3' is no pass (1 to 2)"),
        (ENDGAME.replace("Pass: 1", "Pass: 2"), (), "board <stdin>: pass 2 (under classic rules the last one is 1)"),
        (ENDGAME, ("--any-progress", "--limit", "999999999"), "999999999 is more states than a search can hold"),
    ],
)
def test_what_is_no_board_is_one_line_and_status_2(text: str, words: tuple[str, ...], said: str) -> None:
    result = solve(text, *words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert said in result.stderr


def test_a_second_pass_is_played_under_relaxed_rules() -> None:
    assert solve(ENDGAME.replace("Pass: 1", "Pass: 2"), "--rules", "relaxed").exit_code == 0


def test_show_gives_the_board_and_both_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "BUDGETS", (200_000,))
    fresh = CliRunner().invoke(main, ["forty-thieves", "show", "1", "--data", str(tmp_path)])
    assert fresh.exit_code == 0, fresh.stderr
    lines = fresh.stdout.splitlines()
    assert lines[2:4] == [" 1  2  3  4  5  6  7  8  9 10", "JD 8H 3H TH 5D 8H 4C 4C QH KD"]
    assert lines[9].startswith("4S 3C QD 5C 9D 9S 7H 3H 8D 9C 7C 3S")
    assert "Settled afresh:" in lines
    words = ["forty-thieves", "winnable", "1", "--out", str(tmp_path), "--jobs", "0", "-q"]
    assert CliRunner().invoke(main, words).exit_code == 0
    stored = CliRunner().invoke(main, ["forty-thieves", "show", "1", "--data", str(tmp_path)])
    assert stored.stdout == fresh.stdout.replace("Settled afresh:", f"From {tmp_path}:")
