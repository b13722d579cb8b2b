"""Verification of finished tables: the referee replays every solution, the tables are held against one another, and
rows are decided once more on demand."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from pipeline import jobs
from pipeline.checks import Row, table_faults
from pipeline.freecell import search_limit
from pipeline.jobs import ProofShard, Replay, ReplayShard, Reproof
from pipeline.program import InputError
from pipeline.publish import MANIFEST, manifest_faults
from pipeline.schemas import (
    FREECELL_DIFFICULTY,
    FREECELL_EVIDENCE,
    FREECELL_SOLUTIONS,
    PUBLISHED,
    SchemaError,
    read_table,
)

REPLAYS_A_SHARD = 200
PROOFS_A_SHARD = 5
BY_FILE_NAME = {spec.file_name: spec for spec in PUBLISHED}
PROMISES = (
    ({FREECELL_EVIDENCE.name}, "evidence held to be monotone in cells, and what is implied to follow from a search"),
    (
        {FREECELL_EVIDENCE.name, FREECELL_SOLUTIONS.name},
        "solvable rows held to have a solution at their cells or fewer",
    ),
    (
        {FREECELL_DIFFICULTY.name, FREECELL_EVIDENCE.name, FREECELL_SOLUTIONS.name},
        "levels held to follow from evidence",
    ),
)
BELONGING = (FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS)

RowT = TypeVar("RowT")

# Runs a function over shards in worker processes and returns the answers in the shards' order.
Farm = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]


@dataclass(frozen=True)
class Reproofs:
    """Which rows of evidence to decide once more: how many by the search, how many losses by plain enumeration."""

    by_search: int = 0
    by_enumeration: int = 0
    seed: int = 0
    require_decided: bool = False
    state_limit: int | None = None


@dataclass
class Report:
    """What a verification checked, the faults it found (a line each), and how many fresh proofs were cut short."""

    checked: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    undecided: int = 0


def verify_tables(paths: Sequence[Path], data: Path, reproofs: Reproofs, farm: Farm) -> Report:
    """Verify folders of tables and single tables; those of one folder belong together.

    Args:
        data: the folder that is to have a manifest; others may.

    Raises:
        InputError: a path holds no table, or there is no evidence whose rows could be decided once more.
    """
    groups = group_files(paths)
    is_evidence = any(FREECELL_EVIDENCE.name in files for files in groups.values())
    if (reproofs.by_search or reproofs.by_enumeration) and not is_evidence:
        raise InputError(f"there is no {FREECELL_EVIDENCE.file_name} here, so there are no rows to decide once more")
    report = Report()
    for folder, files in groups.items():
        tables = load(files, report)
        if folder in paths:
            is_published = folder.resolve() == data.resolve() or (folder / MANIFEST).exists()
            report.faults += folder_faults(folder, files, is_published)
        report.faults += table_faults(tables)
        report.checked += [f"{folder}: {promise}" for needed, promise in PROMISES if needed <= tables.keys()]
        if FREECELL_SOLUTIONS.name in tables:
            check_solutions(tables[FREECELL_SOLUTIONS.name].to_pylist(), report, farm)
        if FREECELL_EVIDENCE.name in tables:
            check_evidence(tables[FREECELL_EVIDENCE.name].to_pylist(), reproofs, report, farm)
    return report


def group_files(paths: Iterable[Path]) -> dict[Path, dict[str, Path]]:
    """Return the files of tables by folder, then by table name.

    Raises:
        InputError: a path is no table, or a folder without any.
    """
    groups: dict[Path, dict[str, Path]] = {}
    for path in paths:
        if not path.exists():
            raise InputError(f"{str(path)!r} is absent; accepted are folders of tables and tables")
        folder = path if path.is_dir() else path.parent
        files = [folder / name for name in BY_FILE_NAME] if path.is_dir() else [path]
        found = {file.stem: file for file in files if file.name in BY_FILE_NAME and file.is_file()}
        if not found:
            raise InputError(f"{str(path)!r} holds no table; accepted are {', '.join(BY_FILE_NAME)}")
        groups.setdefault(folder, {}).update(found)
    return groups


def load(files: Mapping[str, Path], report: Report) -> dict[str, pa.Table]:
    """Read tables as declared; one that is not becomes a fault."""
    tables = {}
    for path in files.values():
        spec = BY_FILE_NAME[path.name]
        try:
            tables[spec.name] = read_table(path, spec)
        except (SchemaError, OSError) as error:
            report.faults.append(str(error))
        else:
            report.checked.append(f"{path}: {tables[spec.name].num_rows:,} rows, schema and metadata as declared")
    return tables


def folder_faults(folder: Path, files: Mapping[str, Path], is_published: bool) -> list[str]:
    """Return what a folder lacks, and for a published one what its manifest does not vouch for."""
    faults = manifest_faults(folder) if is_published else []
    if FREECELL_DIFFICULTY.name in files:
        absent = [spec.file_name for spec in BELONGING if spec.name not in files]
        faults += [f"{folder}: {name} is absent, which {FREECELL_DIFFICULTY.file_name} rests on" for name in absent]
    return faults


def check_solutions(rows: list[Row], report: Report, farm: Farm) -> None:
    """Replay every solution."""
    moves = {(row["deal"], row["cells"]): row["moves"] for row in rows}
    stored = [(row["deal"], row["cells"], row["solution"]) for row in rows]
    answers: list[Replay] = farmed(farm, jobs.replays, map(ReplayShard, parts(stored, REPLAYS_A_SHARD)))
    for answer in answers:
        where = f"{FREECELL_SOLUTIONS.name}: deal {answer.deal} cells {answer.cells}"
        said = moves[answer.deal, answer.cells]
        if answer.fault is not None:
            report.faults.append(f"{where}: {answer.fault}")
        elif answer.moves != said:
            report.faults.append(f"{where}: moves is {said}, the referee counts {answer.moves}")
    report.checked.append(f"{len(answers):,} solutions replayed by the referee")


def check_evidence(rows: list[Row], reproofs: Reproofs, report: Report, farm: Farm) -> None:
    """Decide rows once more, and compare."""
    said = {(row["deal"], row["cells"]): row["verdict"] for row in rows}
    lost = [key for key, verdict in said.items() if verdict == "unsolvable"]
    if reproofs.by_search:
        chosen = sample(list(said), reproofs.by_search, reproofs.seed)
        shards = proof_shards(chosen, search_limit(reproofs.state_limit))
        report.checked.append(compare(said, farmed(farm, jobs.resolved, shards), "searched afresh", report))
    if reproofs.by_enumeration:
        chosen = sample(lost, reproofs.by_enumeration, reproofs.seed)
        shards = proof_shards(chosen, reproofs.state_limit or jobs.AUDIT_LIMIT)
        report.checked.append(compare(said, farmed(farm, jobs.enumerated, shards), "enumerated plainly", report))


def compare(said: Mapping[tuple[int, int], str], answers: Sequence[Reproof], how: str, report: Report) -> str:
    """Note the answers that contradict what the table says; return a line about all of them."""
    undecided = sum(answer.verdict == "undecided" for answer in answers)
    report.undecided += undecided
    for answer in answers:
        verdict = said[answer.deal, answer.cells]
        if {verdict, answer.verdict} == {"solvable", "unsolvable"}:
            where = f"{FREECELL_EVIDENCE.name}: deal {answer.deal} cells {answer.cells}"
            report.faults.append(f"{where}: {verdict}, but {answer.verdict} when {how} ({answer.states:,} states)")
    cut_short = f", {undecided:,} of them cut short by the state limit" if undecided else ""
    return f"{len(answers):,} rows of evidence {how}{cut_short}"


def sample(keys: Sequence[tuple[int, int]], count: int, seed: int) -> list[tuple[int, int]]:
    """Return some keys, in order, the same ones for the same seed; all if there are no more."""
    return sorted(random.Random(seed).sample(sorted(keys), min(count, len(keys))))


def proof_shards(keys: Sequence[tuple[int, int]], state_limit: int) -> list[ProofShard]:
    """Cut rows of evidence into shards."""
    return [ProofShard(part, state_limit) for part in parts(keys, PROOFS_A_SHARD)]


def parts(rows: Sequence[RowT], size: int) -> list[tuple[RowT, ...]]:
    """Cut rows into tuples of ``size``; the last may be smaller."""
    return [tuple(rows[start : start + size]) for start in range(0, len(rows), size)]


def farmed(farm: Farm, work: Callable[[Any], list[Any]], shards: Iterable[Any]) -> list[Any]:
    """Return the answers of all shards in one list."""
    return [answer for answers in farm(work, list(shards)) for answer in answers]
