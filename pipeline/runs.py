"""A run from its options to its rows: the run directory, the log, the progress bar, and what ends a run early."""

import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import click
import pyarrow as pa

from pipeline.logs import run_log
from pipeline.program import INTERRUPTED, InputError, WorkError
from pipeline.progress import Progress
from pipeline.ranges import format_deals
from pipeline.schemas import PUBLISHED, Table
from pipeline.shards import RunDirectory, RunError, Task
from pipeline.table_files import write_table
from pipeline.workers import TaskError, run_tasks

RUNS_FOLDER = "runs"
LOG_FILE = "run.log"
LONGEST_NAMED = 40
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._,+-]*")
_SPECS = {spec.name: spec for spec in PUBLISHED}

_log = logging.getLogger(__name__)


class Shard(Protocol):
    """What a worker gets: a task of the run with the deals it stands for."""

    @property
    def task(self) -> Task:
        """The name of the shard in the run."""

    @property
    def deals(self) -> tuple[int, ...]:
        """The deals of the shard."""


ShardT = TypeVar("ShardT", bound=Shard)


class Obtain(Protocol):
    """Gives the rows of shards, a table each, in their order."""

    def __call__(self, work: Callable[[ShardT], pa.Table], shards: Sequence[ShardT]) -> list[pa.Table]:
        """Return the rows that ``work`` makes of each shard."""


class Run(Protocol):
    """What one command computes: shards, their rows, the tables made of them."""

    command: ClassVar[str]
    table: ClassVar[Table]

    @property
    def deals(self) -> tuple[int, ...]:
        """All deals of the run."""

    @property
    def name(self) -> str:
        """The name of the run's directory, unless the caller gives one."""

    def config(self) -> dict[str, Any]:
        """Return all that the rows follow from, as JSON values."""

    def metadata(self) -> dict[str, str]:
        """Return the metadata that the run's tables carry."""

    def rows(self, obtain: Obtain) -> pa.Table:
        """Return the rows of all shards."""

    def tables(self, rows: pa.Table) -> dict[str, pa.Table]:
        """Return the finished tables, by name."""

    def count_undecided(self, rows: pa.Table) -> int:
        """Count what the rows leave open."""


@dataclass(frozen=True)
class Options:
    """What every command that makes a run takes."""

    out: Path
    jobs: int
    name: str | None
    quiet: bool

    def run_path(self, default_name: str) -> Path:
        """Return the run's directory.

        Raises:
            InputError: the name is no plain file name.
        """
        name = self.name or default_name
        if not _NAME.fullmatch(name):
            raise InputError(f"{name!r} is no name for a run; accepted are letters, digits and . _ , + -")
        return self.out / RUNS_FOLDER / name


def deals_name(deals: Sequence[int]) -> str:
    """Return deals as a part of a file name: the ranges, or a hash of them where they are long."""
    text = format_deals(deals)
    if len(text) <= LONGEST_NAMED:
        return text
    return f"{len(deals)}-deals-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def limit_name(state_limit: int, default: int) -> str:
    """Return a state limit as a part of a file name, nothing for the default."""
    return "" if state_limit == default else f"-limit-{state_limit}"


def execute(run: Run, options: Options) -> dict[str, pa.Table]:
    """Compute what a run lacks, write its tables into the folder of finished tables, and return them by name.

    Raises:
        InputError: the run cannot be opened.
        WorkError: it was interrupted, or a task failed (its traceback is in the log).
    """
    path = options.run_path(run.name)
    with open_run(path, run.config(), run.table) as directory:
        with Progress(len(run.deals), run.command, is_quiet=options.quiet) as progress:
            started = time.perf_counter()
            _log.info("%s of %d deals starts: %s", run.command, len(run.deals), run.metadata())
            rows = run.rows(farm(directory, options.jobs, progress, run.count_undecided))
        seconds = time.perf_counter() - started
        _log.info("all rows are there after %.1f s", seconds)
        click.echo(f"computed in {seconds:.1f} s with {options.jobs} worker processes, finished shards aside", err=True)
        tables = run.tables(rows)
        for name, table in tables.items():
            spec = _SPECS[name]
            write_table(table, spec, options.out / spec.file_name, run.metadata())
            click.echo(f"wrote {options.out / spec.file_name}", err=True)
    return tables


def read_whole(run: Run, path: Path) -> dict[str, pa.Table]:
    """Return the tables of a run that is whole.

    Raises:
        InputError: it is not, or cannot be opened.
    """
    with open_run(path, run.config(), run.table) as directory:

        def obtain(work: Callable[[ShardT], pa.Table], shards: Sequence[ShardT]) -> list[pa.Table]:
            return directory.read(shard.task for shard in shards)

        return run.tables(run.rows(obtain))


@contextmanager
def open_run(path: Path, config: Mapping[str, Any], table: Table) -> Iterator[RunDirectory]:
    """Open a run with its log; turn what ends it early into one line (see :func:`execute`)."""
    try:
        directory = RunDirectory.open(path, config, table)
    except RunError as error:
        raise InputError(str(error)) from error
    with directory, run_log(path / LOG_FILE):
        try:
            yield directory
        except KeyboardInterrupt as error:
            raise WorkError("interrupted; the same command goes on from where it stopped", INTERRUPTED) from error
        except RunError as error:
            raise InputError(str(error)) from error
        except Exception as error:
            _log.info("the run ended early", exc_info=error)
            raise WorkError(f"{error or type(error).__name__} (traceback in {path / LOG_FILE})") from error


def farm(directory: RunDirectory, jobs: int, progress: Progress, count_undecided: Callable[[pa.Table], int]) -> Obtain:
    """Return what computes the shards that a run lacks, and reads all of them."""

    def obtain(work: Callable[[ShardT], pa.Table], shards: Sequence[ShardT]) -> list[pa.Table]:
        def newly_undecided(shard: ShardT, rows: pa.Table) -> int:
            # What a later pass takes up was counted as undecided by the pass before.
            return count_undecided(rows) - (len(shard.deals) - new_deals(shard))

        missing = set(directory.missing(shard.task for shard in shards))
        done = [shard for shard in shards if shard.task not in missing]
        for shard, rows in zip(done, directory.read(shard.task for shard in done), strict=True):
            progress.skip(new_deals(shard))
            progress.advance(0, newly_undecided(shard, rows))

        def keep(shard: ShardT, rows: pa.Table) -> None:
            directory.commit(shard.task, rows)
            progress.advance(new_deals(shard), newly_undecided(shard, rows))

        run_tasks(work, [shard for shard in shards if shard.task in missing], jobs, keep, preload=preload_of(work))
        return directory.read(shard.task for shard in shards)

    return obtain


def gather(work: Callable[[Any], Any], shards: Sequence[Any], *, jobs: int, is_quiet: bool) -> list[Any]:
    """Return what ``work`` makes of shards that belong to no run, in their order.

    Raises:
        WorkError: a task failed.
    """
    answers: dict[int, Any] = {}
    places = {id(shard): place for place, shard in enumerate(shards)}
    total = sum(len(shard.rows) for shard in shards)
    with run_log(None), Progress(total, work.__name__, is_quiet=is_quiet) as progress:

        def keep(shard: Any, answer: Any) -> None:
            answers[places[id(shard)]] = answer
            progress.advance(len(shard.rows))

        try:
            run_tasks(work, shards, jobs, keep, preload=preload_of(work))
        except TaskError as error:
            raise WorkError(str(error)) from error
    return [answers[place] for place in range(len(shards))]


def preload_of(work: Callable[..., Any]) -> tuple[str, str]:
    """Return the modules that workers import beforehand: the one that has the work, and ``warm`` beside it."""
    module = work.__module__
    return f"{module.rpartition('.')[0]}.warm", module


def new_deals(shard: Shard) -> int:
    """Count the deals of a shard that no earlier pass took."""
    return len(shard.deals) if shard.task.pass_number == 0 else 0
