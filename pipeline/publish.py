"""Finished tables into the data folder, with a manifest that vouches for them and a README made from the schemas."""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from pipeline.describe import describe
from pipeline.files import remove_leftovers, write_file
from pipeline.games import table_faults
from pipeline.program import InputError, WorkError
from pipeline.schemas import (
    FORTY_THIEVES_DEALS,
    FORTY_THIEVES_EVIDENCE,
    FREECELL_AUDIT,
    FREECELL_DIFFICULTY,
    PUBLISHED,
    Table,
)
from pipeline.table_files import SchemaError, content_hash, encode_list, encode_table, read_table
from solvers.result import Verdict

MANIFEST = "manifest.json"
README = "README.md"

_TABLES = {table.name: table for table in PUBLISHED}
_FILE_NAMES = {table.file_name for table in PUBLISHED} | {table.list_name for table in PUBLISHED if table.is_list}

# Tables whose rows only others that know as much may replace: tells whether a row knows something.
_KNOWING: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    FREECELL_DIFFICULTY.name: lambda row: row["is_settled"],
    FREECELL_AUDIT.name: lambda row: row["verdict_plain"] != Verdict.UNDECIDED,
    FORTY_THIEVES_EVIDENCE.name: lambda row: True,
    **{spec.name: lambda row: row["verdict"] != Verdict.UNDECIDED for spec in FORTY_THIEVES_DEALS.values()},
}


def require_folder(data: Path) -> None:
    """Raise InputError unless the data folder is there."""
    if not data.is_dir():
        raise InputError(f"data folder '{data}' is absent: make it, or name another with --data")


def publish_checked(tables: Mapping[str, pa.Table], metadata: Mapping[str, str], data: Path) -> None:
    """Put the tables of a whole run into the data folder.

    Raises:
        WorkError: they contradict one another, or would replace tables that know more; nothing was written.
    """
    faults = [*table_faults(tables), *losses(tables, data)]
    if faults:
        more = f" (and {len(faults) - 1:,} more)" if len(faults) > 1 else ""
        raise WorkError(f"not published: {faults[0]}{more}")
    publish(tables, metadata, data)
    click.echo(f"published {', '.join(sorted(tables))} in {data}", err=True)


def losses(tables: Mapping[str, pa.Table], data: Path) -> list[str]:
    """Return, a line each, what the data folder knows and would lose if these tables took the place of its own."""
    lost: list[str] = []
    for spec in PUBLISHED:
        path = data / spec.file_name
        if spec.name in tables and spec.name in _KNOWING and path.exists():
            gone = known_rows(read_table(path, spec), spec) - known_rows(tables[spec.name], spec)
            lost += [f"{path} settles deal {' '.join(map(str, key))}, this run does not" for key in sorted(gone)]
    return lost


def known_rows(rows: pa.Table, spec: Table) -> set[tuple[Any, ...]]:
    """Return the keys of the rows of a table that know something."""
    return {tuple(row[name] for name in spec.key) for row in rows.to_pylist() if _KNOWING[spec.name](row)}


def publish(tables: Mapping[str, pa.Table], metadata: Mapping[str, str], data: Path) -> None:
    """Put the tables of one run into the data folder; the same tables again change no byte.

    Every table is checked before the first is written. Each file is whole at all times; the manifest comes last, so
    that when this is cut short :func:`manifest_faults` names what does not belong together, until it is run again.

    Args:
        tables: rows by the table's name.
        metadata: ``search_version`` and ``budgets``, the same for all of them.

    Raises:
        SchemaError: a table is not as declared; nothing was written.
        OSError: the folder is absent or cannot be written to.
    """
    files: dict[str, tuple[bytes, dict[str, Any]]] = {}
    for name, rows in sorted(tables.items()):
        table = _TABLES[name]
        content = encode_table(rows, table, metadata)
        files[table.file_name] = content, _digest(content) | _measure(rows)
        if table.is_list:
            numbers = encode_list(rows)
            files[table.list_name] = numbers, _digest(numbers)
    entries = dict(read_manifest(data))
    for file_name, (content, entry) in files.items():
        remove_leftovers(data, file_name)
        write_file(data / file_name, content)
        entries[file_name] = entry
    for name, text in ((README, describe()), (MANIFEST, _manifest(entries))):
        remove_leftovers(data, name)
        write_file(data / name, text.encode())


def read_manifest(data: Path) -> dict[str, dict[str, Any]]:
    """Return what the manifest says of each file; nothing if there is no manifest, or none that can be read."""
    try:
        tables = json.loads((data / MANIFEST).read_text(encoding="utf-8"))["tables"]
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return {}
    return tables if isinstance(tables, dict) and all(isinstance(entry, dict) for entry in tables.values()) else {}


def manifest_faults(data: Path) -> list[str]:
    """Return, a line each, where the data folder's tables and its manifest disagree."""
    entries = read_manifest(data)
    present = {name for name in _FILE_NAMES if (data / name).exists()}
    if not entries:
        return [f"{data / MANIFEST}: absent or unreadable"] if present else []
    expected = present | set(entries)
    faults = [_file_fault(data / name, entries.get(name)) for name in sorted(expected)]
    return [fault for fault in faults if fault]


def _file_fault(path: Path, entry: Mapping[str, Any] | None) -> str | None:
    """Return what is wrong with one file, if anything is."""
    if path.name not in _FILE_NAMES:
        return f"{path}: the manifest lists it, but it is no table of this project"
    if entry is None:
        return f"{path}: not in the manifest"
    try:
        content = path.read_bytes()
        found = _digest(content)
        if found.items() <= entry.items() and path.suffix == ".parquet":
            found |= _measure(read_table(path, _TABLES[path.stem]))
    except FileNotFoundError:
        return f"{path}: absent, though in the manifest"
    except SchemaError as error:
        return str(error)
    wrong = [key for key, value in sorted(found.items()) if entry.get(key) != value]
    if wrong:
        return f"{path}: {', '.join(wrong)} not as in the manifest; changed since, or its publishing was cut short"
    return None


def _digest(content: bytes) -> dict[str, Any]:
    """Return what the manifest says of a file's bytes."""
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _measure(rows: pa.Table) -> dict[str, Any]:
    """Return what the manifest says of a file's rows."""
    return {"rows": rows.num_rows, "content_sha256": content_hash(rows)}


def _manifest(entries: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the manifest's text."""
    return json.dumps({"tables": entries}, indent=2, sort_keys=True) + "\n"
