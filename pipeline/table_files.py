"""How a table becomes a file and is read back, each time held to its schema."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.files import write_file
from pipeline.schemas import METADATA_PREFIX, RUN_METADATA, SCHEMA_VERSION, Table


class SchemaError(ValueError):
    """A table or file is not what its schema declares; the message is one line."""


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

    A list gets its JSON file beside it.

    Args:
        metadata: ``search_version`` and ``budgets`` (the tables' state limits), without prefix.

    Raises:
        SchemaError: the rows are not as declared, or the metadata has other keys.
    """
    write_file(path, encode_table(rows, table, metadata))
    if table.is_list:
        write_file(path.with_name(table.list_name), encode_list(rows))


def encode_list(rows: pa.Table) -> bytes:
    """Return the JSON of a list: one array of deal numbers."""
    return json.dumps(rows.column("deal").to_pylist(), separators=(",", ":")).encode() + b"\n"


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


def rows_of_deal(path: Path, deal: int) -> pa.Table:
    """Return the rows of one deal of a table's file, which is not held to its schema."""
    return pq.read_table(path, filters=[("deal", "=", deal)])


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


def _ordinals(column: pa.ChunkedArray) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return integers in the order of a column's values: of strings their places in the alphabet."""
    if not pa.types.is_string(column.type):
        return _integers(column)
    return np.unique(np.array(column.to_pylist(), dtype=object), return_inverse=True)[1].reshape(-1)


def _check_key(rows: pa.Table, table: Table) -> None:
    """Hold the rows to strictly ascending keys."""
    keys = np.column_stack([_ordinals(rows.column(name)) for name in table.key])
    steps = np.diff(keys, axis=0)
    leading = steps[np.arange(len(steps)), (steps != 0).argmax(axis=1)]
    wrong = np.flatnonzero(leading <= 0)
    if wrong.size:
        place = int(wrong[0]) + 1
        row = ", ".join(f"{name} {rows.column(name)[place].as_py()}" for name in table.key)
        raise SchemaError(f"{table.name}: the row of {row} is double or out of order")


def _listed(columns: list[tuple[str, str]]) -> str:
    """Return columns and types for a message."""
    return ", ".join(f"{ascii(name)[1:-1]} {kind}" for name, kind in columns)
