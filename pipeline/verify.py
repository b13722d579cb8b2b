"""Verification of finished tables: the referee replays every solution, the tables are held against one another, and
rows are decided once more on demand."""

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from pipeline import jobs
from pipeline.games import GAMES, Game, table_faults
from pipeline.jobs import ProofShard, Replay, ReplayShard, Reproof
from pipeline.program import InputError
from pipeline.publish import MANIFEST, manifest_faults
from pipeline.schemas import PUBLISHED
from pipeline.table_files import SchemaError, read_table

REPLAYS_A_SHARD = 200
PROOFS_A_SHARD = 5
BY_FILE_NAME = {spec.file_name: spec for spec in PUBLISHED}

Row = dict[str, Any]
Key = tuple[int, Any]  # a deal with the game's variant: cells or rules
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
    present = {name for files in groups.values() for name in files}
    if (reproofs.by_search or reproofs.by_enumeration) and not any(game.evidence.name in present for game in GAMES):
        wanted = " or ".join(game.evidence.file_name for game in GAMES)
        raise InputError(f"there is no {wanted} here, so there are no rows to decide once more")
    report = Report()
    for folder, files in groups.items():
        tables = load(files, report)
        if folder in paths:
            is_published = folder.resolve() == data.resolve() or (folder / MANIFEST).exists()
            report.faults += folder_faults(folder, files, is_published)
        report.faults += [*list_faults(folder, tables), *table_faults(tables)]
        for game in GAMES:
            verify_game(game, folder, tables, reproofs, report, farm)
    return report


def verify_game(
    game: Game, folder: Path, tables: Mapping[str, pa.Table], reproofs: Reproofs, report: Report, farm: Farm
) -> None:
    """Say what the tables of a game were held to; replay its solutions, and decide rows once more."""
    for promise in game.promises:
        if {table.name for table in promise.tables} <= tables.keys():
            report.checked.append(f"{folder}: {promise.text}")
    if game.solutions.name in tables:
        check_solutions(game, tables[game.solutions.name].to_pylist(), report, farm)
    if game.evidence.name in tables:
        check_evidence(game, tables[game.evidence.name].to_pylist(), reproofs, report, farm)


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
    for game in GAMES:
        for table, bases in game.rests_on.items():
            absent = [base.file_name for base in bases if table.name in files and base.name not in files]
            faults += [f"{folder}: {name} is absent, which {table.file_name} rests on" for name in absent]
    return faults


def list_faults(folder: Path, tables: Mapping[str, pa.Table]) -> list[str]:
    """Return, a line each, where a list and its JSON file disagree."""
    faults = [
        list_fault(folder / table.list_name, tables[table.name].column("deal").to_pylist())
        for table in PUBLISHED
        if table.is_list and table.name in tables
    ]
    return [fault for fault in faults if fault]


def list_fault(path: Path, deals: list[int]) -> str | None:
    """Return why a JSON file is not the list of these deals, ``None`` if it is."""
    try:
        numbers = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no JSON"
        return f"{path}: cannot be read: {reason}"
    return None if numbers == deals else f"{path}: not the deals of {path.stem}.parquet"


def check_solutions(game: Game, rows: list[Row], report: Report, farm: Farm) -> None:
    """Replay every solution."""
    moves = {(row["deal"], row[game.variant]): row["moves"] for row in rows}
    stored = [(row["deal"], row[game.variant], row["solution"]) for row in rows]
    answers: list[Replay] = farmed(farm, game.replays, map(ReplayShard, parts(stored, REPLAYS_A_SHARD)))
    for answer in answers:
        where = f"{game.solutions.name}: deal {answer.deal} {game.variant} {answer.variant}"
        said = moves[answer.deal, answer.variant]
        if answer.fault is not None:
            report.faults.append(f"{where}: {answer.fault}")
        elif answer.moves != said:
            report.faults.append(f"{where}: moves is {said}, the referee counts {answer.moves}")
    report.checked.append(f"{game.solutions.name}: {len(answers):,} solutions replayed by the referee")


def check_evidence(game: Game, rows: list[Row], reproofs: Reproofs, report: Report, farm: Farm) -> None:
    """Decide rows once more, and compare."""
    said = {(row["deal"], row[game.variant]): row["verdict"] for row in rows}
    if reproofs.by_search:
        chosen = sample(list(said), reproofs.by_search, reproofs.seed)
        shards = proof_shards(chosen, game.search_limit(reproofs.state_limit))
        compare(game, said, farmed(farm, game.resolved, shards), "searched afresh", report)
    if reproofs.by_enumeration:
        lost = [key for key, verdict in said.items() if verdict == "unsolvable"]
        chosen = sample(lost, reproofs.by_enumeration, reproofs.seed)
        shards = proof_shards(chosen, reproofs.state_limit or jobs.AUDIT_LIMIT)
        compare(game, said, farmed(farm, game.enumerated, shards), "enumerated plainly", report)


def compare(game: Game, said: Mapping[Key, str], answers: Sequence[Reproof], how: str, report: Report) -> None:
    """Note how many rows were decided once more, and the answers that contradict what the table says."""
    undecided = sum(answer.verdict == "undecided" for answer in answers)
    report.undecided += undecided
    for answer in answers:
        verdict = said[answer.deal, answer.variant]
        if {verdict, answer.verdict} == {"solvable", "unsolvable"}:
            where = f"{game.evidence.name}: deal {answer.deal} {game.variant} {answer.variant}"
            report.faults.append(f"{where}: {verdict}, but {answer.verdict} when {how} ({answer.states:,} states)")
    cut_short = f", {undecided:,} of them cut short by the state limit" if undecided else ""
    report.checked.append(f"{game.evidence.name}: {len(answers):,} rows {how}{cut_short}")


def sample(keys: Sequence[Key], count: int, seed: int) -> list[Key]:
    """Return some keys, in order, the same ones for the same seed; all if there are no more."""
    return sorted(random.Random(seed).sample(sorted(keys), min(count, len(keys))))


def proof_shards(keys: Sequence[Key], state_limit: int) -> list[ProofShard]:
    """Cut rows of evidence into shards."""
    return [ProofShard(part, state_limit) for part in parts(keys, PROOFS_A_SHARD)]


def parts(rows: Sequence[RowT], size: int) -> list[tuple[RowT, ...]]:
    """Cut rows into tuples of ``size``; the last may be smaller."""
    return [tuple(rows[start : start + size]) for start in range(0, len(rows), size)]


def farmed(farm: Farm, work: Callable[[Any], list[Any]], shards: Iterable[Any]) -> list[Any]:
    """Return the answers of all shards in one list."""
    return [answer for answers in farm(work, list(shards)) for answer in answers]
