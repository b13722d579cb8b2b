"""What the commands do: run, print to stdout, say on stderr what else there is to say, return the exit status."""

from functools import partial
from pathlib import Path
from typing import TextIO

import click
import pyarrow.compute as pc

from pipeline import jobs
from pipeline.bench import contest_lines, contests, memory_line, peer, run_contest, worker_lines, worker_times
from pipeline.freecell import AuditRun, DifficultyRun, SolveRun, budgets_up_to, search_limit
from pipeline.games import PUBLISHED_RUNS, PublishedRun
from pipeline.program import DISAGREEMENT, DONE, UNDECIDED, InputError
from pipeline.publish import publish_checked, require_folder
from pipeline.published import KNOWN_UNSOLVABLE, PUBLISHED_RANGE
from pipeline.runs import RUNS_FOLDER, Options, execute, gather, read_whole
from pipeline.schemas import FREECELL_AUDIT, FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_WINNABLE, RUN_METADATA
from pipeline.shards import RunError, read_config
from pipeline.show import cells_text, deal_text, solution_lines
from pipeline.summary import audit_faults, audit_summary, difficulty_summary, solve_summary, winnable_summary
from pipeline.table_files import read_metadata, read_table, write_table
from pipeline.tables import GAME_CELLS, audit_undecided, rows_of_deals, winnable_list
from pipeline.verify import Reproofs, verify_tables
from solvers.deals import Board
from solvers.freecell.difficulty import Evidence
from solvers.freecell.text import parse_board
from solvers.result import Verdict


def difficulty(deals: tuple[int, ...] | None, data: Path, limit: int | None, options: Options) -> int:
    """Run `deals freecell difficulty`; without deals it is the published range, and the tables are published."""
    if deals is None:
        require_folder(data)
    run = DifficultyRun(deals or tuple(PUBLISHED_RANGE), budgets_up_to(search_limit(limit)))
    tables = execute(run, options)
    table = tables[FREECELL_DIFFICULTY.name]
    click.echo(difficulty_summary(table))
    if deals is None:
        publish_checked(tables, run.metadata(), data)
    return UNDECIDED if table.column("is_settled").to_pylist().count(False) else DONE


def solve(
    deals: tuple[int, ...], cells: tuple[int, ...], limit: int | None, require_decided: bool, options: Options
) -> int:
    """Run `deals freecell solve RANGE`."""
    run = SolveRun(deals, cells, search_limit(limit))
    evidence = execute(run, options)[FREECELL_EVIDENCE.name]
    click.echo(solve_summary(evidence))
    return UNDECIDED if require_decided and run.count_undecided(evidence) else DONE


def solve_board(file: TextIO, cells: tuple[int, ...], limit: int | None, require_decided: bool) -> int:
    """Run `deals freecell solve --board FILE`: settle one position for each number of cells."""
    try:
        text = file.read()
        boards = [(count, parse_board(text, count)) for count in cells]
    except ValueError as error:
        raise InputError(f"board {file.name}: {error}") from error
    verdicts = set()
    for count, board in boards:
        evidence = jobs.searched(board, count, search_limit(limit))
        jobs.refereed(board, evidence, "the board")
        verdicts.add(evidence.verdict)
        click.echo(board_answer(board, evidence))
    return UNDECIDED if require_decided and Verdict.UNDECIDED in verdicts else DONE


def audit(
    deals: tuple[int, ...] | None, cells: tuple[int, ...], is_autoplay: bool, limit: int | None, options: Options
) -> int:
    """Run `deals freecell audit`; without deals it takes the known-unsolvable ones."""
    run = AuditRun(deals or KNOWN_UNSOLVABLE, cells, is_autoplay, limit or jobs.AUDIT_LIMIT)
    table = execute(run, options)[FREECELL_AUDIT.name]
    click.echo(audit_summary(table))
    faults = audit_faults(table)
    for fault in faults:
        click.echo(fault, err=True)
    if faults:
        return DISAGREEMENT
    return UNDECIDED if audit_undecided(table) else DONE


def winnable(deals: tuple[int, ...] | None, data: Path, out: Path) -> int:
    """Run `deals freecell winnable`; without deals it lists all that the evidence knows, and publishes the list.

    Raises:
        InputError: the data folder has no evidence, or not of all these deals.
    """
    path = data / FREECELL_EVIDENCE.file_name
    if not path.is_file():
        raise InputError(f"{path} is absent: make it by `deals freecell difficulty`, or name its folder with --data")
    evidence = read_table(path, FREECELL_EVIDENCE)
    evidence = evidence.filter(pc.equal(evidence.column("cells"), GAME_CELLS))
    if deals is not None:
        evidence = rows_of_deals(evidence, deals)
        unknown = sorted({*deals} - {*evidence.column("deal").to_pylist()})
        if unknown:
            raise InputError(f"{path} has no evidence of deal {unknown[0]}: settle it by `deals freecell difficulty`")
    winnable = winnable_list(evidence)
    click.echo(winnable_summary(evidence))
    metadata = {key: entry for key, entry in read_metadata(path).items() if key in RUN_METADATA}
    if deals is None:
        publish_checked({FREECELL_WINNABLE.name: winnable}, metadata, data)
    else:
        out.mkdir(parents=True, exist_ok=True)
        write_table(winnable, FREECELL_WINNABLE, out / FREECELL_WINNABLE.file_name, metadata)
        click.echo(f"wrote {out / FREECELL_WINNABLE.file_name} and {FREECELL_WINNABLE.list_name}", err=True)
    return DONE


def show(deal: int, data: Path) -> int:
    """Run `deals freecell show N`."""
    click.echo(deal_text(deal, data))
    return DONE


def verify(paths: tuple[Path, ...], data: Path, reproofs: Reproofs, processes: int, is_quiet: bool) -> int:
    """Run `deals verify`."""
    report = verify_tables(paths or (data,), data, reproofs, partial(gather, jobs=processes, is_quiet=is_quiet))
    for line in [*report.checked, *report.faults]:
        click.echo(line)
    click.echo(f"bad rows: {len(report.faults):,}")
    if report.faults:
        return DISAGREEMENT
    return UNDECIDED if reproofs.require_decided and report.undecided else DONE


def publish(name: str, out: Path, data: Path) -> int:
    """Run `deals publish RUN`: build the tables of a whole run again and put them into the data folder."""
    require_folder(data)
    run, path = stored_run(name, out)
    publish_checked(read_whole(run, path), run.metadata(), data)
    return DONE


def bench(deals: int, rounds: int, workers: int) -> int:
    """Run `deals bench`."""
    program = peer()
    if program is None:
        click.echo("freecell-solver is not installed (Debian: freecell-solver-bin): no ratios", err=True)
    for line in contest_lines(run_contest(contest, rounds, program) for contest in contests(deals)):
        click.echo(line)
    click.echo(memory_line())
    for line in worker_lines(worker_times(deals, workers)):
        click.echo(line)
    return DONE


def stored_run(name: str, out: Path) -> tuple[PublishedRun, Path]:
    """Return the run of that name or path, with its directory.

    Raises:
        InputError: there is none, or it is of a kind that is not published.
    """
    path = next((path for path in (out / RUNS_FOLDER / name, Path(name)) if path.is_dir()), None)
    if path is None:
        raise InputError(f"there is no run {name!r}: it is neither in {out / RUNS_FOLDER} nor a folder itself")
    try:
        config = read_config(path)
    except RunError as error:
        raise InputError(str(error)) from error
    kind = PUBLISHED_RUNS.get(config.get("command", ""))
    if kind is None:
        accepted = ", ".join(PUBLISHED_RUNS)
        raise InputError(f"run {path} is of {config.get('command')!r}; published are runs of {accepted}")
    return kind.from_config(config), path


def board_answer(board: Board, evidence: Evidence) -> str:
    """Return what a search says of a board, with the solution in both forms."""
    lines = [f"{cells_text(evidence.cells)}: {evidence.verdict}, {evidence.states:,} states searched"]
    if evidence.solution is not None:
        lines += solution_lines(board, evidence.cells, evidence.solution)
    return "\n".join(lines)
