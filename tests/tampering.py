"""Faults planted in tables, for tests of what finds them."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def tamper(path: Path, change: dict[str, Any]) -> None:
    """Change the first row of a table and nothing else."""
    with pq.ParquetFile(path) as file:
        table, entries = file.read(), file.metadata.metadata
    rows = table.to_pylist()
    rows[0].update(change)
    with pq.ParquetWriter(path, table.schema, store_schema=False) as writer:
        writer.write_table(pa.Table.from_pylist(rows, schema=table.schema))
        writer.add_key_value_metadata(entries)
