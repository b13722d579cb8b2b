"""The one place where the tables' columns, types, units and meanings are written, and how a table becomes a file."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.files import write_file
from solvers.result import Verdict

METADATA_PREFIX = "deals."
RUN_METADATA = ("search_version", "budgets")
SCHEMA_VERSION = "1"


class SchemaError(ValueError):
    """A table or file is not what its schema declares; the message is one line."""


@dataclass(frozen=True, eq=False)
class Table:
    """What a table promises.

    Attributes:
        name: also the stem of its file.
        title: what the table holds, in a sentence or two.
        schema: columns in order; each field's metadata has its meaning under ``description``; not nullable means so.
        key: the columns that identify a row; rows are in ascending order of them.
        game: the file metadata that is the same for every table of a game.
        encodings: Parquet encodings of the columns that a dictionary would not make smaller.
        group_rows: rows a row group, so that a group stays under 1 MB.
    """

    name: str
    title: str
    schema: pa.Schema
    key: tuple[str, ...]
    game: Mapping[str, str]
    encodings: Mapping[str, str] = field(default_factory=dict)
    group_rows: int = 1 << 20

    @property
    def file_name(self) -> str:
        """The name of the table's file."""
        return f"{self.name}.parquet"


def _column(name: str, kind: pa.DataType, description: str, *, is_nullable: bool = False) -> pa.Field:
    """Declare a column."""
    return pa.field(name, kind, nullable=is_nullable, metadata={"description": description})


FREECELL = {
    "game": "freecell",
    "rules": "single cards, runs as supermoves, safe autoplay after the deal and after each move",
    "deal_numbering": "Microsoft FreeCell 1-1000000",
}

_VERDICTS = ", ".join(Verdict)
_DEAL = _column("deal", pa.int32(), "deal number in Microsoft's numbering")
_CELLS = _column("cells", pa.int8(), "number of free cells, 0 to 4")
_VERDICT = _column("verdict", pa.string(), f"{_VERDICTS}: can the deal be won with that many cells")
_STATES = _column("states", pa.int64(), "distinct states searched for the verdict, 0 when it is implied")
_BASIS = _column("basis", pa.string(), "searched, or implied by K: the search with K cells settles this row too")
_LIMIT = _column("state_limit", pa.int64(), "the largest number of states one search was allowed")

FREECELL_DIFFICULTY = Table(
    name="freecell_difficulty",
    title="One row a deal: the smallest number of free cells that wins it.",
    schema=pa.schema(
        [
            _DEAL,
            _column(
                "min_cells",
                pa.int8(),
                "smallest number of cells that wins, 0 to 4; null when none of them does, or when it is not settled",
                is_nullable=True,
            ),
            _column(
                "level",
                pa.string(),
                "easy (at most 1 cell), normal (2), hard (3 or 4), unsolvable (not with 4), undecided;"
                " a level may be settled while min_cells is not",
            ),
            _column("is_settled", pa.bool_(), "min_cells is proved, or each of 0 to 4 cells is proved not to win"),
            _column(
                "moves_at_min_cells",
                pa.int16(),
                "moves of the stored solution at min_cells as the game counts them (a run is one, autoplay none);"
                " null where min_cells is",
                is_nullable=True,
            ),
        ]
    ),
    key=("deal",),
    game=FREECELL,
    encodings={"deal": "DELTA_BINARY_PACKED"},
)

FREECELL_EVIDENCE = Table(
    name="freecell_evidence",
    title="One row for each deal and number of cells: the verdict and what it rests on.",
    schema=pa.schema([_DEAL, _CELLS, _VERDICT, _STATES, _LIMIT, _BASIS]),
    key=("deal", "cells"),
    game=FREECELL,
    encodings={"deal": "DELTA_BINARY_PACKED"},
)

FREECELL_SOLUTIONS = Table(
    name="freecell_solutions",
    title="For each solvable deal a winning line, with the smallest number of cells known to win it.",
    schema=pa.schema(
        [
            _DEAL,
            _CELLS,
            _column("moves", pa.int16(), "moves of the solution (a run is one, autoplay none)"),
            _column("solution", pa.string(), "the moves, one after another (form: see below)"),
        ]
    ),
    key=("deal", "cells"),
    game=FREECELL,
    encodings={"deal": "DELTA_BINARY_PACKED", "solution": "PLAIN"},
    group_rows=3000,
)

FREECELL_AUDIT = Table(
    name="freecell_audit",
    title="Deals whose reachable states were all counted by plain enumeration, beside the verdict of the fast search.",
    schema=pa.schema(
        [
            _DEAL,
            _CELLS,
            _column("is_autoplay", pa.bool_(), "cards go home by themselves as in the rules; if false, only by moves"),
            _column(
                "states_reachable",
                pa.int64(),
                "distinct states that single-card moves reach, the first included;"
                " null when the count stopped at a win or at state_limit",
                is_nullable=True,
            ),
            _column("verdict_plain", pa.string(), f"{_VERDICTS}: by the plain enumeration"),
            _column("verdict_search", pa.string(), f"{_VERDICTS}: by the fast search"),
            _column("state_limit", pa.int64(), "states at which the plain enumeration gives up"),
        ]
    ),
    key=("deal", "cells", "is_autoplay"),
    game=FREECELL,
    encodings={"deal": "DELTA_BINARY_PACKED"},
)

FREECELL_SEARCHES = Table(
    name="freecell_searches",
    title="What a worker returns: evidence with the solutions found; the rows of shard files.",
    schema=pa.schema(
        [
            *FREECELL_EVIDENCE.schema,
            _column("solution", pa.string(), "winning moves; null unless searched and solvable", is_nullable=True),
        ]
    ),
    key=("deal", "cells"),
    game=FREECELL,
)

PUBLISHED = (FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS, FREECELL_AUDIT)


def check_rows(rows: pa.Table, table: Table) -> pa.Table:
    """Return the rows under the declared schema, in one chunk.

    Raises:
        SchemaError: columns, types, nulls or the order of the key are not as declared.
    """
    found = [(column.name, str(column.type)) for column in rows.schema]
    declared = [(column.name, str(column.type)) for column in table.schema]
    if found != declared:
        raise SchemaError(f"{table.name}: columns are {_listed(found)}, not {_listed(declared)}")
    rows = pa.Table.from_arrays([column.combine_chunks() for column in rows.columns], schema=table.schema)
    for column in table.schema:
        if not column.nullable and rows.column(column.name).null_count:
            raise SchemaError(f"{table.name}: column {column.name} has nulls")
    _check_key(rows, table)
    return rows


def write_table(rows: pa.Table, table: Table, path: Path, metadata: Mapping[str, str]) -> None:
    """Write a table as Parquet, whole or not at all; the same rows, metadata and pyarrow give the same bytes.

    Args:
        metadata: ``search_version`` and ``budgets`` (the tables' state limits), without prefix.

    Raises:
        SchemaError: the rows are not as declared, or the metadata has other keys.
    """
    write_file(path, encode_table(rows, table, metadata))


def encode_table(rows: pa.Table, table: Table, metadata: Mapping[str, str]) -> bytes:
    """Return the bytes that :func:`write_table` writes."""
    if set(metadata) != set(RUN_METADATA):
        raise SchemaError(f"{table.name}: metadata has keys {sorted(metadata)}, not {sorted(RUN_METADATA)}")
    entries = {"schema_version": SCHEMA_VERSION, **table.game, **metadata}
    rows = check_rows(rows, table)
    sink = pa.BufferOutputStream()
    # Readers in a browser know neither zstd nor Arrow's own schema; all they need is in Parquet's types.
    with pq.ParquetWriter(
        sink,
        table.schema,
        compression="snappy",
        use_dictionary=[name for name in table.schema.names if name not in table.encodings],
        column_encoding=dict(table.encodings),
        store_schema=False,
    ) as writer:
        writer.write_table(rows, row_group_size=table.group_rows)
        writer.add_key_value_metadata({METADATA_PREFIX + key: entries[key] for key in sorted(entries)})
    return bytes(sink.getvalue())


def read_table(path: Path, table: Table) -> pa.Table:
    """Read a table that :func:`write_table` wrote.

    Raises:
        SchemaError: the file is no Parquet file, or not as declared.
        OSError: it cannot be read.
    """
    rows, metadata = _read_parquet(path)
    expected = {"schema_version": SCHEMA_VERSION, **table.game}
    for key, value in expected.items():
        if metadata.get(key) != value:
            raise SchemaError(f"{path}: {METADATA_PREFIX}{key} is {metadata.get(key)!r}, not {value!r}")
    if set(metadata) != {*expected, *RUN_METADATA}:
        raise SchemaError(f"{path}: metadata has keys {sorted(metadata)}, not {sorted({*expected, *RUN_METADATA})}")
    try:
        return check_rows(rows, table)
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from error


def read_metadata(path: Path) -> dict[str, str]:
    """Return a Parquet file's metadata under our prefix, without the prefix.

    Raises:
        SchemaError: the file is no Parquet file.
        OSError: it cannot be read.
    """
    return _read_parquet(path)[1]


def content_hash(rows: pa.Table) -> str:
    """Return a SHA-256 (hex) of column names, types and values, the same whatever wrote or chunked the table.

    A column counts as its name and type, one byte a row for null or not, then its values with nulls as zero or empty:
    integers and booleans as little-endian int64, strings as their lengths in bytes (int64) and their UTF-8.
    """
    digest = hashlib.sha256()
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        digest.update(f"{name}\0{column.type}\0{len(column)}\0".encode())
        digest.update(np.asarray(column.is_valid()).astype(np.uint8).tobytes())
        if pa.types.is_string(column.type):
            values = [(value or "").encode() for value in column.to_pylist()]
            digest.update(np.array([len(value) for value in values], dtype="<i8").tobytes())
            digest.update(b"".join(values))
        else:
            digest.update(_integers(column).tobytes())
    return digest.hexdigest()


def _read_parquet(path: Path) -> tuple[pa.Table, dict[str, str]]:
    """Return a file's rows and its metadata under our prefix, without the prefix."""
    try:
        with pq.ParquetFile(path) as file:
            rows, entries = file.read(), file.metadata.metadata or {}
        rows.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system's own; Arrow's have no number
        raise SchemaError(f"{path}: no readable Parquet file") from error
    texts = {key.decode(errors="replace"): value.decode(errors="replace") for key, value in entries.items()}
    return rows, {key.removeprefix(METADATA_PREFIX): texts[key] for key in texts if key.startswith(METADATA_PREFIX)}


def _integers(column: pa.ChunkedArray) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return integers or booleans as little-endian int64, nulls as 0."""
    return np.array(column.cast(pa.int64()).fill_null(0).to_numpy(), dtype="<i8")


def _check_key(rows: pa.Table, table: Table) -> None:
    """Hold the rows to strictly ascending keys."""
    keys = np.column_stack([_integers(rows.column(name)) for name in table.key])
    steps = np.diff(keys, axis=0)
    leading = steps[np.arange(len(steps)), (steps != 0).argmax(axis=1)]
    wrong = np.flatnonzero(leading <= 0)
    if wrong.size:
        row = ", ".join(f"{name} {value}" for name, value in zip(table.key, keys[wrong[0] + 1], strict=True))
        raise SchemaError(f"{table.name}: the row of {row} is double or out of order")


def _listed(columns: list[tuple[str, str]]) -> str:
    """Return columns and types for a message."""
    return ", ".join(f"{ascii(name)[1:-1]} {kind}" for name, kind in columns)
