"""A run directory: what a run is, and the shards it has finished. Only the driver writes here.

``run.json`` holds the configuration, from which every shard's deals follow; ``shards/`` one Arrow file a finished
shard; ``lock`` keeps a second driver out.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from pipeline.files import Lock, LockedError, remove_leftovers, write_file
from pipeline.schemas import METADATA_PREFIX, Table
from pipeline.table_files import SchemaError, check_rows, content_hash

CONFIG_FILE = "run.json"
LOCK_FILE = "lock"
SHARD_FOLDER = "shards"

_log = logging.getLogger(__name__)


class RunError(Exception):
    """A run directory cannot serve; the message is one line that says why."""


class Task(NamedTuple):
    """A shard to compute: those of the run's deals that lie between ``first`` and ``last``, in one pass."""

    pass_number: int
    first: int
    last: int

    @property
    def name(self) -> str:
        """The stem of the shard's file."""
        return f"p{self.pass_number}-{self.first:07}-{self.last:07}"

    def __str__(self) -> str:
        """Return the task as people read it."""
        deals = f"deal {self.first}" if self.first == self.last else f"deals {self.first}-{self.last}"
        return f"{deals}, pass {self.pass_number}"


def plan(shards: Iterable[Sequence[int]], pass_number: int) -> list[Task]:
    """Return the tasks of one pass over shards of deals in ascending order."""
    return [Task(pass_number, deals[0], deals[-1]) for deals in shards]


def read_config(path: Path) -> dict[str, Any]:
    """Return the configuration of the run at ``path``.

    Raises:
        RunError: there is no run.
    """
    try:
        config = json.loads((path / CONFIG_FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise RunError(f"{path} is no run directory: it has no {CONFIG_FILE}") from error
    except (OSError, ValueError) as error:
        raise RunError(f"{path / CONFIG_FILE} cannot be read: {error}") from error
    if not isinstance(config, dict):
        raise RunError(f"{path / CONFIG_FILE} holds no configuration")
    return config


class RunDirectory:
    """An open run. Use it as a context manager, or :meth:`close` it."""

    def __init__(self, path: Path, config: Mapping[str, Any], table: Table, lock: Lock) -> None:
        """Take over an opened directory; :meth:`open` is the way in."""
        self.path = path
        self.config = dict(config)
        self.table = table
        self._lock = lock
        self._shards = path / SHARD_FOLDER
        self._digest = hashlib.sha256(_canonical(config).encode()).hexdigest()

    @classmethod
    def open(cls, path: Path, config: Mapping[str, Any], table: Table) -> "RunDirectory":
        """Create the run at ``path``, or resume it.

        Args:
            config: all that the shards' rows follow from, as JSON values: deals, shard size, search version, budgets.
            table: what the shards hold.

        Raises:
            RunError: another driver is at work there, the run has another configuration, or the path holds other files.
        """
        _make_folder(path)
        try:
            lock = Lock(path / LOCK_FILE)
        except LockedError as error:
            raise RunError(f"run {path} is in use by {error}") from error
        except OSError as error:
            raise RunError(f"cannot write to {path}: {error.strerror}") from error
        try:
            remove_leftovers(path)
            _settle_config(path, config)
            (path / SHARD_FOLDER).mkdir(exist_ok=True)
            remove_leftovers(path / SHARD_FOLDER)
        except BaseException:
            lock.release()
            raise
        return cls(path, config, table, lock)

    def __enter__(self) -> "RunDirectory":
        """Return the run itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the run."""
        self.close()

    def close(self) -> None:
        """Let other drivers in."""
        self._lock.release()

    def missing(self, tasks: Iterable[Task]) -> list[Task]:
        """Return the tasks, in their order, that no whole shard of this run is there for."""
        return [task for task in tasks if self._read(task) is None]

    def commit(self, task: Task, rows: pa.Table) -> None:
        """Keep the rows of a finished task; once this returns, nothing but the disk's end loses them.

        Raises:
            SchemaError: the rows are not as the table declares, or of other deals.
        """
        rows = check_rows(rows, self.table)
        deals = rows.column("deal").to_pylist()
        if deals and not task.first <= deals[0] <= deals[-1] <= task.last:
            raise SchemaError(f"{self.table.name}: rows of deals {deals[0]}-{deals[-1]} returned for {task}")
        labels = {**self._labels(task), f"{METADATA_PREFIX}content": content_hash(rows)}
        rows = rows.replace_schema_metadata(labels)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
        write_file(self._path(task), bytes(sink.getvalue()))

    def read(self, tasks: Iterable[Task]) -> list[pa.Table]:
        """Return the rows of finished tasks, a table each, in the tasks' order.

        Raises:
            RunError: one of them is not finished.
        """
        found = [(task, self._read(task)) for task in tasks]
        for task, rows in found:
            if rows is None:
                raise RunError(f"run {self.path} is not finished: {task} is missing")
        return [rows for _, rows in found]

    def read_all(self, tasks: Iterable[Task]) -> pa.Table:
        """Return the rows of finished tasks in one table, in the tasks' order; where passes overlap, both are in it.

        Raises:
            RunError: one of them is not finished.
        """
        return pa.concat_tables([self.table.schema.empty_table(), *self.read(tasks)])

    def _path(self, task: Task) -> Path:
        return self._shards / f"{task.name}.arrow"

    def _labels(self, task: Task) -> dict[str, str]:
        return {f"{METADATA_PREFIX}run": self._digest, f"{METADATA_PREFIX}task": task.name}

    def _read(self, task: Task) -> pa.Table | None:
        """Return a shard's rows; ``None`` if it is absent, torn, or of another run or task."""
        path = self._path(task)
        try:
            rows = pa.ipc.open_file(pa.py_buffer(path.read_bytes())).read_all()
            rows.validate(full=True)
            labels = {key.decode(): value.decode() for key, value in (rows.schema.metadata or {}).items()}
            rows = check_rows(rows, self.table)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, pa.ArrowException) as error:
            _log.warning("shard %s is torn and will be made again: %s", path, error)
            return None
        if labels != {**self._labels(task), f"{METADATA_PREFIX}content": content_hash(rows)}:
            _log.warning("shard %s is not of this run, or damaged, and will be made again", path)
            return None
        return rows


def _canonical(config: Mapping[str, Any]) -> str:
    """Return the one text of a configuration."""
    return json.dumps(config, indent=2, sort_keys=True) + "\n"


def _make_folder(path: Path) -> None:
    """Make the run's folder, unless it is there already and holds nothing or a run."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        entries = {entry.name for entry in path.iterdir()}
    except OSError as error:
        raise RunError(f"cannot make the run directory {path}: {error.strerror}") from error
    strangers = {name for name in entries if not name.startswith(".") and name != LOCK_FILE}
    if strangers and CONFIG_FILE not in entries:
        raise RunError(f"{path} holds other files and is no run directory")


def _settle_config(path: Path, config: Mapping[str, Any]) -> None:
    """Store a new run's configuration, or hold a resumed run to the stored one."""
    if not (path / CONFIG_FILE).exists():
        write_file(path / CONFIG_FILE, _canonical(config).encode())
        return
    stored, wanted = read_config(path), json.loads(_canonical(config))
    for key in sorted(stored.keys() | wanted.keys()):
        if stored.get(key) != wanted.get(key):
            raise RunError(
                f"run {path} was started with {key} {_shown(stored.get(key))}, not {_shown(wanted.get(key))}:"
                " give this run another name"
            )


def _shown(value: object) -> str:
    """Return a configuration's value for a message."""
    text = "unset" if value is None else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
