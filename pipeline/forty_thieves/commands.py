"""What the commands of Forty Thieves do; see :mod:`pipeline.commands`."""

from pathlib import Path
from typing import TextIO

import click

from pipeline.forty_thieves import jobs
from pipeline.forty_thieves.known import deeper_run, with_known
from pipeline.forty_thieves.runs import DeeperRun, SolveRun, WinnableRun, budgets_up_to, progress_limit, search_limit
from pipeline.forty_thieves.show import deal_text, evidence_lines, progress_lines
from pipeline.forty_thieves.summary import verdict_summary, winnable_summary
from pipeline.forty_thieves.tables import open_deals
from pipeline.program import DONE, UNDECIDED, InputError
from pipeline.publish import publish_checked, require_folder
from pipeline.runs import Options, execute
from pipeline.schemas import FORTY_THIEVES_EVIDENCE
from solvers.forty_thieves import search
from solvers.forty_thieves.deals import Board, Rules
from solvers.forty_thieves.referee import Position
from solvers.forty_thieves.text import parse_board
from solvers.result import Verdict

DEFAULT_RANGE = range(1, 10_001)


def winnable(
    deals: tuple[int, ...] | None,
    rules: tuple[Rules, ...],
    data: Path,
    limit: int | None,
    is_deeper: bool,
    require_decided: bool,
    options: Options,
) -> int:
    """Run `deals forty-thieves winnable`; without deals, and with all rule sets in the tables, these are published.

    What earlier runs have settled beyond them stays settled in the data folder.
    """
    is_published = deals is None and (is_deeper or rules == tuple(Rules))
    if is_published:
        require_folder(data)
    run: WinnableRun | DeeperRun
    if is_deeper:
        run = deeper_run(deals, rules, data, search_limit(limit))
    else:
        run = WinnableRun(deals or tuple(DEFAULT_RANGE), rules, budgets_up_to(limit))
    tables = execute(run, options)
    click.echo(winnable_summary(tables))
    still_open = {*(deals or run.deals)} & {*open_deals(tables[FORTY_THIEVES_EVIDENCE.name], rules)}
    if isinstance(run, DeeperRun):
        settled = len({*run.taken_up} - still_open)
        click.echo(f"\nTaken up once more: {len(run.taken_up):,} deals; settled now: {settled:,}")
    if is_published:
        publish_checked(*with_known(tables, run.metadata(), data), data)
    return UNDECIDED if require_decided and still_open else DONE


def solve(
    deals: tuple[int, ...], rules: tuple[Rules, ...], limit: int | None, require_decided: bool, options: Options
) -> int:
    """Run `deals forty-thieves solve RANGE`."""
    evidence = execute(SolveRun(deals, rules, search_limit(limit)), options)[FORTY_THIEVES_EVIDENCE.name]
    click.echo(verdict_summary(evidence))
    return UNDECIDED if require_decided and open_deals(evidence, rules) else DONE


def solve_board(file: TextIO, rules: tuple[Rules, ...], limit: int | None, require_decided: bool) -> int:
    """Run `deals forty-thieves solve --board FILE`: settle one position under each rule set."""
    board = read_board(file, rules)
    found = [jobs.searched(board, each, search_limit(limit), "the board") for each in rules]
    for evidence in found:
        click.echo("\n".join(evidence_lines(board, evidence)))
    return UNDECIDED if require_decided and any(each.verdict == Verdict.UNDECIDED for each in found) else DONE


def any_progress(file: TextIO, rules: tuple[Rules, ...], limit: int | None, require_decided: bool) -> int:
    """Run `deals forty-thieves solve --board FILE --any-progress`: can one more card go to a foundation?"""
    board = read_board(file, rules)
    results = [search.any_progress(board, each, progress_limit(limit)) for each in rules]
    for each, result in zip(rules, results, strict=True):
        click.echo("\n".join(progress_lines(board, each, result)))
    return UNDECIDED if require_decided and any(each.verdict == Verdict.UNDECIDED for each in results) else DONE


def read_board(file: TextIO, rules: tuple[Rules, ...]) -> Board:
    """Return the position that a file describes.

    Raises:
        InputError: it describes none, or none that can come about under all these rule sets.
    """
    try:
        board = parse_board(file.read())
        for each in rules:
            Position(board, each)
    except ValueError as error:
        raise InputError(f"board {file.name}: {error}") from error
    return board


def show(deal: int, data: Path) -> int:
    """Run `deals forty-thieves show N`."""
    click.echo(deal_text(deal, data))
    return DONE
