"""A run that is killed and started again gives the same bytes, wherever the kill fell."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pipeline.schemas import FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the workers in /proc")

TABLES = (FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS)
DEALS = "1-11,13-26,28-32,34-39,41-60"  # of the first sixty, those that take no second
SHARDS = 45  # there are more: twelve in the first pass, then one for each deal that it leaves open
# As the installed script has it, with shards of five deals, and a first pass that leaves deals open for a second one.
SCRIPT = """\
import sys

from pipeline.cli import main

if __name__ == "__main__":
    from pipeline import freecell, jobs

    freecell.DIFFICULTY_SHARD = 5
    jobs.BUDGETS = (300, 50_000_000)
    sys.exit(main())
"""
PATIENCE_SECONDS = 120.0


def start(folder: Path, *words: str) -> "subprocess.Popen[str]":
    """Start a difficulty run in a folder."""
    script = folder / "deals.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), "freecell", "difficulty", DEALS, "--name", "run", *words]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(folder: Path, *words: str) -> str:
    """Run to the end; return what was printed."""
    run = start(folder, *words)
    stdout, stderr = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 0, stderr
    return stdout


def tables(folder: Path) -> list[bytes]:
    return [(folder / "out" / spec.file_name).read_bytes() for spec in TABLES]


def finished_shards(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "out" / "runs" / "run" / "shards").glob("p*.arrow"))


def wait_for_shards(run: "subprocess.Popen[str]", folder: Path, count: int) -> None:
    """Wait until so many shards are finished, or the run is over."""
    until = time.monotonic() + PATIENCE_SECONDS
    while len(finished_shards(folder)) < count and run.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.002)


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            found.append(int(stat.parent.name))
    return found


def kill_a_worker(run: "subprocess.Popen[str]", choice: random.Random) -> None:
    """Kill one of a run's workers; between two passes there are none for a moment."""
    while run.poll() is None:
        workers = [worker for server in children(run.pid) for worker in children(server)]
        if workers:
            with suppress(ProcessLookupError):
                os.kill(choice.choice(workers), signal.SIGKILL)
            return


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[bytes], str]:
    """The tables of a run that nothing disturbed, in one process, and what it printed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    printed = finish(folder, "--jobs", "0")
    assert len(finished_shards(folder)) > SHARDS
    return tables(folder), printed


@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_driver_loses_nothing(seed: int, tmp_path: Path, undisturbed: tuple[list[bytes], str]) -> None:
    moments = sorted(random.Random(seed).sample(range(SHARDS), 2))
    for count in moments:
        run = start(tmp_path, "--jobs", "2")
        wait_for_shards(run, tmp_path, count)
        run.kill()
        run.communicate()
    assert not (tmp_path / "out" / FREECELL_DIFFICULTY.file_name).exists()
    kept = {name: shard_time(tmp_path, name) for name in finished_shards(tmp_path)}
    assert len(kept) >= moments[-1]
    printed = finish(tmp_path, "--jobs", "2")
    assert (tables(tmp_path), printed) == undisturbed
    assert {name: shard_time(tmp_path, name) for name in kept} == kept


def shard_time(folder: Path, name: str) -> int:
    return (folder / "out" / "runs" / "run" / "shards" / name).stat().st_mtime_ns


@pytest.mark.parametrize("seed", [3, 4])
def test_a_killed_worker_loses_nothing(seed: int, tmp_path: Path, undisturbed: tuple[list[bytes], str]) -> None:
    run = start(tmp_path, "--jobs", "2")
    wait_for_shards(run, tmp_path, random.Random(seed).randrange(1, SHARDS))
    kill_a_worker(run, random.Random(seed))
    stdout, stderr = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 0, stderr
    assert (tables(tmp_path), stdout) == undisturbed
    assert finish(tmp_path, "--jobs", "2") == stdout


def test_ctrl_c_ends_at_once_and_the_same_command_goes_on(tmp_path: Path, undisturbed: tuple[list[bytes], str]) -> None:
    run = start(tmp_path, "--jobs", "2")
    wait_for_shards(run, tmp_path, 3)
    run.send_signal(signal.SIGINT)
    _, stderr = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 130
    assert stderr == "deals: interrupted; the same command goes on from where it stopped\n"
    finish(tmp_path, "--jobs", "1")
    assert tables(tmp_path) == undisturbed[0]
