"""Our FreeCell search beside freecell-solver, in turn, in one run, each on one core: medians and ratios.

Times are processor seconds of whole processes, start included, so that neither side hides work. freecell-solver wins
with the preset its author recommends for speed; where a verdict must be exact it searches as tests/test_oracle.py has
it, one card at a time, since no other way of its own is a proof.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from pipeline.program import WorkError
from pipeline.schemas import FREECELL_EVIDENCE
from pipeline.table_files import read_table
from solvers.freecell.walk import memory_for

WIN_PRESET = ("-l", "lg")
EXACT = ("--reset", "--tests-order", "01ABCDE", "--method", "a-star")
EXACT_PART = 4
"""What part of the deals is settled exactly, which takes longer."""
PEER = "freecell-solver-range-parallel-solve"
PROGRAM = (sys.executable, "-c", "from pipeline.cli import main; main()", "freecell")


class Contest(NamedTuple):
    """Deals that both sides settle, with a number of cells.

    Attributes:
        title: what is compared.
        first: the first deal.
        last: the last deal.
        cells: how many cells the game has.
        state_limit: how many states a search may look at; both give up there.
        preset: freecell-solver's options.
    """

    title: str
    first: int
    last: int
    cells: int
    state_limit: int
    preset: tuple[str, ...]

    @property
    def deals(self) -> int:
        """How many deals there are."""
        return self.last - self.first + 1


class Side(NamedTuple):
    """What one side took for a contest once: processor seconds, and the states that it looked at."""

    seconds: float
    states: int


class Timing(NamedTuple):
    """What both sides took in each round; the peer's is empty where it is absent."""

    contest: Contest
    ours: tuple[Side, ...]
    theirs: tuple[Side, ...]


def contests(deals: int) -> list[Contest]:
    """Return what is compared over the first ``deals`` deals of the numbering."""
    wins = Contest("wins with 4 cells", 1, deals, 4, 100_000, WIN_PRESET)
    exact = [
        Contest(f"exact verdicts with {cells} cells", 1, deals // EXACT_PART, cells, 100_000, EXACT)
        for cells in range(4)
    ]
    return [wins, *exact]


def peer() -> str | None:
    """Return the path of freecell-solver's program for ranges of deals, or None where it is not installed."""
    return shutil.which(PEER) or shutil.which(PEER, path="/usr/games")


def run_contest(contest: Contest, rounds: int, program: str | None) -> Timing:
    """Let both sides settle a contest's deals in turn.

    Raises:
        WorkError: a side did not run to its end.
    """
    ours: list[Side] = []
    theirs: list[Side] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            out = Path(folder) / str(number)
            seconds, _ = run_on_one_core(our_command(contest, out))
            evidence = read_table(out / FREECELL_EVIDENCE.file_name, FREECELL_EVIDENCE)
            ours.append(Side(seconds, sum(evidence.column("states").to_pylist())))
            if program is not None:
                seconds, said = run_on_one_core(their_command(contest, program))
                theirs.append(Side(seconds, int(said.rpartition("total_num_iters=")[2].split(")")[0])))
    return Timing(contest, tuple(ours), tuple(theirs))


def our_command(contest: Contest, out: Path) -> list[str]:
    """Return the command that settles a contest's deals with this program, in one process."""
    deals = f"{contest.first}-{contest.last}"
    return [
        *(*PROGRAM, "solve", deals),
        *("--cells", str(contest.cells), "--limit", str(contest.state_limit), "--jobs", "0", "-q", "--out", str(out)),
    ]


def their_command(contest: Contest, program: str) -> list[str]:
    """Return the command that settles a contest's deals with freecell-solver."""
    return [
        *(program, str(contest.first), str(contest.last), str(contest.deals)),
        *contest.preset,
        *("--freecells-num", str(contest.cells), "--max-iters", str(contest.state_limit)),
    ]


def run_on_one_core(command: Sequence[str]) -> tuple[float, str]:
    """Run a command on one core; return the processor seconds that it took, and what it printed.

    Raises:
        WorkError: it failed.
    """
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([*_one_core(), *command], stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().decode(errors="replace")
    if process.returncode:
        raise WorkError(f"{command[0]} ended with status {process.returncode}: {text.strip().rpartition(chr(10))[2]}")
    return usage.ru_utime + usage.ru_stime, text


def _one_core() -> list[str]:
    """Return what keeps a command on one core, where the system has it."""
    taskset = shutil.which("taskset")
    return [taskset, "-c", str(max(os.sched_getaffinity(0)))] if taskset else []


def worker_times(deals: int, most: int) -> list[float]:
    """Return the seconds by the clock that the difficulty of some deals takes with 1, 2, ... ``most`` workers."""
    times = []
    for workers in range(1, most + 1):
        with tempfile.TemporaryDirectory() as folder:
            command = [*PROGRAM, "difficulty", f"1-{deals}", "--jobs", str(workers), "-q", "--out", folder]
            begin = time.perf_counter()
            subprocess.run(command, check=False, capture_output=True)
            times.append(time.perf_counter() - begin)
    return times


def contest_lines(timings: Iterable[Timing]) -> list[str]:
    """Return the table of contests: deals and states a second of one core (medians), and the ratio of deals."""
    heads = ("deals", "a second", "peer's", "ratio", "states", "peer's")
    return [_row("a second of one core", *heads), *(_contest_line(*timing) for timing in timings)]


def _contest_line(contest: Contest, ours: tuple[Side, ...], theirs: tuple[Side, ...]) -> str:
    our_seconds = median(side.seconds for side in ours)
    deals, states = f"{contest.deals / our_seconds:,.0f}", f"{ours[0].states / our_seconds:,.0f}"
    if not theirs:
        return _row(contest.title, f"{contest.deals:,}", deals, "-", "-", states, "-")
    seconds = median(side.seconds for side in theirs)
    peer_deals, peer_states = f"{contest.deals / seconds:,.0f}", f"{theirs[0].states / seconds:,.0f}"
    ratio = f"{seconds / our_seconds:.2f}"
    return _row(contest.title, f"{contest.deals:,}", deals, peer_deals, ratio, states, peer_states)


def _row(title: str, *cells: str) -> str:
    return f"{title:<28}" + "".join(f"{cell:>12}" for cell in cells)


def worker_lines(times: Sequence[float]) -> list[str]:
    """Return the table of times by the number of workers."""
    return [f"{'workers':<10}{'seconds':>9}{'times as fast':>15}"] + [
        f"{workers:<10}{seconds:>9.2f}{times[0] / seconds:>15.2f}" for workers, seconds in enumerate(times, 1)
    ]


def memory_line() -> str:
    """Return what a state that a search holds takes in memory."""
    memory = memory_for(1)
    state = sum(array[:1].nbytes for array in (memory.keys, memory.parents, memory.links))
    slot = memory.table.itemsize
    return f"{state} bytes a state, and {slot / 0.75:.1f} to {2 * slot / 0.75:.1f} for its place in a table"
