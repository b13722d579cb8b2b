"""The commands of Forty Thieves: parameters in, one call out, as in :mod:`pipeline.cli`."""
# ruff: noqa: PLC0415

from pathlib import Path
from typing import Any, TextIO

import click

from pipeline import program
from pipeline.options import STATES, board_option, data_option, decided_option, run_options
from solvers.forty_thieves.deals import HIGHEST, LOWEST, Rules

NUMBERS = LOWEST, HIGHEST
BOTH = "both"


def chosen(_context: click.Context, _parameter: click.Parameter, text: str) -> tuple[Rules, ...]:
    """Return the rule sets that a word of the command line stands for."""
    return tuple(Rules) if text == BOTH else (Rules(text),)


range_argument = click.argument("deals", metavar="[RANGE]", type=program.deals_between(*NUMBERS), required=False)
rules_option = click.option(
    "--rules",
    type=click.Choice([*(rules.value for rules in Rules), BOTH]),
    default=BOTH,
    show_default=True,
    callback=chosen,
    help="The rule sets to play by.",
)


@click.group("forty-thieves", invoke_without_command=True)
@click.pass_context
def forty_thieves(context: click.Context) -> None:
    """Forty Thieves: deals 1-2147483647 of KPat's two-deck shuffle, classic and relaxed rules."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@forty_thieves.command()
@range_argument
@rules_option
@run_options("out")
@data_option
@click.option("--limit", type=STATES, metavar="STATES", help="States that a search of the last pass may meet.")
@click.option("--deeper", "is_deeper", is_flag=True, help="Take up what the data folder leaves undecided.")
@decided_option
def winnable(deals: tuple[int, ...] | None, data: Path, limit: int | None, **rest: Any) -> int:
    """Find which deals can be won, with a solution for each, and how hard a win is to find.

    RANGE is like 1-10000, 1-100,617 or @FILE. Without it the deals are 1-10000, and the tables are published to the
    data folder at the end. Ctrl-C or a kill loses the shards in flight alone: the same command goes on from there.

    With --deeper it goes on from the tables of the data folder: those of its deals (in RANGE, if given) that are
    undecided are searched with a larger limit, and all other rows are kept.

    \b
    Examples:
      deals forty-thieves winnable 1-100 --rules relaxed
      deals forty-thieves winnable
      deals forty-thieves winnable 1-300 --rules classic --deeper
    """
    from pipeline import runs
    from pipeline.forty_thieves import commands

    rules, is_deeper, require_decided = (rest.pop(name) for name in ("rules", "is_deeper", "require_decided"))
    return commands.winnable(deals, rules, data, limit, is_deeper, require_decided, runs.Options(**rest))


@forty_thieves.command()
@range_argument
@rules_option
@board_option
@click.option("--any-progress", "is_progress", is_flag=True, help="Ask of the board whether it can get any further.")
@run_options("out/solve")
@click.option("--limit", type=STATES, metavar="STATES", help="States that one search may meet.")
@decided_option
def solve(
    deals: tuple[int, ...] | None, board: TextIO | None, is_progress: bool, limit: int | None, **rest: Any
) -> int:
    """Search deals, or one position in progress, with the large limit of --deeper.

    Writes evidence and solutions alone. With --board it settles one position and prints the solution. The text is a
    line a column, the card free to move last; then "Waste:", "Stock:", "Foundations:" and "Pass:" lines. With
    --any-progress it says whether any line of moves brings one more card to a foundation, or surely none does.

    \b
    Examples:
      deals forty-thieves solve 1-20 --rules classic
      deals forty-thieves solve --board position.txt --rules relaxed
      deals forty-thieves solve --board position.txt --any-progress
    """
    from pipeline import runs
    from pipeline.forty_thieves import commands

    rules, require_decided = rest.pop("rules"), rest.pop("require_decided")
    if is_progress and board is None:
        raise click.UsageError("--any-progress asks of a position: give it with --board FILE")
    if deals is not None and board is None:
        return commands.solve(deals, rules, limit, require_decided, runs.Options(**rest))
    if deals is None and board is not None:
        answer = commands.any_progress if is_progress else commands.solve_board
        return answer(board, rules, limit, require_decided)
    raise click.UsageError("give either RANGE (such as 1-100) or --board FILE")


@forty_thieves.command()
@click.argument("deal", metavar="N", type=program.deal_between(*NUMBERS))
@data_option
def show(deal: int, data: Path) -> int:
    """Show deal N: board, stock, and under each rule set verdict, grade and solution.

    What the tables of the data folder hold is shown from there; any other deal is settled afresh.

    \b
    Example:
      deals forty-thieves show 617
    """
    from pipeline.forty_thieves import commands

    return commands.show(deal, data)
