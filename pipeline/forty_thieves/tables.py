"""From the rows of a run's shards to the tables of Forty Thieves, and back."""

from collections.abc import Iterable, Mapping

import polars as pl
import pyarrow as pa

from pipeline.schemas import (
    FORTY_THIEVES_DEALS,
    FORTY_THIEVES_EVIDENCE,
    FORTY_THIEVES_SEARCHES,
    FORTY_THIEVES_SOLUTIONS,
    FORTY_THIEVES_WINNABLE,
)
from pipeline.tables import as_frame, as_table


def winnable_tables(searches: pa.Table) -> dict[str, pa.Table]:
    """Return all tables, by name, that rows (FORTY_THIEVES_SEARCHES) make; those of a rule set if it is among them."""
    rows = as_frame(searches)
    tables = solve_tables(searches)
    for rules in rows["rules"].unique().sort():
        of_rules = rows.filter(pl.col("rules") == rules)
        deals, winnable = FORTY_THIEVES_DEALS[rules], FORTY_THIEVES_WINNABLE[rules]
        tables[deals.name] = as_table(of_rules, deals)
        tables[winnable.name] = as_table(of_rules.filter(pl.col("verdict") == "solvable"), winnable)
    return tables


def solve_tables(searches: pa.Table) -> dict[str, pa.Table]:
    """Return evidence and solutions, by name."""
    rows = as_frame(searches)
    return {
        FORTY_THIEVES_EVIDENCE.name: as_table(rows, FORTY_THIEVES_EVIDENCE),
        FORTY_THIEVES_SOLUTIONS.name: as_table(rows.filter(pl.col("solution").is_not_null()), FORTY_THIEVES_SOLUTIONS),
    }


def searches_of(tables: Mapping[str, pa.Table]) -> pa.Table:
    """Return the rows (FORTY_THIEVES_SEARCHES) that :func:`winnable_tables` made these tables of."""
    key = ["deal", "rules"]
    grades = [
        as_frame(tables[spec.name]).select("deal", "grade", rules=pl.lit(rules))
        for rules, spec in FORTY_THIEVES_DEALS.items()
        if spec.name in tables
    ]
    rows = as_frame(tables[FORTY_THIEVES_EVIDENCE.name])
    rows = rows.join(as_frame(tables[FORTY_THIEVES_SOLUTIONS.name]), on=key, how="left")
    return as_table(rows.join(pl.concat(grades), on=key, how="left"), FORTY_THIEVES_SEARCHES)


def completed(rows: pa.Table, known: pa.Table) -> pa.Table:
    """Return rows with what is known beyond them (both FORTY_THIEVES_SEARCHES).

    A known row stands in for one that is absent, and for an undecided one that is settled or had a larger limit.
    """
    is_open = pl.col("verdict") == "undecided"
    limit_if_open = pl.when(is_open).then("state_limit")
    both = pl.concat([as_frame(rows), as_frame(known)])
    best_first = both.sort(is_open, limit_if_open, descending=[False, True], maintain_order=True)
    return as_table(best_first.unique(["deal", "rules"], keep="first", maintain_order=True), FORTY_THIEVES_SEARCHES)


def open_deals(searches: pa.Table, rules: Iterable[str], state_limit: int | None = None) -> tuple[int, ...]:
    """Return the deals among the rows (FORTY_THIEVES_SEARCHES) that are undecided under one of the rule sets.

    Args:
        state_limit: leave out what was searched with this limit, or a higher one, before.
    """
    rows = as_frame(searches).filter(pl.col("verdict") == "undecided", pl.col("rules").is_in(list(map(str, rules))))
    if state_limit is not None:
        rows = rows.filter(pl.col("state_limit") < state_limit)
    return tuple(rows["deal"].unique().sort().to_list())
