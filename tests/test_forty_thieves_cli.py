"""The commands of Forty Thieves, with a made-up search whose answers follow from the deal."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tampering import tamper
from thieves_evidence import evidence

from pipeline.cli import main
from pipeline.forty_thieves import jobs
from pipeline.schemas import (
    FORTY_THIEVES_DEALS,
    FORTY_THIEVES_EVIDENCE,
    FORTY_THIEVES_SOLUTIONS,
    FORTY_THIEVES_TABLES,
    FORTY_THIEVES_WINNABLE,
)
from pipeline.table_files import read_metadata, read_table
from solvers.forty_thieves.deals import Board, Rules, forty_thieves_deal
from solvers.result import Result as Answer
from solvers.result import Verdict

# The states that settle a deal, by rule set, and what then comes out; other deals are relaxed wins at 10 states.
HARD = {1: (10, "S"), 2: (500, "S"), 3: (5_000, "U"), 4: (50_000, "S"), 5: (10, "U"), 6: (10**9, "U")}
NUMBERS = {forty_thieves_deal(deal): deal for deal in range(1, 31)}
BUDGETS = (100, 1_000)
DEEPER = 10_000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Each test works in a folder of its own with the made-up search, and leaves no log handler behind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(jobs, "BUDGETS", BUDGETS)
    monkeypatch.setattr(jobs, "DEEPER_LIMIT", DEEPER)
    monkeypatch.setattr(jobs.search, "solve", made_up)
    monkeypatch.setattr(jobs.referee, "replay", lambda board, rules, solution: len(solution) // 2)
    before = list(logging.getLogger().handlers)
    yield tmp_path
    assert logging.getLogger().handlers == before


def made_up(board: Board, rules: Rules, state_limit: int) -> tuple[Answer, str | None]:
    """Settle a deal if the limit is as high as its hardness."""
    deal = NUMBERS[board]
    states, letter = HARD.get(deal, (10, "S")) if rules == Rules.CLASSIC else (10, "S")
    if states > state_limit:
        return Answer(Verdict.UNDECIDED, state_limit, state_limit), None
    found = evidence(deal, rules.value, letter)
    return Answer(Verdict(found.verdict), states, state_limit, found.solution), found.grade


def deals(*words: str, stdin: str | None = None) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(main, words, input=stdin)


def winnable(*words: str) -> Result:
    return deals("forty-thieves", "winnable", *words, "--jobs", "0", "-q")


def rows_of(spec: Any, folder: str = "out") -> list[dict[str, Any]]:
    return list(read_table(Path(folder) / spec.file_name, spec).to_pylist())


def verdicts(folder: str = "out", rules: str = "classic") -> dict[int, str]:
    return {row["deal"]: row["verdict"] for row in rows_of(FORTY_THIEVES_DEALS[rules], folder)}


def listed(rules: str, folder: str = "out") -> list[int]:
    return list(json.loads((Path(folder) / FORTY_THIEVES_WINNABLE[rules].list_name).read_text()))


def contents(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("winnable 0", "'0' is outside the deals 1-2147483647"),
        ("winnable 1-2147483648", "'1-2147483648' is outside the deals 1-2147483647"),
        ("winnable 1-2147483647", "'1-2147483647' is more than 1000000 deals at once"),
        ("winnable 1 --rules strict", "'strict' is not one of 'classic', 'relaxed', 'both'"),
        ("winnable 1 --limit 0", "'--limit': 0"),
        ("winnable 1 --limit 99999999999999", "99999999999999 is more states than a search can hold"),
        ("winnable --jobs 0", "data folder 'data' is absent"),
        ("winnable 1 --deeper", "data/forty_thieves_evidence.parquet is absent"),
        ("solve", "give either RANGE (such as 1-100) or --board FILE"),
        ("solve 1 --board -", "give either RANGE (such as 1-100) or --board FILE"),
        ("solve 1 --any-progress", "--any-progress asks of a position"),
        ("solve --board absent", "'absent'"),
        ("show 0", "'0' is no deal number; accepted are 1 to 2147483647"),
    ],
)
def test_bad_input_is_one_line_and_status_2(line: str, said: str) -> None:
    result = deals("forty-thieves", *line.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("deals: ")
    assert result.stderr.count("\n") == 1
    assert said in result.stderr


def test_winnable_writes_its_tables_and_prints_counts() -> None:
    result = winnable("1-6")
    assert result.exit_code == 0, result.stderr
    assert "classic   solvable            2   33.33%" in result.stdout
    assert {path.name for path in Path("out").glob("*.*")} == {
        *(spec.file_name for spec in FORTY_THIEVES_TABLES),
        *(spec.list_name for spec in FORTY_THIEVES_WINNABLE.values()),
    }
    open_ones = dict.fromkeys((3, 4, 6), "undecided")
    assert verdicts() == {1: "solvable", 2: "solvable", 5: "unsolvable"} | open_ones
    assert listed("classic") == [1, 2]
    assert listed("relaxed") == [1, 2, 3, 4, 5, 6]
    limits = {(row["deal"], row["rules"]): row["state_limit"] for row in rows_of(FORTY_THIEVES_EVIDENCE)}
    assert (limits[1, "classic"], limits[2, "classic"], limits[2, "relaxed"]) == (100, 1_000, 100)
    metadata = read_metadata(Path("out") / FORTY_THIEVES_SOLUTIONS.file_name)
    assert (metadata["game"], metadata["budgets"]) == ("forty_thieves", "100,1000")
    assert deals("verify", "out", "--jobs", "0", "-q").exit_code == 0


def test_undecided_deals_are_status_4_only_where_a_decision_is_required() -> None:
    assert winnable("4", "--rules", "classic").exit_code == 0
    assert winnable("4", "--rules", "classic", "--require-decided").exit_code == 4
    assert winnable("4", "--rules", "relaxed", "--require-decided").exit_code == 0


def test_a_finished_run_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first, before = winnable("1-6"), contents("out")
    monkeypatch.setattr(jobs.search, "solve", None)
    second = winnable("1-6")
    assert (second.exit_code, second.stdout) == (first.exit_code, first.stdout)
    assert contents("out") == before


def test_one_rule_set_is_a_run_of_its_own() -> None:
    winnable("1-3")
    assert winnable("1-3", "--rules", "classic", "--out", "one").exit_code == 0
    assert [path.name for path in Path("one/runs").iterdir()] == ["forty-thieves-winnable-1-3-classic"]
    assert not (Path("one") / FORTY_THIEVES_DEALS["relaxed"].file_name).exists()
    assert contents("one")["forty_thieves_classic.parquet"] == contents("out")["forty_thieves_classic.parquet"]
    assert deals("verify", "one", "--jobs", "0").exit_code == 0


def test_without_a_range_the_tables_of_both_rule_sets_are_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.forty_thieves.commands.DEFAULT_RANGE", range(1, 7))
    Path("data").mkdir()
    assert winnable("--rules", "classic", "--out", "one").exit_code == 0
    assert contents("data") == {}
    assert winnable().exit_code == 0
    published = contents("data")
    assert {name: published[name] for name in contents("out")} == contents("out")
    assert deals("verify", "--jobs", "0").exit_code == 0


def publish_six() -> dict[str, bytes]:
    """Publish deals 1-6; return what the data folder then holds."""
    Path("data").mkdir()
    winnable("1-6")
    assert deals("publish", "forty-thieves-winnable-1-6-both").exit_code == 0
    return contents("data")


def test_deeper_takes_up_what_is_undecided_and_keeps_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    publish_six()
    before = rows_of(FORTY_THIEVES_EVIDENCE, "data")
    searched: list[tuple[int, str, int]] = []

    def noted(board: Board, rules: Rules, state_limit: int) -> tuple[Answer, str | None]:
        searched.append((NUMBERS[board], rules.value, state_limit))
        return made_up(board, rules, state_limit)

    monkeypatch.setattr(jobs.search, "solve", noted)
    monkeypatch.setattr(jobs.search, "SEARCH_VERSION", 9)
    result = winnable("--deeper")
    assert result.exit_code == 0, result.stderr
    assert "Taken up once more: 3 deals; settled now: 1\n" in result.stdout
    assert searched == [(deal, "classic", DEEPER) for deal in (3, 4, 6)]
    assert {deal: verdict for deal, verdict in verdicts("data").items() if deal in (3, 4, 6)} == {
        3: "unsolvable",
        4: "undecided",
        6: "undecided",
    }
    after = rows_of(FORTY_THIEVES_EVIDENCE, "data")
    taken = [row for row in after if row["search_version"] == 9]
    assert [(row["deal"], row["rules"], row["state_limit"]) for row in taken] == [
        (deal, "classic", DEEPER) for deal in (3, 4, 6)
    ]
    assert [row for row in after if row not in taken] == [row for row in before if row["verdict"] != "undecided"]
    assert read_metadata(Path("data") / FORTY_THIEVES_EVIDENCE.file_name)["budgets"] == "100,1000,10000"
    assert deals("verify", "--jobs", "0").exit_code == 0


def test_the_whole_range_again_keeps_what_deeper_runs_have_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.forty_thieves.commands.DEFAULT_RANGE", range(1, 7))
    Path("data").mkdir()
    winnable()
    winnable("--deeper")
    before = contents("data")
    assert verdicts("data")[3] == "unsolvable"
    again = winnable("--out", "again")
    assert again.exit_code == 0, again.stderr
    assert verdicts("again")[3] == "undecided"
    assert contents("data") == before


def test_deeper_does_not_search_twice_with_the_same_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    publish_six()
    winnable("--deeper")
    before = contents("data")
    monkeypatch.setattr(jobs.search, "solve", None)
    assert winnable("--deeper").exit_code == 0
    assert contents("data") == before


def test_deeper_in_a_range_keeps_all_rows_and_is_published_on_demand() -> None:
    before = publish_six()
    result = winnable("1-3", "--rules", "classic", "--deeper", "--limit", "60000", "--require-decided")
    assert result.exit_code == 0, result.stderr
    assert contents("data") == before
    assert verdicts()[3] == "unsolvable"
    assert verdicts()[4] == "undecided"
    assert winnable("3-4", "--deeper", "--require-decided").exit_code == 4
    (run,) = Path("out/runs").glob("forty-thieves-deeper-3-classic-limit-60000-from-*")
    assert deals("publish", run.name).exit_code == 0
    assert verdicts("data")[3] == "unsolvable"
    assert len(rows_of(FORTY_THIEVES_EVIDENCE, "data")) == 12
    assert deals("verify", "--jobs", "0").exit_code == 0


def test_deeper_goes_on_from_sound_tables_that_know_the_deals() -> None:
    publish_six()
    result = winnable("5-7", "--deeper")
    assert result.exit_code == 2
    assert "deal 7 is not in the tables of data" in result.stderr
    tamper(Path("data") / FORTY_THIEVES_DEALS["classic"].file_name, {"moves": 9})
    result = winnable("--deeper")
    assert result.exit_code == 2
    assert "what is known must agree, but forty_thieves_classic: deal 1: moves is 9" in result.stderr
    (Path("data") / FORTY_THIEVES_SOLUTIONS.file_name).unlink()
    assert "forty_thieves_solutions.parquet is absent" in winnable("--deeper").stderr


def test_publishing_keeps_what_is_known() -> None:
    before = publish_six()
    winnable("1-5", "--name", "five")
    winnable("1-6", "--rules", "classic", "--name", "classic")
    lost_by = {"five": "relaxed.parquet settles deal 6", "classic": "evidence.parquet settles deal 1 relaxed"}
    for name, lost in lost_by.items():
        result = deals("publish", name)
        assert result.exit_code == 1
        assert f"{lost}, this run does not" in result.stderr
    assert contents("data") == before


def test_a_win_that_the_referee_refuses_is_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise jobs.referee.RefereeError("move 1 (1a): no such move")

    monkeypatch.setattr(jobs.referee, "replay", refuse)
    result = winnable("1", "--name", "mine")
    assert result.exit_code == 1
    assert "deal 1, classic: move 1 (1a): no such move" in result.stderr
    assert not list(Path("out/runs/mine/shards").iterdir())


def test_solve_searches_once_and_writes_evidence_and_solutions_alone() -> None:
    result = deals("forty-thieves", "solve", "1-4", "--rules", "classic", "--jobs", "0", "-q", "--require-decided")
    assert result.exit_code == 4
    assert "4 Forty Thieves deals" in result.stdout
    names = [FORTY_THIEVES_EVIDENCE.file_name, FORTY_THIEVES_SOLUTIONS.file_name]
    assert sorted(path.name for path in Path("out/solve").glob("*.*")) == names
    assert {row["state_limit"] for row in rows_of(FORTY_THIEVES_EVIDENCE, "out/solve")} == {DEEPER}
    assert deals("verify", "out/solve", "--jobs", "0").exit_code == 0


@pytest.mark.parametrize(
    ("spec", "change", "fault"),
    [
        (FORTY_THIEVES_SOLUTIONS, {"moves": 3}, "deal 1 rules classic: moves is 3, the referee counts 101"),
        (FORTY_THIEVES_SOLUTIONS, {"deal": 5}, "out of order"),
        (FORTY_THIEVES_EVIDENCE, {"verdict": "unsolvable"}, "deal 1 classic: the evidence does not say solvable"),
        (FORTY_THIEVES_DEALS["relaxed"], {"grade": None}, "deal 1: solvable with grade None"),
        (FORTY_THIEVES_DEALS["relaxed"], {"moves": 99}, "deal 1: moves is 99, the solution has 101"),
        (FORTY_THIEVES_WINNABLE["classic"], {"deal": 0}, "deal 0: listed, but not proved solvable"),
        (FORTY_THIEVES_WINNABLE["classic"], {"deal": 0}, "forty_thieves_classic_winnable.json: not the deals of"),
    ],
)
def test_verify_names_a_bad_row(spec: Any, change: dict[str, Any], fault: str) -> None:
    winnable("1-6")
    tamper(Path("out") / spec.file_name, change)
    result = deals("verify", "out", "--jobs", "0")
    assert result.exit_code == 3
    assert fault in result.stdout


def test_verify_misses_files_and_reads_the_json() -> None:
    publish_six()
    Path("data/forty_thieves_relaxed_winnable.json").write_text("[1,2")
    result = deals("verify", "--jobs", "0")
    assert result.exit_code == 3
    assert "forty_thieves_relaxed_winnable.json: cannot be read: no JSON" in result.stdout
    Path("data/forty_thieves_relaxed_winnable.json").unlink()
    Path("data/forty_thieves_evidence.parquet").unlink()
    said = deals("verify", "--jobs", "0").stdout
    assert "forty_thieves_relaxed_winnable.json: absent, though in the manifest" in said
    assert "forty_thieves_evidence.parquet is absent, which forty_thieves_classic.parquet rests on" in said


def test_verify_decides_rows_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    winnable("1-6")
    monkeypatch.setattr(jobs.search, "enumerate_states", lambda *_: Answer(Verdict.UNSOLVABLE, 7, 9))
    result = deals("verify", "out", "--jobs", "0", "--resolve", "all", "--enumerate", "all")
    assert result.exit_code == 0, result.stdout
    assert "forty_thieves_evidence: 12 rows searched afresh, 3 of them cut short by the state limit" in result.stdout
    assert "forty_thieves_evidence: 1 rows enumerated plainly\n" in result.stdout
    lost = Answer(Verdict.UNSOLVABLE, 6, 9)
    monkeypatch.setattr(jobs.search, "solve", lambda *_: (lost, None))
    wrong = deals("verify", "out", "--jobs", "0", "--resolve", "all")
    assert wrong.exit_code == 3
    assert "deal 1 rules classic: solvable, but unsolvable when searched afresh (6 states)" in wrong.stdout
    monkeypatch.setattr(jobs.search, "enumerate_states", lambda *_: Answer(Verdict.SOLVABLE, 7, 9, "t"))
    wrong = deals("verify", "out", "--jobs", "0", "--enumerate", "all")
    assert wrong.exit_code == 3
    assert "deal 5 rules classic: unsolvable, but solvable when enumerated plainly (7 states)" in wrong.stdout
