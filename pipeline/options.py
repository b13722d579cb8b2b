"""The options that commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pipeline import program

Command = Callable[..., Any]

FOLDER = click.Path(path_type=Path, file_okay=False)
STATES = click.IntRange(min=1)

jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=0),
    default=program.default_jobs,
    show_default="all cores",
    metavar="N",
    help="Worker processes; 0 works in this process.",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
data_option = click.option(
    "--data", type=FOLDER, default=Path("data"), show_default=True, metavar="DIR", help="Folder of published tables."
)
board_option = click.option(
    "--board", type=click.File(), metavar="FILE", help="A position as text in place of RANGE; - is stdin."
)
decided_option = click.option("--require-decided", is_flag=True, help="Exit with 4 if a state limit leaves a row open.")


def out_option(default: str) -> Callable[[Command], Command]:
    """Return the option for the folder of finished tables."""
    text = "Folder for finished tables; runs live in DIR/runs."
    return click.option("--out", type=FOLDER, default=Path(default), show_default=True, metavar="DIR", help=text)


def run_options(out: str) -> Callable[[Command], Command]:
    """Add the options of every command that makes a run."""
    name_option = click.option("--name", metavar="NAME", help="Name of the run; by default it says what is computed.")

    def add(command: Command) -> Command:
        return jobs_option(out_option(out)(name_option(quiet_option(command))))

    return add
