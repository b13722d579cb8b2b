import pyarrow as pa
import pytest
from evidence import searches

from pipeline.published import KNOWN_UNSOLVABLE, PUBLISHED_RANGE
from pipeline.schemas import FREECELL_AUDIT, FREECELL_DIFFICULTY
from pipeline.summary import audit_faults, audit_summary, difficulty_summary, solve_summary
from pipeline.tables import difficulty_tables


def whole_range(counts: dict[int | None, int]) -> pa.Table:
    """Return a difficulty table of deals 1-32,000 with so many deals of each min_cells; 11982 has none."""
    levels = {0: "easy", 1: "easy", 2: "normal", 3: "hard", 4: "hard"}
    cells = [least for least, count in counts.items() for _ in range(count)]
    deals = [deal for deal in PUBLISHED_RANGE if deal != 11982]
    rows = [
        {"deal": deal, "min_cells": least, "level": levels[least], "is_settled": True, "moves_at_min_cells": 50}
        for deal, least in zip(deals, cells, strict=True)
    ]
    lost = {"deal": 11982, "min_cells": None, "level": "unsolvable", "is_settled": True, "moves_at_min_cells": None}
    rows.append(lost)
    return pa.Table.from_pylist(sorted(rows, key=lambda row: row["deal"]), schema=FREECELL_DIFFICULTY.schema)


def test_the_whole_range_is_laid_beside_the_published_figures() -> None:
    text = difficulty_summary(whole_range({0: 70, 1: 6266, 2: 19038, 3: 6000, 4: 625}))
    assert "32,000 FreeCell deals, 0 undecided\n" in text
    assert "easy (0-1)       6,336   19.80%                    6,036   18.86%" in text
    assert "Unsolvable: 11982; known among these deals: 11982." in text
    assert "easy +300, normal +49, hard -349, unsolvable +0" in text
    assert "349 of the 6,974 published as hard are won with 2 cells or fewer, 5.0% (published: about 5%)" in text
    assert "300 published as normal or hard are won with 1 cell or none (published: at least 250)" in text
    assert "Won with no cell: 70; known: 69 (+1)." in text


def test_a_part_of_the_range_compares_by_shares() -> None:
    tables = difficulty_tables(searches({1: "UUSSS", 2: "SSSSS", 3: "U?SSS", 4: "?SSSS"}))
    text = difficulty_summary(tables["freecell_difficulty"])
    assert "4 FreeCell deals, 2 undecided (3, 4)" in text
    assert "easy (0-1)           2   50.00%" in text
    assert "level open           1   25.00%" in text
    assert "undecided            2   50.00%" in text
    assert "Unsolvable: none; known among these deals: none." in text
    assert "compare the shares, not the counts" in text


def test_solve_counts_by_cells() -> None:
    tables = difficulty_tables(searches({1: "UUSSS", 2: "SSSSS", 3: "U?SSS"}))
    lines = solve_summary(tables["freecell_evidence"]).splitlines()
    assert lines[2].split() == ["1", "1", "1", "1", "33", "11", "(1)"]


def audit(**values: object) -> pa.Table:
    row = {"deal": 11982, "cells": 4, "is_autoplay": True, "states_reachable": 61643, "state_limit": 10**6}
    row |= {"verdict_plain": "unsolvable", "verdict_search": "unsolvable", **values}
    return pa.Table.from_pylist([row], schema=FREECELL_AUDIT.schema)


def test_an_audit_shows_the_published_count() -> None:
    assert "61,643    61,643  unsolvable         unsolvable" in audit_summary(audit())
    assert "-    83,239  undecided" in audit_summary(
        audit(is_autoplay=False, states_reachable=None, verdict_plain="undecided")
    )


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({}, None),
        ({"deal": 5, "states_reachable": 9}, None),
        ({"verdict_search": "undecided"}, None),
        ({"verdict_search": "solvable", "deal": 5}, "deal 5 with 4 cells: enumeration says unsolvable, the search"),
        ({"verdict_search": "solvable"}, "known as unsolvable, yet found solvable"),
        ({"states_reachable": 61644}, "61,644 states are reachable, published are 61,643"),
        ({"is_autoplay": False}, "61,643 states are reachable, published are 83,239"),
    ],
)
def test_an_audit_names_what_it_disproves(values: dict[str, object], fault: str | None) -> None:
    faults = audit_faults(audit(**values))
    assert (faults == []) if fault is None else any(fault in line for line in faults)


def test_eight_deals_are_known_to_be_unsolvable() -> None:
    assert len(KNOWN_UNSOLVABLE) == 8
