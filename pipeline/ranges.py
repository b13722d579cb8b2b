"""From what a person types (``1-32000``, ``1-100,617``, ``@file``) to deal numbers, and on to shards."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

ACCEPTED = "numbers and ranges such as 1-32000 or 1-100,617, or @FILE with such numbers"

MOST_DEALS = 1_000_000

_PART = re.compile(r"([0-9]+)(?:-([0-9]+))?")
_MOST_DIGITS = 18  # longer numbers are no deal of any game, and slow to read


class RangeError(ValueError):
    """The text names no deals, or deals that do not exist; the message is one line that quotes it."""


def parse_deals(text: str, lowest: int, highest: int) -> tuple[int, ...]:
    """Read deal numbers: ``1-32000``, ``1-100,617`` or ``@FILE``.

    A file holds numbers and ranges set apart by commas or white space; ``#`` starts a comment.

    Returns:
        the deals in ascending order, each once; never empty.

    Raises:
        RangeError: what cannot be read (for a file with its name and line) or lies outside ``lowest`` to ``highest``.
    """
    if text.startswith("@"):
        return _read_file(text[1:], lowest, highest)
    return tuple(sorted({deal for part in text.split(",") for deal in _parse_part(part.strip(), lowest, highest)}))


def split(deals: Sequence[int], size: int) -> list[tuple[int, ...]]:
    """Cut deals into shards of ``size`` neighbours in the sequence; the last may be smaller."""
    return [tuple(deals[start : start + size]) for start in range(0, len(deals), size)]


def format_deals(deals: Iterable[int]) -> str:
    """Write deals as :func:`parse_deals` reads them, as short as can be: ``1-100,617``."""
    runs: list[list[int]] = []
    for deal in sorted(set(deals)):
        if runs and deal == runs[-1][1] + 1:
            runs[-1][1] = deal
        else:
            runs.append([deal, deal])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _parse_part(part: str, lowest: int, highest: int) -> range:
    """Read one number or one range."""
    match = _PART.fullmatch(part)
    if match is None:
        raise RangeError(f"{part!r} is no deal number or range; accepted are {ACCEPTED}")
    first, last = match[1], match[2] or match[1]
    if max(len(first), len(last)) > _MOST_DIGITS or not lowest <= int(first) <= highest >= int(last) >= lowest:
        raise RangeError(f"{part!r} is outside the deals {lowest}-{highest}")
    if int(first) > int(last):
        raise RangeError(f"{part!r} runs backwards; write {last}-{first}")
    if int(last) - int(first) >= MOST_DEALS:
        raise RangeError(f"{part!r} is more than {MOST_DEALS} deals at once")
    return range(int(first), int(last) + 1)


def _read_file(name: str, lowest: int, highest: int) -> tuple[int, ...]:
    """Read the deals that a file lists."""
    try:
        lines = Path(name).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise RangeError(f"cannot read deals from {name!r}: {reason}") from error
    deals: set[int] = set()
    for number, line in enumerate(lines, start=1):
        for part in line.partition("#")[0].replace(",", " ").split():
            try:
                deals.update(_parse_part(part, lowest, highest))
            except RangeError as error:
                raise RangeError(f"{name}, line {number}: {error}") from error
    if not deals:
        raise RangeError(f"{name!r} lists no deals; accepted are {ACCEPTED}")
    return tuple(sorted(deals))
