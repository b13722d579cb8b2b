"""From the rows of a run's shards to its tables."""

from collections.abc import Iterable, Sequence

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.schemas import (
    FREECELL_AUDIT,
    FREECELL_DIFFICULTY,
    FREECELL_EVIDENCE,
    FREECELL_SOLUTIONS,
    FREECELL_WINNABLE,
    Table,
)

# Levels by the smallest number of cells that wins; the sixth stands for "none of 0 to 4".
LEVELS = ("easy", "easy", "normal", "hard", "hard", "unsolvable")
UNDECIDED_LEVEL = "undecided"
NO_CELLS_WIN = 5
GAME_CELLS = 4
# One move of a stored solution (its form is described in solvers/freecell/referee.py).
MOVE = r"[1-8a-d][1-8a-dh](?:v[2-9a-d])?"


def latest_rows(shards: Iterable[pa.Table], spec: Table) -> pa.Table:
    """Return the rows of shards as the declared table, each deal's from the last shard that holds it."""
    rows = pl.concat([as_frame(rows).with_columns(shard=pl.lit(number)) for number, rows in enumerate(shards)])
    last = rows.filter(pl.col("shard") == pl.col("shard").max().over("deal"))
    return as_table(last, spec)


def difficulty_tables(searches: pa.Table) -> dict[str, pa.Table]:
    """Return the tables of a difficulty run, by name, from its rows (FREECELL_SEARCHES, five a deal).

    A deal's solution is the one at the fewest cells for which a win is known: ``min_cells`` wherever that is proved.
    """
    rows = as_frame(searches)
    solutions = (
        with_moves(rows).sort("deal", "cells").group_by("deal", maintain_order=True).first()  # the fewest cells
    )
    return {
        FREECELL_DIFFICULTY.name: as_table(difficulty_frame(rows, solutions), FREECELL_DIFFICULTY),
        FREECELL_EVIDENCE.name: as_table(rows, FREECELL_EVIDENCE),
        FREECELL_SOLUTIONS.name: as_table(solutions, FREECELL_SOLUTIONS),
        FREECELL_WINNABLE.name: winnable_list(searches),
    }


def winnable_list(evidence: pa.Table) -> pa.Table:
    """Return the deals that evidence says are solvable with the game's four cells."""
    winnable = as_frame(evidence).filter(pl.col("cells") == GAME_CELLS, pl.col("verdict") == "solvable")
    return as_table(winnable, FREECELL_WINNABLE)


def solve_tables(searches: pa.Table) -> dict[str, pa.Table]:
    """Return evidence and solutions, by name, of searches that each stand alone."""
    rows = as_frame(searches)
    return {
        FREECELL_EVIDENCE.name: as_table(rows, FREECELL_EVIDENCE),
        FREECELL_SOLUTIONS.name: as_table(with_moves(rows), FREECELL_SOLUTIONS),
    }


def audit_tables(rows: pa.Table) -> dict[str, pa.Table]:
    """Return the table of an audit, by name."""
    return {FREECELL_AUDIT.name: as_table(as_frame(rows), FREECELL_AUDIT)}


def difficulty_frame(rows: pl.DataFrame, solutions: pl.DataFrame) -> pl.DataFrame:
    """Return one row a deal: the cells that win, as far as the evidence settles them, and the level.

    With K cells lost, at least K + 1 are needed; with a win at K, at most K. The two bounds meet when the deal is
    settled, and may give one level before that.
    """
    lost = pl.col("cells").filter(pl.col("verdict") == "unsolvable").max()
    won = pl.col("cells").filter(pl.col("verdict") == "solvable").min()
    bounds = rows.group_by("deal").agg(at_least=(lost + 1).fill_null(0), at_most=won.fill_null(NO_CELLS_WIN))
    level_at_least, level_at_most = (
        pl.col(bound).replace_strict(dict(enumerate(LEVELS)), return_dtype=pl.String)
        for bound in ("at_least", "at_most")
    )
    moves = solutions.select("deal", min_cells="cells", moves_at_min_cells="moves")
    return (
        bounds.with_columns(
            is_settled=pl.col("at_least") == pl.col("at_most"),
            level=pl.when(level_at_least == level_at_most).then(level_at_least).otherwise(pl.lit(UNDECIDED_LEVEL)),
        )
        .with_columns(min_cells=pl.when(pl.col("is_settled") & (pl.col("at_most") < NO_CELLS_WIN)).then("at_most"))
        .join(moves, on=["deal", "min_cells"], how="left")
    )


def open_deals(searches: pa.Table) -> tuple[int, ...]:
    """Return the deals among the rows (FREECELL_SEARCHES, five a deal) that are not settled."""
    rows = as_frame(searches)
    frame = difficulty_frame(rows, with_moves(rows))
    return tuple(frame.filter(~pl.col("is_settled")).sort("deal")["deal"].to_list())


def audit_undecided(audit: pa.Table) -> int:
    """Count the rows of an audit that a state limit left open."""
    return as_frame(audit).filter(pl.any_horizontal(pl.col("verdict_plain", "verdict_search") == "undecided")).height


def with_moves(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that hold a solution, with its number of moves."""
    return rows.filter(pl.col("solution").is_not_null()).with_columns(moves=pl.col("solution").str.count_matches(MOVE))


def rows_of_deals(rows: pa.Table, deals: Sequence[int]) -> pa.Table:
    """Return the rows of some deals."""
    return rows.filter(pc.is_in(rows.column("deal"), pa.array(deals, pa.int32())))


def as_frame(rows: pa.Table) -> pl.DataFrame:
    """Return an Arrow table as a polars frame."""
    frame = pl.from_arrow(rows)
    if not isinstance(frame, pl.DataFrame):
        raise TypeError("a table was expected, not a column")
    return frame


def as_table(frame: pl.DataFrame, spec: Table) -> pa.Table:
    """Return a frame as the declared table: its columns in order, its types, sorted by its key."""
    columns = frame.sort(*spec.key).select(spec.schema.names)
    return columns.to_arrow().cast(spec.schema)
