"""Finished tables into the data folder, with a manifest that vouches for them and a README made from the schemas."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipeline.describe import describe
from pipeline.files import remove_leftovers, write_file
from pipeline.schemas import PUBLISHED, SchemaError, content_hash, encode_table, read_table

MANIFEST = "manifest.json"
README = "README.md"

_TABLES = {table.name: table for table in PUBLISHED}


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
    files = {name: encode_table(rows, _TABLES[name], metadata) for name, rows in sorted(tables.items())}
    entries = dict(read_manifest(data))
    for name, content in files.items():
        file_name = _TABLES[name].file_name
        remove_leftovers(data, file_name)
        write_file(data / file_name, content)
        entries[file_name] = _digest(content) | _measure(tables[name])
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
    present = [table for table in PUBLISHED if (data / table.file_name).exists()]
    if not entries:
        return [f"{data / MANIFEST}: absent or unreadable"] if present else []
    expected = {table.file_name for table in present} | set(entries)
    faults = [_file_fault(data / name, entries.get(name)) for name in sorted(expected)]
    return [fault for fault in faults if fault]


def _file_fault(path: Path, entry: Mapping[str, Any] | None) -> str | None:
    """Return what is wrong with one file, if anything is."""
    table = next((table for table in PUBLISHED if table.file_name == path.name), None)
    if table is None:
        return f"{path}: the manifest lists it, but it is no table of this project"
    if entry is None:
        return f"{path}: not in the manifest"
    try:
        content = path.read_bytes()
        found = _digest(content)
        if found.items() <= entry.items():
            found |= _measure(read_table(path, table))
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
