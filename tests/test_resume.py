"""A run that is killed and started again gives the same bytes, wherever the kill fell."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from pipeline.schemas import (
    FORTY_THIEVES_TABLES,
    FREECELL_DIFFICULTY,
    FREECELL_EVIDENCE,
    FREECELL_SOLUTIONS,
    FREECELL_WINNABLE,
    Table,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the workers in /proc")

# As the installed script has it, with smaller shards, and a first pass that leaves deals open for a second one.
SCRIPT = """\
import sys

from pipeline.cli import main

if __name__ == "__main__":
    {setup}
    sys.exit(main())
"""
PATIENCE_SECONDS = 120.0


class Game(NamedTuple):
    """A run to disturb: what makes it small, its command, a number of shards that it surely has, its tables."""

    setup: str
    words: str
    shards: int
    tables: tuple[Table, ...]


class Undisturbed(NamedTuple):
    """A run that nothing disturbed, in one process: its tables' bytes, and what it printed."""

    game: Game
    tables: list[bytes]
    printed: str


GAMES = {
    # Of the first sixty deals those that take no second; twelve shards in the first pass, then one for each open deal.
    "freecell": Game(
        "from pipeline import freecell, jobs; freecell.DIFFICULTY_SHARD = 5; jobs.BUDGETS = (300, 50_000_000)",
        "freecell difficulty 1-11,13-26,28-32,34-39,41-60",
        45,
        (FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS, FREECELL_WINNABLE),
    ),
    "forty-thieves": Game(
        "from pipeline.forty_thieves import jobs, runs; runs.WINNABLE_SHARD = 2; jobs.BUDGETS = (2_000, 20_000)",
        "forty-thieves winnable 1-24",
        15,
        FORTY_THIEVES_TABLES,
    ),
}


def start(folder: Path, game: Game, *words: str) -> "subprocess.Popen[str]":
    """Start a run in a folder."""
    script = folder / "deals.py"
    script.write_text(SCRIPT.format(setup=game.setup))
    command = [sys.executable, str(script), *game.words.split(), "--name", "run", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(folder: Path, game: Game, *words: str) -> str:
    """Run to the end; return what was printed."""
    run = start(folder, game, *words)
    stdout, stderr = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 0, stderr
    return stdout


def tables(folder: Path, game: Game) -> list[bytes]:
    """Return what the tables and lists of a game are, byte for byte."""
    names = [name for spec in game.tables for name in (spec.file_name, spec.list_name)[: 1 + spec.is_list]]
    return [(folder / "out" / name).read_bytes() for name in names]


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


@pytest.fixture(scope="module", params=GAMES)
def undisturbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Run each game's deals to the end."""
    game = GAMES[request.param]
    folder = tmp_path_factory.mktemp("undisturbed")
    printed = finish(folder, game, "--jobs", "0")
    assert len(finished_shards(folder)) > game.shards
    return Undisturbed(game, tables(folder, game), printed)


def shard_time(folder: Path, name: str) -> int:
    return (folder / "out" / "runs" / "run" / "shards" / name).stat().st_mtime_ns


@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_driver_loses_nothing(seed: int, tmp_path: Path, undisturbed: Undisturbed) -> None:
    game = undisturbed.game
    moments = sorted(random.Random(seed).sample(range(game.shards), 2))
    for count in moments:
        run = start(tmp_path, game, "--jobs", "2")
        wait_for_shards(run, tmp_path, count)
        run.kill()
        run.communicate()
    assert not (tmp_path / "out" / game.tables[0].file_name).exists()
    kept = {name: shard_time(tmp_path, name) for name in finished_shards(tmp_path)}
    assert len(kept) >= moments[-1]
    printed = finish(tmp_path, game, "--jobs", "2")
    assert Undisturbed(game, tables(tmp_path, game), printed) == undisturbed
    assert {name: shard_time(tmp_path, name) for name in kept} == kept


@pytest.mark.parametrize("seed", [3, 4])
def test_a_killed_worker_loses_nothing(seed: int, tmp_path: Path, undisturbed: Undisturbed) -> None:
    game = undisturbed.game
    run = start(tmp_path, game, "--jobs", "2")
    wait_for_shards(run, tmp_path, random.Random(seed).randrange(1, game.shards))
    kill_a_worker(run, random.Random(seed))
    stdout, stderr = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 0, stderr
    assert Undisturbed(game, tables(tmp_path, game), stdout) == undisturbed
    assert finish(tmp_path, game, "--jobs", "2") == stdout


def test_ctrl_c_ends_at_once_and_the_same_command_goes_on(tmp_path: Path, undisturbed: Undisturbed) -> None:
    game = undisturbed.game
    run = start(tmp_path, game, "--jobs", "2")
    wait_for_shards(run, tmp_path, 3)
    run.send_signal(signal.SIGINT)
    _, stderr = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 130
    assert stderr == "deals: interrupted; the same command goes on from where it stopped\n"
    finish(tmp_path, game, "--jobs", "1")
    assert tables(tmp_path, game) == undisturbed.tables
