import logging
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from tampering import tamper

from pipeline import jobs
from pipeline.cli import main
from pipeline.files import Lock
from pipeline.schemas import FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS, FREECELL_WINNABLE
from pipeline.table_files import read_metadata, read_table
from solvers.deals import freecell_deal
from solvers.freecell.referee import replay
from solvers.freecell.text import format_board
from solvers.result import Result as Answer
from solvers.result import Verdict

TABLES = (FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Each test works in a folder of its own, and leaves no log handler behind."""
    monkeypatch.chdir(tmp_path)
    before = list(logging.getLogger().handlers)
    yield tmp_path
    assert logging.getLogger().handlers == before


def deals(*words: str, stdin: str | None = None) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(main, words, input=stdin)


def difficulty(*words: str) -> Result:
    return deals("freecell", "difficulty", *words, "--jobs", "0", "-q")


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


@pytest.mark.parametrize("words", list(commands(main)), ids=" ".join)
def test_every_command_explains_itself(words: tuple[str, ...]) -> None:
    result = deals(*words, "--help")
    assert result.exit_code == 0
    assert not result.stderr
    assert (len(words) == 1 and words[0] in ("freecell", "forty-thieves")) or "Example" in result.stdout


@pytest.mark.parametrize("words", [(), ("freecell",), ("forty-thieves",)])
def test_a_bare_group_shows_its_help(words: tuple[str, ...]) -> None:
    assert deals(*words).stdout == deals(*words, "--help").stdout
    assert deals(*words).exit_code == 0


def test_the_version_is_that_of_the_distribution() -> None:
    try:
        expected = version("solitaire-deals")
    except PackageNotFoundError:
        pytest.skip("the distribution is not installed")
    assert deals("--version").stdout == f"deals {expected}\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("freecell difficulty 1-9x", "'1-9x' is no deal number or range; accepted are"),
        ("freecell difficulty 0", "'0' is outside the deals 1-1000000"),
        ("freecell difficulty @absent", "'absent'"),
        ("freecell difficulty 1 --jobs -1", "'--jobs': -1"),
        ("freecell difficulty 1 --jobs two", "'two'"),
        ("freecell difficulty 1 --limit 0", "'--limit': 0"),
        (
            "freecell difficulty 1 --limit 9999999999",
            "9999999999 is more states than a search can",
        ),
        ("freecell difficulty 1 --name ../up", "'../up' is no name for a run; accepted are"),
        ("freecell difficulty --jobs 0", "data folder 'data' is absent"),
        ("freecell difficulty 1 2", "2"),
        ("freecell solve 1 --cells 5", "'5' is no number of free cells; accepted are 0 to 4"),
        ("freecell solve 1 --cells 1,", "'' is no number of free cells"),
        ("freecell solve", "give either RANGE (such as 1-100) or --board FILE"),
        ("freecell solve 1 --board -", "give either RANGE (such as 1-100) or --board FILE"),
        ("freecell solve --board absent", "'absent'"),
        ("freecell audit 1000001", "'1000001' is outside the deals 1-1000000"),
        ("freecell show 1-3", "'1-3' is no deal number; accepted are 1 to 1000000"),
        ("freecell show", "'N'"),
        ("freecell juggle", "'juggle'"),
        ("freecell audit --loud", "'--loud'"),
        ("verify", "'data'"),
        ("verify absent", "'absent'"),
        ("verify .", "'.' holds no table"),
        ("verify --resolve some", "'some' is no number of rows; accepted are whole numbers and 'all'"),
        ("publish absent", "data folder 'data' is absent"),
        ("publish absent --data .", "there is no run 'absent'"),
        ("publish . --data .", "run.json"),
    ],
)
def test_bad_input_is_one_line_and_status_2(line: str, said: str) -> None:
    result = deals(*line.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("deals: ")
    assert result.stderr.count("\n") == 1
    assert said in result.stderr


def test_the_data_folder_is_missed_before_anything_is_computed() -> None:
    difficulty()
    assert not Path("out").exists()


def test_difficulty_writes_its_tables_and_prints_counts() -> None:
    result = difficulty("1-5,617")
    assert result.exit_code == 0, result.stderr
    assert "6 FreeCell deals, 0 undecided" in result.stdout
    tables = {spec.name: read_table(Path("out") / spec.file_name, spec).to_pylist() for spec in TABLES}
    assert [row["deal"] for row in tables["freecell_difficulty"]] == [1, 2, 3, 4, 5, 617]
    assert len(tables["freecell_evidence"]) == 30
    for row in tables["freecell_solutions"]:
        assert replay(freecell_deal(row["deal"]), row["cells"], row["solution"]) == row["moves"]
    assert set(read_metadata(Path("out") / FREECELL_SOLUTIONS.file_name)) >= {"search_version", "budgets"}
    assert deals("verify", "out", "--jobs", "0", "-q").exit_code == 0


def test_a_finished_run_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = difficulty("1-3")
    before = [(Path("out") / spec.file_name).read_bytes() for spec in TABLES]
    monkeypatch.setattr(jobs.difficulty, "settle", None)
    second = difficulty("1-3")
    assert (second.exit_code, second.stdout) == (first.exit_code, first.stdout)
    assert [(Path("out") / spec.file_name).read_bytes() for spec in TABLES] == before


def test_another_configuration_is_refused() -> None:
    difficulty("1-3", "--name", "mine")
    result = difficulty("1-4", "--name", "mine")
    assert result.exit_code == 2
    assert 'started with deals "1-3", not "1-4"' in result.stderr


def test_a_run_in_use_is_refused() -> None:
    difficulty("1", "--name", "mine")
    lock = Lock(Path("out/runs/mine/lock"))
    result = difficulty("1", "--name", "mine")
    lock.release()
    assert result.exit_code == 2
    assert "is in use by process" in result.stderr


def test_undecided_deals_are_status_4() -> None:
    result = difficulty("1", "--limit", "2")
    assert result.exit_code == 4
    assert "1 undecided (1)" in result.stdout


def test_passes_build_on_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = difficulty("1-6", "--name", "whole", "--out", "a")
    monkeypatch.setattr(jobs, "BUDGETS", (50, 500, jobs.BUDGETS[-1]))
    result = difficulty("1-6", "--out", "b")
    assert result.exit_code == whole.exit_code == 0
    assert list(Path("b/runs").glob("*/shards/p1-*"))
    settled = [pq.read_table(f"{out}/{FREECELL_DIFFICULTY.file_name}", columns=["deal", "min_cells"]) for out in "ab"]
    assert settled[0].equals(settled[1])


def test_an_interruption_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(jobs.difficulty, "settle", interrupted)
        result = difficulty("1")
    assert result.exit_code == 130
    assert result.stderr == "deals: interrupted; the same command goes on from where it stopped\n"
    assert difficulty("1").exit_code == 0


def test_an_unforeseen_error_is_one_line_and_a_traceback_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("no such luck")

    monkeypatch.setattr(jobs.difficulty, "settle", broken)
    result = difficulty("1", "--name", "mine")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "deal 1, pass 0 failed: ZeroDivisionError: no such luck" in result.stderr
    assert "Traceback" in Path("out/runs/mine/run.log").read_text()


def test_a_win_that_the_referee_refuses_is_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Answer(Verdict.SOLVABLE, 1, 9, "1h")
    monkeypatch.setattr(jobs.search, "solve", lambda *_: wrong)
    result = deals("freecell", "solve", "617", "--jobs", "0")
    assert result.exit_code == 1
    assert "deal 617 with 4 cells: move 1 (1h)" in result.stderr


def test_the_audit_counts_the_published_states() -> None:
    for words, states in (((), "61,643"), (("--no-autoplay",), "83,239")):
        result = deals("freecell", "audit", "11982", "--jobs", "0", *words)
        assert result.exit_code == 0, result.stderr
        assert result.stdout.count(states) == 2
        assert deals("verify", "out/freecell_audit.parquet").exit_code == 0


def test_an_audit_stops_at_a_win_and_at_its_limit() -> None:
    result = deals("freecell", "audit", "1,11982", "--limit", "1000", "--jobs", "0")
    assert result.exit_code == 4
    rows = pq.read_table("out/freecell_audit.parquet").to_pylist()
    assert [row["states_reachable"] for row in rows] == [None, None]
    assert rows[1]["verdict_plain"] == "undecided"
    won = deals("freecell", "audit", "1", "--jobs", "0", "--cells", "3,4")
    assert won.exit_code == 0
    assert won.stdout.count("solvable") == 4


def test_an_audit_that_disagrees_is_status_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs.search, "solve", lambda *_: Answer(Verdict.SOLVABLE, 1, 9, "1a"))
    result = deals("freecell", "audit", "11982", "--jobs", "0")
    assert result.exit_code == 3
    assert "deal 11982 with 4 cells: enumeration says unsolvable, the search solvable" in result.stderr
    assert "known as unsolvable, yet found solvable" in result.stderr


def test_solve_writes_evidence_and_solutions_alone() -> None:
    result = deals("freecell", "solve", "1-3", "--cells", "0,4", "--jobs", "0", "--out", "raw")
    assert result.exit_code == 0, result.stderr
    assert sorted(path.name for path in Path("raw").glob("*.parquet")) == [
        "freecell_evidence.parquet",
        "freecell_solutions.parquet",
    ]
    rows = read_table(Path("raw/freecell_evidence.parquet"), FREECELL_EVIDENCE).to_pylist()
    assert [(row["deal"], row["cells"], row["basis"]) for row in rows] == [
        (deal, cells, "searched") for deal in (1, 2, 3) for cells in (0, 4)
    ]
    assert deals("verify", "raw").exit_code == 0


def test_solve_requires_a_decision_on_demand() -> None:
    words = ("freecell", "solve", "1", "--limit", "2", "--jobs", "0")
    assert deals(*words).exit_code == 0
    assert deals(*words, "--require-decided").exit_code == 4


@pytest.mark.parametrize("word", ["-", "board.txt"])
def test_solve_settles_a_board(word: str) -> None:
    text = format_board(freecell_deal(3))
    Path("board.txt").write_text(text)
    result = deals("freecell", "solve", "--board", word, "--cells", "1,4", stdin=text)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("1 cell: unsolvable, 112 states searched\n4 cells: solvable, ")
    assert "In standard notation:" in result.stdout
    assert not Path("out").exists()


def test_a_bad_board_is_told_the_line() -> None:
    lines = format_board(freecell_deal(617)).splitlines()
    lines[-1] += " 7D"
    result = deals("freecell", "solve", "--board", "-", stdin="\n".join(lines))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert f"line {len(lines)}: '7D' stands twice" in result.stderr


def test_a_board_that_is_no_text_is_refused() -> None:
    Path("board.txt").write_bytes(b"\xff\xfe\x00")
    result = deals("freecell", "solve", "--board", "board.txt")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_show_settles_afresh_or_reads_the_tables() -> None:
    fresh = deals("freecell", "show", "617")
    assert fresh.exit_code == 0, fresh.stderr
    assert "FreeCell deal 617\n" in fresh.stdout
    assert "settled afresh" in fresh.stdout
    assert "In standard notation:" in fresh.stdout
    difficulty("617")
    stored = deals("freecell", "show", "617", "--data", "out")
    assert stored.stdout == fresh.stdout.replace("settled afresh", "from out")


def test_show_lays_the_board_out() -> None:
    difficulty("1")
    lines = deals("freecell", "show", "1", "--data", "out").stdout.splitlines()
    assert lines[2:5] == [" 1  2  3  4  5  6  7  8", "JD 2D 9H JC 5D 7H 7C 5H", "KD KC 9S 5S AD QC KH 3H"]


def test_publishing_needs_a_whole_run_and_keeps_what_is_known() -> None:
    Path("data").mkdir()
    difficulty("1-3")
    difficulty("1-2")
    result = deals("publish", "freecell-difficulty-1-3")
    assert result.exit_code == 0, result.stderr
    assert deals("verify", "--jobs", "0").exit_code == 0
    before = {path: path.read_bytes() for path in Path("data").iterdir()}
    result = deals("publish", "out/runs/freecell-difficulty-1-2")
    assert result.exit_code == 1
    assert "settles deal 3, this run does not" in result.stderr
    next(Path("out/runs/freecell-difficulty-1-3/shards").iterdir()).unlink()
    result = deals("publish", "freecell-difficulty-1-3")
    assert result.exit_code == 2
    assert "is not finished: deals 1-3, pass 0 is missing" in result.stderr
    assert {path: path.read_bytes() for path in Path("data").iterdir()} == before


def test_audits_are_published_and_raw_searches_are_not() -> None:
    Path("data").mkdir()
    deals("freecell", "audit", "11982", "--jobs", "0", "--name", "audit")
    deals("freecell", "solve", "1", "--jobs", "0", "--name", "raw")
    assert deals("publish", "audit").exit_code == 0
    assert Path("data/freecell_audit.parquet").read_bytes() == Path("out/freecell_audit.parquet").read_bytes()
    result = deals("publish", "out/solve/runs/raw")
    assert result.exit_code == 2
    assert "'freecell solve'" in result.stderr


def test_without_a_range_the_tables_are_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.commands.PUBLISHED_RANGE", range(1, 4))
    Path("tables").mkdir()
    result = difficulty("--data", "tables")
    assert result.exit_code == 0, result.stderr
    for spec in TABLES:
        assert (Path("tables") / spec.file_name).read_bytes() == (Path("out") / spec.file_name).read_bytes()
    assert deals("verify", "tables", "--jobs", "0").exit_code == 0


def test_winnable_lists_what_the_evidence_proves() -> None:
    difficulty("1-5,11982", "--out", "data")
    result = deals("freecell", "winnable", "1-4,11982")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "5 FreeCell deals with 4 cells: 4 solvable, 1 unsolvable, 0 undecided\n"
    assert Path("out/winnable/freecell_winnable.json").read_text() == "[1,2,3,4]\n"
    rows = read_table(Path("out/winnable") / FREECELL_WINNABLE.file_name, FREECELL_WINNABLE)
    assert rows.column("deal").to_pylist() == [1, 2, 3, 4]
    assert deals("verify", "out/winnable").exit_code == 0


def test_winnable_without_a_range_is_published_as_difficulty_publishes_it() -> None:
    Path("data").mkdir()
    difficulty("1-3,11982", "--name", "run")
    deals("publish", "run")
    before = {path: path.read_bytes() for path in Path("data").iterdir()}
    Path("data/freecell_winnable.parquet").unlink()
    assert deals("freecell", "winnable").exit_code == 0
    assert {path: path.read_bytes() for path in Path("data").iterdir()} == before
    assert deals("verify", "--jobs", "0").exit_code == 0


def test_winnable_needs_evidence_of_the_deals() -> None:
    result = deals("freecell", "winnable", "1")
    assert result.exit_code == 2
    assert "data/freecell_evidence.parquet is absent" in result.stderr
    difficulty("1-2", "--out", "data")
    result = deals("freecell", "winnable", "2-4")
    assert result.exit_code == 2
    assert "data/freecell_evidence.parquet has no evidence of deal 3" in result.stderr


def test_verify_holds_the_winnable_list_to_the_evidence() -> None:
    difficulty("1-2")
    tamper(Path("out") / FREECELL_WINNABLE.file_name, {"deal": 0})
    said = deals("verify", "out", "--jobs", "0").stdout
    assert "freecell_winnable: deal 0: listed, but not proved solvable with 4 cells" in said
    assert "freecell_winnable: deal 1: not listed, but proved solvable with 4 cells" in said


@pytest.mark.parametrize(
    ("spec", "change", "fault"),
    [
        (FREECELL_SOLUTIONS, {"solution": "1h"}, "freecell_solutions: deal 1 cells"),
        (FREECELL_SOLUTIONS, {"moves": 3}, "moves is 3, the referee counts"),
        (FREECELL_DIFFICULTY, {"level": "unsolvable"}, "freecell_difficulty: deal 1: level is 'unsolvable'"),
        (FREECELL_EVIDENCE, {"verdict": "undecided"}, "freecell_evidence: deal 1 cells 0: undecided, though"),
        (FREECELL_EVIDENCE, {"deal": 2}, "out of order"),
    ],
)
def test_verify_names_a_bad_row(spec: Any, change: dict[str, Any], fault: str) -> None:
    difficulty("1-2")
    tamper(Path("out") / spec.file_name, change)
    result = deals("verify", "out", "--jobs", "0")
    assert result.exit_code == 3
    assert fault in result.stdout


def test_verify_misses_tables_and_manifest_entries() -> None:
    Path("data").mkdir()
    difficulty("1-2")
    deals("publish", "freecell-difficulty-1-2")
    Path("data/freecell_solutions.parquet").unlink()
    result = deals("verify", "--jobs", "0")
    assert result.exit_code == 3
    assert "freecell_solutions.parquet is absent" in result.stdout
    Path("data/freecell_evidence.parquet").write_bytes(b"PAR1")
    assert "no readable Parquet file" in deals("verify", "data", "--jobs", "0").stdout
    assert deals("verify", "data/freecell_difficulty.parquet").exit_code == 0


def test_verify_decides_rows_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    difficulty("1-3")
    words = ("verify", "out", "--jobs", "0", "--resolve", "4", "--enumerate", "2", "--seed", "5")
    result = deals(*words)
    assert result.exit_code == 0, result.stdout
    assert "freecell_evidence: 4 rows searched afresh\n" in result.stdout
    assert "freecell_evidence: 2 rows enumerated plainly\n" in result.stdout
    assert deals(*words).stdout == result.stdout
    assert "15 rows searched afresh\n" in deals("verify", "out", "--jobs", "0", "--resolve", "all").stdout
    cut = (*words, "--limit", "1")
    assert "4 of them cut short by the state limit" in deals(*cut).stdout
    assert deals(*cut).exit_code == 0
    assert deals(*cut, "--require-decided").exit_code == 4
    monkeypatch.setattr(jobs.search, "solve", lambda *_: Answer(Verdict.UNSOLVABLE, 6, 9))
    wrong = deals("verify", "out", "--jobs", "0", "--resolve", "all")
    assert wrong.exit_code == 3
    assert "freecell_evidence: deal 1 cells 4: solvable, but unsolvable when searched afresh (6 states)" in wrong.stdout


def test_rows_to_decide_once_more_need_evidence() -> None:
    difficulty("1")
    result = deals("verify", "out/freecell_solutions.parquet", "--resolve", "1")
    assert result.exit_code == 2
    assert "there are no rows to decide once more" in result.stderr
