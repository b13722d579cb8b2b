import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import worker_tasks as tasks

from pipeline.schemas import FREECELL_SEARCHES
from pipeline.shards import RunDirectory
from pipeline.workers import TaskError, run_tasks

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
JOBS = pytest.mark.parametrize("jobs", [0, 1, 3])


def results(function: Callable[..., Any], todo: Any, jobs: int, **options: Any) -> dict[Any, Any]:
    """Run tasks and return their results, each handed over once."""
    found: dict[Any, Any] = {}

    def keep(task: Any, result: Any) -> None:
        assert task not in found
        found[task] = result

    run_tasks(function, todo, jobs, keep, **options)
    return found


@JOBS
def test_every_task_is_handed_over_once(jobs: int) -> None:
    assert results(tasks.square, range(40), jobs) == {number: number * number for number in range(40)}
    assert results(tasks.square, [], jobs) == {}


@JOBS
def test_a_failed_task_is_named_and_ends_the_run(jobs: int) -> None:
    seen: list[int] = []
    with pytest.raises(TaskError, match=r"^3 failed: ValueError: three is right out$") as caught:
        run_tasks(tasks.refuse_three, range(1000), jobs, lambda task, _: seen.append(task))
    assert isinstance(caught.value.__cause__, ValueError)
    assert {0, 1, 2} <= set(seen) or jobs > 1
    assert len(seen) < 100


@JOBS
def test_an_error_of_the_caller_is_its_own(jobs: int) -> None:
    def full(task: int, _: int) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        run_tasks(tasks.square, range(10), jobs, full)


def test_zero_jobs_run_here() -> None:
    assert results(tasks.process_id, [1], 0) == {1: os.getpid()}
    assert results(tasks.process_id, [1], 1) != {1: os.getpid()}


def test_few_tasks_are_in_flight() -> None:
    taken = []

    class Watched(ThreadPoolExecutor):
        def submit(self, function, task):
            taken.append(task)
            return super().submit(function, task)

    def keep(task: int, _: int) -> None:
        handed.append(task)
        assert len(taken) - len(handed) < 4

    handed: list[int] = []
    run_tasks(tasks.square, range(50), 2, keep, make_executor=Watched)
    assert sorted(handed) == list(range(50))


def test_any_executor_serves() -> None:
    assert results(tasks.square, range(20), 2, make_executor=ThreadPoolExecutor)[7] == 49


@POSIX
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_killed_worker_costs_nothing(tmp_path, jobs: int, caplog) -> None:
    todo = [(number, str(tmp_path / "killed")) for number in range(30)]
    assert results(tasks.die_once, todo, jobs) == {task: task[0] for task in todo}
    assert (tmp_path / "killed").exists()
    assert "run again, one at a time" in caplog.text


@POSIX
@pytest.mark.parametrize("jobs", [1, 3])
def test_the_task_that_kills_is_named(jobs: int) -> None:
    seen: list[int] = []
    with pytest.raises(TaskError, match=r"^5 killed its worker process"):
        run_tasks(tasks.die_at_five, range(30), jobs, lambda task, _: seen.append(task))
    assert {0, 1, 2, 3, 4} <= set(seen)
    assert 5 not in seen


@POSIX
def test_workers_killed_from_outside_cost_nothing(tmp_path) -> None:
    """Kill a worker after every few results; whatever was in flight is made again."""
    handed: list[int] = []

    def keep(task: tuple[int, str], _: int) -> None:
        handed.append(task[0])
        pids = [int(path.name) for path in tmp_path.iterdir()]
        if len(handed) in (3, 11, 25) and pids:
            for pid in pids[:1]:
                (tmp_path / str(pid)).unlink()
                kill_if_there(pid)

    run_tasks(tasks.note_pid, [(number, str(tmp_path)) for number in range(60)], 2, keep)
    assert sorted(handed) == list(range(60))


LIGHT = """
from pipeline.workers import run_tasks
import worker_tasks

if __name__ == "__main__":
    run_tasks(worker_tasks.imported_modules, [0], 1, lambda _, modules: print(*modules))
"""


def test_workers_stay_light(tmp_path: Path) -> None:
    """In a process of its own: another test may have started this one's fork server, with modules for its workers."""
    script = tmp_path / "light.py"
    script.write_text(LIGHT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=True).stdout
    assert "pipeline.workers" in said.split()
    assert not {"polars", "pipeline.schemas", "pytest"} & set(said.split())


def test_preloaded_modules_are_there_before_the_first_task() -> None:
    modules = set(results(tasks.imported_modules, [0], 1, preload=["wave"])[0])
    assert "wave" in modules


def test_a_module_that_cannot_be_preloaded_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        run_tasks(tasks.square, [1], 1, lambda *_: None, preload=["no_such_module"])


DRIVER = """
import sys
from pipeline.workers import run_tasks
import worker_tasks

if __name__ == "__main__":
    try:
        run_tasks(worker_tasks.report_pid_and_hang, [sys.argv[1]] * 4, 2, print)
    except KeyboardInterrupt:
        sys.exit(130)
"""


DRIVER_OF_A_RUN = DRIVER.replace(
    "    try:",
    """
    from pathlib import Path
    from pipeline.schemas import FREECELL_SEARCHES
    from pipeline.shards import RunDirectory
    run = RunDirectory.open(Path(sys.argv[1]).parent / "run", {}, FREECELL_SEARCHES)
    try:""",
)


def start_driver(folder: Path, text: str = DRIVER) -> tuple["subprocess.Popen[str]", list[int]]:
    """Start a driver whose two workers hang, in a process group of its own; return it and its workers."""
    script = folder / "driver.py"
    script.write_text(text)
    (folder / "pids").mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    driver = subprocess.Popen(
        [sys.executable, str(script), str(folder / "pids")],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    while len(pids := list((folder / "pids").iterdir())) < 2:
        assert driver.poll() is None, driver.stdout and driver.stdout.read()
        threading.Event().wait(0.02)
    return driver, [int(path.name) for path in pids]


def kill_if_there(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@POSIX
def test_workers_end_with_a_killed_driver(tmp_path) -> None:
    driver, workers = start_driver(tmp_path)
    driver.kill()
    # Workers and helpers hold the driver's stdout, so its end is theirs.
    output, _ = driver.communicate(timeout=60)
    assert "Traceback" not in output
    assert driver.returncode == -signal.SIGKILL
    assert not any(map(is_running, workers))


@POSIX
def test_orphans_keep_no_new_driver_out(tmp_path) -> None:
    driver, workers = start_driver(tmp_path, DRIVER_OF_A_RUN)
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    driver.kill()
    driver.wait()
    RunDirectory.open(tmp_path / "run", {}, FREECELL_SEARCHES).close()
    assert all(map(is_running, workers))
    for pid in workers:
        os.kill(pid, signal.SIGCONT)
    driver.communicate(timeout=60)
    assert not any(map(is_running, workers))


@POSIX
@pytest.mark.parametrize("whom", ["group", "driver"])
def test_ctrl_c_stops_all_at_once(tmp_path, whom: str) -> None:
    driver, workers = start_driver(tmp_path)
    (os.killpg if whom == "group" else os.kill)(driver.pid, signal.SIGINT)
    output, _ = driver.communicate(timeout=60)
    assert output == ""
    assert driver.returncode == 130
    assert not any(map(is_running, workers))


@POSIX
def test_a_terminated_driver_takes_its_workers_along(tmp_path) -> None:
    driver, workers = start_driver(tmp_path)
    os.killpg(driver.pid, signal.SIGTERM)
    driver.communicate(timeout=60)
    assert driver.returncode == -signal.SIGTERM
    assert not any(map(is_running, workers))


@POSIX
def test_ctrl_c_while_workers_start_is_quiet(tmp_path) -> None:
    """Send Ctrl-C to the group at moments all over the start: no worker or helper may print a traceback."""
    for delay in (0.0, 0.02, 0.05, 0.1, 0.2):
        folder = tmp_path / str(delay)
        (folder / "pids").mkdir(parents=True)
        script = folder / "driver.py"
        script.write_text(DRIVER.replace("try:", "try:\n        print('ready', flush=True)"))
        driver = subprocess.Popen(
            [sys.executable, str(script), str(folder / "pids")],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert driver.stdout is not None
        assert driver.stdout.readline() == "ready\n"
        threading.Event().wait(delay)
        os.killpg(driver.pid, signal.SIGINT)
        output, _ = driver.communicate(timeout=60)
        assert (output, driver.returncode) == ("", 130)


def test_a_failure_leaves_its_traceback_in_the_log(caplog) -> None:
    with caplog.at_level(logging.INFO), pytest.raises(TaskError):
        run_tasks(tasks.refuse_three, [3], 1, lambda *_: None)
    assert "in refuse_three" in caplog.text
