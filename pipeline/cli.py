"""The command line: parameters in, one call out.

Commands import what they need when they run, so that help is quick and worker processes, which import this module when
the program's script is their main module, load neither polars nor the solvers through it.
"""
# ruff: noqa: PLC0415

from pathlib import Path
from typing import Any, TextIO

import click

from pipeline import program
from pipeline.forty_thieves.cli import forty_thieves
from pipeline.options import (
    FOLDER,
    STATES,
    board_option,
    data_option,
    decided_option,
    jobs_option,
    out_option,
    quiet_option,
    run_options,
)
from solvers.deals import FREECELL_HIGHEST, FREECELL_LOWEST

freecell_deals = program.deals_between(FREECELL_LOWEST, FREECELL_HIGHEST)
range_argument = click.argument("deals", metavar="[RANGE]", type=freecell_deals, required=False)
cells_option = click.option(
    "--cells", type=program.cells, default="4", show_default=True, metavar="K[,K...]", help="Numbers of free cells."
)


@click.group(cls=program.Program, invoke_without_command=True)
@click.version_option(package_name="solitaire-deals", prog_name="deals", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Exact tables of numbered solitaire deals.

    Every win is a solution that a referee has replayed, every loss a search that ran to its end; "undecided" says that
    a state limit ran out.

    \b
    Exit status: 0 done; 1 error; 2 wrong usage or input; 3 an audit or a
    verification disagrees; 4 done, but deals are undecided; 130 interrupted
    (the same command goes on from there).
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@main.group(invoke_without_command=True)
@click.pass_context
def freecell(context: click.Context) -> None:
    """FreeCell: deals 1-1000000 in Microsoft's numbering, 0 to 4 free cells."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@freecell.command()
@range_argument
@run_options("out")
@data_option
@click.option("--limit", type=STATES, metavar="STATES", help="States that a search of the last pass may hold.")
def difficulty(deals: tuple[int, ...] | None, data: Path, limit: int | None, **run: Any) -> int:
    """Find the fewest free cells that win each deal, with evidence for every row.

    RANGE is like 1-32000, 1-100,617 or @FILE. Without it the deals are 1-32000, and the tables are published to the
    data folder at the end. Ctrl-C or a kill loses the shards in flight alone: the same command goes on from there.

    \b
    Examples:
      deals freecell difficulty 1-900
      deals freecell difficulty 617,11982 --jobs 0
      deals freecell difficulty
    """
    from pipeline import commands, runs

    return commands.difficulty(deals, data, limit, runs.Options(**run))


@freecell.command()
@click.argument("deals", metavar="[DEALS]", type=freecell_deals, required=False)
@cells_option
@click.option("--no-autoplay", is_flag=True, help="Cards go home by moves alone.")
@run_options("out")
@click.option("--limit", type=STATES, metavar="STATES", help="States at which an enumeration gives up.")
def audit(
    deals: tuple[int, ...] | None, cells: tuple[int, ...], no_autoplay: bool, limit: int | None, **run: Any
) -> int:
    """Count all reachable states plainly, beside the verdict of the fast search.

    DEALS is like 1-100,617 or @FILE; without it they are the eight deals of 1-1000000 that are known to be unsolvable.
    A deal stops at its first win. Exit status 3 if the two verdicts disagree or a known-unsolvable deal can be won.

    \b
    Examples:
      deals freecell audit
      deals freecell audit 11982 --no-autoplay
      deals freecell audit 1-50 --cells 0,1
    """
    from pipeline import commands, runs

    return commands.audit(deals, cells, not no_autoplay, limit, runs.Options(**run))


@freecell.command()
@range_argument
@cells_option
@board_option
@run_options("out/solve")
@click.option("--limit", type=STATES, metavar="STATES", help="States that one search may hold.")
@decided_option
def solve(
    deals: tuple[int, ...] | None, cells: tuple[int, ...], board: TextIO | None, limit: int | None, **rest: Any
) -> int:
    """Search deals with chosen numbers of free cells, each on its own.

    Writes evidence and solutions alone. With --board it settles one position and prints the solution. The text is a
    line a column, the card free to move last; a game in progress also has "Freecells:" and "Foundations:" lines, as
    fc-solve and PySolFC write them.

    \b
    Examples:
      deals freecell solve 1-100 --cells 2,3
      deals freecell solve --board position.txt --cells 4
      deals freecell solve --board - < position.txt
    """
    from pipeline import commands, runs

    require_decided = rest.pop("require_decided")
    if deals is not None and board is None:
        return commands.solve(deals, cells, limit, require_decided, runs.Options(**rest))
    if deals is None and board is not None:
        return commands.solve_board(board, cells, limit, require_decided)
    raise click.UsageError("give either RANGE (such as 1-100) or --board FILE")


@freecell.command()
@range_argument
@data_option
@click.option(
    "--out", type=FOLDER, default=Path("out/winnable"), show_default=True, metavar="DIR", help="Folder for the list."
)
def winnable(deals: tuple[int, ...] | None, data: Path, out: Path) -> int:
    """List the deals that are solvable with four cells.

    They are a filter of the evidence in the data folder. Without RANGE the list is of all deals there, and is published
    beside it; otherwise it is written to DIR. Parquet and JSON hold the same numbers.

    \b
    Examples:
      deals freecell winnable
      deals freecell winnable 1-1000
    """
    from pipeline import commands

    return commands.winnable(deals, data, out)


@freecell.command()
@click.argument("deal", metavar="N", type=program.deal_between(FREECELL_LOWEST, FREECELL_HIGHEST))
@data_option
def show(deal: int, data: Path) -> int:
    """Show deal N: board, level, evidence, solution.

    What the tables of the data folder hold is shown from there; any other deal is settled afresh.

    \b
    Example:
      deals freecell show 617
    """
    from pipeline import commands

    return commands.show(deal, data)


main.add_command(forty_thieves)


@main.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@data_option
@click.option(
    "--resolve", "by_search", type=program.row_count, default="0", metavar="N|all", help="Rows to search afresh."
)
@click.option(
    "--enumerate",
    "by_enumeration",
    type=program.row_count,
    default="0",
    metavar="N|all",
    help="Unsolvable rows to prove again by plain enumeration.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="S", help="Seed that picks those rows.")
@click.option("--limit", "state_limit", type=STATES, metavar="STATES", help="States at which those proofs give up.")
@jobs_option
@quiet_option
@decided_option
def verify(paths: tuple[Path, ...], data: Path, jobs: int, quiet: bool, **reproofs: Any) -> int:
    """Replay every stored solution and hold the tables against one another.

    PATH is a folder of tables or one table; without it, the data folder. Names each bad row, and exits with 3 if there
    is any. A fresh proof that the limit cuts short is counted and is no fault.

    \b
    Examples:
      deals verify
      deals verify out --resolve 100 --seed 7
      deals verify --enumerate 50 --limit 1000000
    """
    from pipeline import commands
    from pipeline.verify import Reproofs

    return commands.verify(paths, data, Reproofs(**reproofs), jobs, quiet)


@main.command()
@click.argument("run", metavar="RUN")
@out_option("out")
@data_option
def publish(run: str, out: Path, data: Path) -> int:
    """Publish the tables of a finished run to the data folder.

    RUN is the name of a run in DIR/runs, or its path. Nothing is written unless the run is whole and its tables agree.

    \b
    Example:
      deals publish freecell-difficulty-1-32000
    """
    from pipeline import commands

    return commands.publish(run, out, data)


@main.command()
@click.option("--deals", type=click.IntRange(20, 32_000), default=1_000, show_default=True, metavar="N", help="Deals.")
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True, metavar="R", help="Times in turn.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=program.default_jobs,
    show_default="all cores",
    metavar="W",
    help="Most workers to time.",
)
def bench(deals: int, rounds: int, workers: int) -> int:
    """Time the FreeCell search beside freecell-solver, and more workers beside fewer.

    Both sides settle the same deals in turn, each on one core; printed are medians of processor seconds of whole
    processes. Without freecell-solver there are no ratios.

    \b
    Example:
      deals bench --deals 2000 --rounds 5
    """
    from pipeline import commands

    return commands.bench(deals, rounds, workers)
