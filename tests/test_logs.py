import io
import logging
import sys
from collections import Counter
from pathlib import Path

import pytest
import worker_tasks as tasks
from tqdm import tqdm

from pipeline.logs import run_log
from pipeline.progress import Progress
from pipeline.workers import TaskError, run_tasks


def messages(path: Path, logger: str = "tests.tasks") -> list[str]:
    """Return a logger's messages in a run's log."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split(f" {logger}: ")[1] for line in lines if f" {logger}: " in line]


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_every_record_arrives_once(tmp_path, jobs: int) -> None:
    with run_log(tmp_path / "log"):
        run_tasks(tasks.log_and_square, range(300), jobs, lambda *_: None)
    assert sorted(messages(tmp_path / "log")) == sorted(f"task {number}" for number in range(300))


@pytest.mark.parametrize("function", [tasks.log_then_raise, tasks.log_then_exit])
def test_a_worker_that_fails_loses_no_record(tmp_path, function) -> None:
    with run_log(tmp_path / "log"), pytest.raises(TaskError) as caught:
        run_tasks(function, range(4), 2, lambda *_: None)
    failed = str(caught.value).split()[0]
    found = Counter(messages(tmp_path / "log"))
    assert all(found[f"line {line} of {failed}"] == 1 for line in range(500))
    assert set(found.values()) == {1}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_worker_killed_while_it_sends_holds_nobody_up(tmp_path) -> None:
    """The killed worker keeps the lock of the queue that it shares with the others."""
    todo = [(number, str(tmp_path / "killed")) for number in range(40)]
    results: list[int] = []
    with run_log(tmp_path / "log"):
        run_tasks(tasks.die_sending_once, todo, 2, lambda _, result: results.append(result))
    assert sorted(results) == list(range(40))
    # What waited for the lock is lost; from the next queue on everything arrives.
    assert {f"task {number}" for number in (5, *range(20, 40))} <= set(messages(tmp_path / "log"))


def test_a_log_is_appended_to(tmp_path) -> None:
    for number in (1, 2):
        with run_log(tmp_path / "log"):
            logging.getLogger("tests.tasks").info("run %d", number)
    assert messages(tmp_path / "log") == ["run 1", "run 2"]


def test_warnings_reach_the_terminal(tmp_path, capsys) -> None:
    with run_log(tmp_path / "log"):
        run_tasks(tasks.warn, [7], 1, lambda *_: None)
    captured = capsys.readouterr()
    assert captured.err == "WARNING: task 7 is odd\n"
    assert captured.out == ""
    assert messages(tmp_path / "log") == ["task 7 is even not", "task 7 is odd"]


def test_nothing_stays_behind(tmp_path) -> None:
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    with run_log(None):
        assert len(root.handlers) == len(before[1]) + 1
    with run_log(tmp_path / "log"), pytest.raises(TaskError):
        run_tasks(tasks.refuse_three, [3], 1, lambda *_: None)
    assert (root.level, list(root.handlers)) == before


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_tells_deals_and_undecided(monkeypatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress(1000, "difficulty") as progress:
        progress.skip(300)
        progress.advance(100, undecided=7)
        progress.advance(0, undecided=-4)
        tqdm.write("a warning", file=sys.stderr)
        assert progress.undecided == 3
    last = terminal.getvalue().rstrip("\n").split("\r")[-1]
    assert last.startswith("difficulty:  40%")
    assert "400/1000" in last
    assert "3 undecided" in last
    assert "\ra warning\n" in terminal.getvalue()


def test_progress_is_absent_when_quiet(monkeypatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress(10, "difficulty", is_quiet=True) as progress:
        progress.skip(2)
        progress.advance(3, undecided=1)
    assert terminal.getvalue() == ""


def test_progress_is_absent_without_a_terminal(monkeypatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(10, "difficulty") as progress:
        progress.advance(3, undecided=1)
    assert (stream.getvalue(), progress.undecided) == ("", 1)
