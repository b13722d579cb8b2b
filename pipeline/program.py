"""How the command line reads its parameters, and what it says and returns when something is wrong."""

import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import click

from pipeline.ranges import RangeError, parse_deals

DONE, ERROR, USAGE, DISAGREEMENT, UNDECIDED, INTERRUPTED = 0, 1, 2, 3, 4, 130
CELLS = ("0", "1", "2", "3", "4")
ALL = sys.maxsize


class InputError(ValueError):
    """What a person gave cannot be used; the message is one line that quotes it and says what is accepted."""


class WorkError(Exception):
    """The work ended early for a reason that one line explains."""

    def __init__(self, message: str, status: int = ERROR) -> None:
        """Keep the exit status beside the message."""
        super().__init__(message)
        self.status = status


class Program(click.Group):
    """A group of commands that return their exit status, and whose errors are one line on stderr."""

    def main(self, args: Sequence[str] | None = None, *positional: Any, **extra: Any) -> Any:
        """Run a command line and exit with its status."""
        extra["standalone_mode"] = False
        try:
            status = super().main(args, *positional, **extra)
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "deals"
            status = complain(f"{error.format_message().rstrip('.')} (see {command} --help)", error.exit_code)
        except click.ClickException as error:
            status = complain(error.format_message(), error.exit_code)
        except click.Abort:
            status = complain("interrupted", INTERRUPTED)
        except InputError as error:
            status = complain(str(error), USAGE)
        except WorkError as error:
            status = complain(str(error), error.status)
        except Exception as error:
            status = complain(unexpected(error), ERROR)
        sys.exit(status or DONE)


def complain(message: str, status: int) -> int:
    """Print a message as one line on stderr; return the status."""
    click.echo(f"deals: {' '.join(message.split())}", err=True)
    return status


def unexpected(error: Exception) -> str:
    """Put the traceback of an error that nobody foresaw into a file; return the line that names both."""
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        return "the reader of the output has gone"
    with tempfile.NamedTemporaryFile("w", prefix="deals-error-", suffix=".log", delete=False) as log:
        traceback.print_exception(error, file=log)
    return f"{type(error).__name__}: {error} (traceback in {log.name})"


def default_jobs() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def deals_between(lowest: int, highest: int) -> Callable[[str], tuple[int, ...]]:
    """Return what reads deals of a game: ``1-32000``, ``1-100,617`` or ``@FILE``."""

    def deals(text: str) -> tuple[int, ...]:
        try:
            return parse_deals(text, lowest, highest)
        except RangeError as error:
            raise click.BadParameter(str(error)) from error

    return deals


def deal_between(lowest: int, highest: int) -> Callable[[str], int]:
    """Return what reads the number of one deal of a game."""

    def deal(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and lowest <= int(text) <= highest):
            raise click.BadParameter(f"{text!r} is no deal number; accepted are {lowest} to {highest}")
        return int(text)

    return deal


def cells(text: str) -> tuple[int, ...]:
    """Read numbers of free cells, ``4`` or ``0,2,4``; return them in order, each once."""
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if part not in CELLS:
            raise click.BadParameter(f"{part!r} is no number of free cells; accepted are 0 to 4, such as 4 or 0,2")
    return tuple(sorted({int(part) for part in parts}))


def row_count(text: str) -> int:
    """Read a number of rows, or ``all``, which is :data:`ALL`."""
    if text == "all":
        return ALL
    if not (text.isascii() and text.isdecimal()):
        raise click.BadParameter(f"{text!r} is no number of rows; accepted are whole numbers and 'all'")
    return int(text)
