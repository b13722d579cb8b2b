"""A made-up run, killed after a known number of commits, over and over: quick, and of the pipeline alone."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = Path(__file__).with_name("run_driver.py")
SHARDS = 23

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


def drive(folder: Path, jobs: int = 0, kill_after: int = 0) -> "subprocess.CompletedProcess[str]":
    """Run the driver to its end; its workers hold the pipe, so this also waits for theirs."""
    (folder / "data").mkdir(exist_ok=True, parents=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(DRIVER), str(folder / "run"), str(folder / "data"), str(jobs), str(kill_after)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.name != "lock" and path.is_file()
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert drive(folder).stdout == f"{SHARDS} commits\n"
    return contents(folder)


def test_jobs_change_no_byte(tmp_path, undisturbed) -> None:
    assert drive(tmp_path, jobs=2).stdout == f"{SHARDS} commits\n"
    assert contents(tmp_path) == undisturbed


@pytest.mark.parametrize("jobs", [0, 2])
def test_a_run_killed_again_and_again_ends_the_same(tmp_path, undisturbed, jobs: int) -> None:
    kept = 0
    for commits in (1, 7, 3, 9):
        killed = drive(tmp_path, jobs, kill_after=commits)
        assert killed.returncode == -signal.SIGKILL
        kept += commits
        assert len(list((tmp_path / "run/shards").glob("*.arrow"))) == kept
    assert drive(tmp_path, jobs).stdout == f"{SHARDS - kept} commits\n"
    assert contents(tmp_path) == undisturbed
    assert drive(tmp_path, jobs).stdout == "0 commits\n"
    assert contents(tmp_path) == undisturbed
