"""What the data folder knows of Forty Thieves, for the runs that go on from there."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from pipeline.forty_thieves.checks import table_faults
from pipeline.forty_thieves.runs import DeeperRun, joined
from pipeline.forty_thieves.tables import completed, open_deals, searches_of, winnable_tables
from pipeline.program import InputError
from pipeline.schemas import FORTY_THIEVES_EVIDENCE, FORTY_THIEVES_SOLUTIONS, FORTY_THIEVES_TABLES, RUN_METADATA
from pipeline.table_files import SchemaError, content_hash, read_metadata, read_table
from solvers.forty_thieves.deals import Rules


def deeper_run(deals: tuple[int, ...] | None, rules: tuple[Rules, ...], data: Path, state_limit: int) -> DeeperRun:
    """Return the run that goes on from the tables of the data folder.

    Raises:
        InputError: they are absent, contradict one another, or do not know all these deals.
    """
    for needed in (FORTY_THIEVES_EVIDENCE, FORTY_THIEVES_SOLUTIONS):
        if not (data / needed.file_name).is_file():
            raise InputError(f"{data / needed.file_name} is absent: --deeper goes on from the tables in --data DIR")
    known = known_rows(data)
    known_deals = tuple(dict.fromkeys(known.column("deal").to_pylist()))
    unknown = {*deals} - {*known_deals} if deals else set()
    if unknown:
        raise InputError(f"deal {min(unknown)} is not in the tables of {data}: settle it without --deeper first")
    wanted = set(deals or known_deals)
    taken_up = tuple(deal for deal in open_deals(known, rules, state_limit) if deal in wanted)
    return DeeperRun(known_deals, taken_up, rules, state_limit, content_hash(known), known_metadata(data), known)


def with_known(
    tables: Mapping[str, pa.Table], metadata: Mapping[str, str], data: Path
) -> tuple[Mapping[str, pa.Table], Mapping[str, str]]:
    """Return the tables of a run, with what the data folder has settled beyond them, and their metadata.

    Raises:
        InputError: the tables of the data folder contradict one another.
    """
    if not (data / FORTY_THIEVES_EVIDENCE.file_name).is_file():
        return tables, metadata
    rows = searches_of(tables)
    together = completed(rows, known_rows(data))
    if together.equals(rows):
        return tables, metadata
    earlier = known_metadata(data)
    return winnable_tables(together), {key: joined(earlier[key], metadata[key]) for key in RUN_METADATA}


def known_rows(data: Path) -> pa.Table:
    """Return the rows (FORTY_THIEVES_SEARCHES) that the tables of the data folder were made of.

    Raises:
        InputError: the tables contradict one another.
    """
    specs = [spec for spec in FORTY_THIEVES_TABLES if not spec.is_list and (data / spec.file_name).is_file()]
    try:
        tables = {spec.name: read_table(data / spec.file_name, spec) for spec in specs}
    except SchemaError as error:
        raise InputError(str(error)) from error
    fault = next(table_faults(tables), None)
    if fault is not None:
        raise InputError(f"what is known must agree, but {fault}")
    return searches_of(tables)


def known_metadata(data: Path) -> dict[str, str]:
    """Return the versions and limits of the data folder's rows."""
    entries = read_metadata(data / FORTY_THIEVES_EVIDENCE.file_name)
    return {key: entries[key] for key in RUN_METADATA}
