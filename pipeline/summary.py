"""What a run prints at its end: its counts beside the published figures, and how they differ."""

from collections import Counter
from collections.abc import Sequence

import polars as pl
import pyarrow as pa

from pipeline.published import (
    KNOWN_STATES,
    KNOWN_UNSOLVABLE,
    PUBLISHED_HARD_SHARE_WON_BY_TWO,
    PUBLISHED_LEAST_WON_BY_ONE,
    PUBLISHED_LEVELS,
    PUBLISHED_RANGE,
    PUBLISHED_ZERO_CELL_DEALS,
)
from pipeline.tables import GAME_CELLS, LEVELS, NO_CELLS_WIN, UNDECIDED_LEVEL, as_frame

LEVEL_NAMES = {"easy": "easy (0-1)", "normal": "normal (2)", "hard": "hard (3-4)", "undecided": "level open"}
MOST_NAMED = 20


def difficulty_summary(difficulty: pa.Table) -> str:
    """Return the counts per level and per min_cells of a difficulty table, beside the published ones."""
    frame = as_frame(difficulty)
    unsettled = frame.filter(~pl.col("is_settled"))["deal"].to_list()
    which = f" ({listed(unsettled)})" if unsettled else ""
    lines = [
        f"{frame.height:,} FreeCell deals, {len(unsettled):,} undecided{which}",
        "",
        *level_lines(frame),
        "",
        *cells_lines(frame),
        "",
        *difference_lines(frame, is_whole=set(frame["deal"].to_list()) == set(PUBLISHED_RANGE)),
    ]
    return "\n".join(lines)


def level_lines(frame: pl.DataFrame) -> list[str]:
    """Return the table of levels: deals and shares, those published for 1-32,000 beside them."""
    counts = Counter(frame["level"].to_list())
    published = len(PUBLISHED_RANGE)
    lines = [f"{'level':<12} {'deals':>9} {'share':>8}   {'published for 1-32,000':>22} {'share':>8}"]
    for level in [*dict.fromkeys(LEVELS), UNDECIDED_LEVEL]:
        count, known = counts[level], PUBLISHED_LEVELS.get(level, 0)
        name = LEVEL_NAMES.get(level, level)
        lines.append(f"{name:<12} {count:>9,} {count / frame.height:>8.2%}   {known:>22,} {known / published:>8.2%}")
    return lines


def cells_lines(frame: pl.DataFrame) -> list[str]:
    """Return the table of deals by the fewest cells that win."""
    counts = Counter(frame["min_cells"].drop_nulls().to_list())
    rows = [(str(cells), counts[cells]) for cells in range(NO_CELLS_WIN)]
    rows.append(("none", frame.filter(pl.col("level") == "unsolvable").height))
    rows.append(("undecided", frame.filter(~pl.col("is_settled")).height))
    return [
        f"{'min_cells':<12} {'deals':>9} {'share':>8}",
        *(f"{name:<12} {count:>9,} {count / frame.height:>8.2%}" for name, count in rows),
    ]


def difference_lines(frame: pl.DataFrame, is_whole: bool) -> list[str]:
    """Say how the counts differ from the published ones; the counts of a part of the range can only be laid beside."""
    lines = [unsolvable_line(frame)]
    if not is_whole:
        return [*lines, "The published counts are for deals 1-32,000: compare the shares, not the counts."]
    counts = Counter(frame["level"].to_list())
    zero = frame.filter(pl.col("min_cells") == 0).height
    to_easy = counts["easy"] - PUBLISHED_LEVELS["easy"]
    from_hard = PUBLISHED_LEVELS["hard"] - counts["hard"]
    level_changes = ", ".join(f"{level} {counts[level] - known:+,}" for level, known in PUBLISHED_LEVELS.items())
    return [
        *lines,
        f"Against the published levels: {level_changes}. They come from a capped search and can only be too hard:",
        f"- {from_hard:,} of the {PUBLISHED_LEVELS['hard']:,} published as hard are won with 2 cells or fewer, "
        f"{from_hard / PUBLISHED_LEVELS['hard']:.1%} (published: about {PUBLISHED_HARD_SHARE_WON_BY_TWO:.0%});",
        f"- {to_easy:,} published as normal or hard are won with 1 cell or none "
        f"(published: at least {PUBLISHED_LEAST_WON_BY_ONE}).",
        f"Won with no cell: {zero}; known: {PUBLISHED_ZERO_CELL_DEALS} ({agreement(zero, PUBLISHED_ZERO_CELL_DEALS)}).",
    ]


def unsolvable_line(frame: pl.DataFrame) -> str:
    """Compare the deals that no cell count wins with the known ones of the same deals."""
    deals = set(frame["deal"].to_list())
    found = sorted(frame.filter(pl.col("level") == "unsolvable")["deal"].to_list())
    known = [deal for deal in KNOWN_UNSOLVABLE if deal in deals]
    return f"Unsolvable: {listed(found)}; known among these deals: {listed(known)}."


def agreement(count: int, published: int) -> str:
    """Say whether a count is the published one."""
    return "the same" if count == published else f"{count - published:+,}"


def winnable_summary(evidence: pa.Table) -> str:
    """Count the deals of evidence (one number of cells) by whether they are solvable."""
    counts = Counter(evidence.column("verdict").to_pylist())
    return (
        f"{evidence.num_rows:,} FreeCell deals with {GAME_CELLS} cells: {counts['solvable']:,} solvable, "
        f"{counts['unsolvable']:,} unsolvable, {counts['undecided']:,} undecided"
    )


def solve_summary(evidence: pa.Table) -> str:
    """Return the counts of verdicts and the states of a run of `deals freecell solve`, by cells."""
    frame = as_frame(evidence)
    header = f"{'cells':>5} {'solvable':>9} {'unsolvable':>10} {'undecided':>9} {'states':>15}"
    lines = [f"{header} {'most states (deal)':>25}"]
    for (cells,), rows in frame.sort("cells", "deal").group_by("cells", maintain_order=True):
        counts = Counter(rows["verdict"].to_list())
        most = rows.row(rows["states"].arg_max() or 0, named=True)
        most_states = f"{most['states']:,} ({most['deal']})"
        lines.append(
            f"{cells:>5} {counts['solvable']:>9,} {counts['unsolvable']:>10,} {counts['undecided']:>9,} "
            f"{rows['states'].sum():>15,} {most_states:>25}"
        )
    return "\n".join(lines)


def audit_summary(audit: pa.Table) -> str:
    """Return an audit as a table for people, the published count of states beside ours where there is one."""
    lines = [
        f"{'deal':>7} {'cells':>5} {'autoplay':>8} {'states reachable':>16} {'published':>9}  plain enumeration  search"
    ]
    for row in audit.to_pylist():
        states = "-" if row["states_reachable"] is None else f"{row['states_reachable']:,}"
        known = known_states(row)
        lines.append(
            f"{row['deal']:>7} {row['cells']:>5} {'on' if row['is_autoplay'] else 'off':>8} {states:>16} "
            f"{'-' if known is None else f'{known:,}':>9}  {row['verdict_plain']:<17}  {row['verdict_search']}"
        )
    return "\n".join(lines)


def audit_faults(audit: pa.Table) -> list[str]:
    """Return what an audit disproves: two verdicts disagree, a known-unsolvable deal is won, a count is off."""
    return [fault for row in audit.to_pylist() for fault in row_faults(row)]


def row_faults(row: dict[str, object]) -> list[str]:
    """Return what one row of an audit disproves."""
    where = f"deal {row['deal']} with {row['cells']} cells"
    verdicts = {row["verdict_plain"], row["verdict_search"]}
    known = known_states(row)
    faults = []
    if verdicts >= {"solvable", "unsolvable"}:
        faults.append(f"{where}: enumeration says {row['verdict_plain']}, the search {row['verdict_search']}")
    if "solvable" in verdicts and row["deal"] in KNOWN_UNSOLVABLE:
        faults.append(f"{where}: known as unsolvable, yet found solvable")
    if known is not None and row["states_reachable"] not in (None, known):
        faults.append(f"{where}: {row['states_reachable']:,} states are reachable, published are {known:,}")
    return faults


def known_states(row: dict[str, object]) -> int | None:
    """Return the published number of states for a row of an audit."""
    key = (row["deal"], row["cells"], row["is_autoplay"])
    return next((states for known, states in KNOWN_STATES.items() if known == key), None)


def listed(deals: Sequence[int]) -> str:
    """Return the first few deals."""
    return ", ".join([*map(str, deals[:MOST_NAMED]), *(["..."] if len(deals) > MOST_NAMED else [])]) or "none"
