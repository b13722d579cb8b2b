from typing import Any

import pyarrow as pa
import pytest
from evidence import searches

from pipeline.checks import table_faults
from pipeline.schemas import FREECELL_AUDIT, PUBLISHED
from pipeline.tables import difficulty_tables

DEALS = {1: "UUSSS", 2: "SSSSS", 3: "UUUUU", 4: "U?SSS"}
SPECS = {spec.name: spec for spec in PUBLISHED}


def changed(name: str, deal: int, cells: int | None, values: dict[str, Any]) -> dict[str, pa.Table]:
    """Return good tables with one row changed."""
    tables = difficulty_tables(searches(DEALS))
    rows = tables[name].to_pylist()
    (row,) = [row for row in rows if row["deal"] == deal and (cells is None or row["cells"] == cells)]
    row.update(values)
    return {**tables, name: pa.Table.from_pylist(rows, schema=SPECS[name].schema)}


def test_good_tables_have_no_faults() -> None:
    assert list(table_faults(difficulty_tables(searches(DEALS)))) == []


@pytest.mark.parametrize(
    ("name", "deal", "cells", "values", "fault"),
    [
        ("freecell_difficulty", 1, None, {"level": "easy"}, "deal 1: level is 'easy', the evidence gives 'normal'"),
        ("freecell_difficulty", 1, None, {"min_cells": 3}, "deal 1: min_cells is 3, the evidence gives 2"),
        ("freecell_difficulty", 1, None, {"moves_at_min_cells": 8}, "deal 1: moves_at_min_cells is 8"),
        ("freecell_difficulty", 4, None, {"is_settled": True}, "deal 4: is_settled is True"),
        ("freecell_difficulty", 3, None, {"deal": 5}, "deal 3: no row, though there is evidence"),
        ("freecell_difficulty", 3, None, {"deal": 5}, "deal 5: the evidence is for cells []"),
        ("freecell_evidence", 1, 4, {"verdict": "unsolvable"}, "deal 1 cells 2: solvable, yet more cells (4)"),
        (
            "freecell_evidence",
            1,
            3,
            {"verdict": "undecided"},
            "cells 3: undecided, though another number",
        ),
        ("freecell_evidence", 1, 0, {"verdict": "undecided"}, "cells 0: undecided, though another number"),
        ("freecell_evidence", 1, 0, {"verdict": "won"}, "deal 1 cells 0: cells 0, verdict 'won'"),
        ("freecell_evidence", 1, 0, {"states": -1}, "states -1"),
        ("freecell_evidence", 1, 1, {"basis": "guessed"}, "basis 'guessed' is neither"),
        ("freecell_evidence", 1, 3, {"basis": "implied by 4", "states": 0}, "solvable does not follow from 4 cells"),
        ("freecell_evidence", 1, 0, {"basis": "implied by 2", "states": 0}, "unsolvable does not follow from 2 cells"),
        ("freecell_evidence", 1, 3, {"basis": "implied by 2"}, "solvable with 13 states is said to be implied by 2"),
        ("freecell_evidence", 4, 1, {"basis": "implied by 2", "states": 0}, "undecided does not follow from 2 cells"),
        ("freecell_evidence", 3, 4, {"verdict": "solvable"}, "deal 3 cells 4: solvable, without a solution"),
        ("freecell_solutions", 1, 2, {"cells": 3}, "deal 1 cells 2: solvable, without a solution"),
        ("freecell_solutions", 1, 2, {"cells": 1}, "deal 1 cells 1: the evidence does not say solvable"),
    ],
)
def test_a_bad_row_is_named(name: str, deal: int, cells: int | None, values: dict[str, Any], fault: str) -> None:
    faults = list(table_faults(changed(name, deal, cells, values)))
    assert any(fault in line for line in faults), faults


def test_implied_rows_follow_from_a_search() -> None:
    tables = changed("freecell_evidence", 1, 3, {"basis": "implied by 2", "states": 0})
    assert list(table_faults(tables)) == []


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({}, None),
        ({"verdict_search": "solvable"}, "disagree"),
        ({"deal": 1, "cells": 2}, "disagree"),
        ({"verdict_plain": "lost"}, "['lost', 'unsolvable'] are not verdicts"),
        ({"states_reachable": None}, "unsolvable with states_reachable None"),
        ({"verdict_plain": "solvable", "verdict_search": "solvable", "states_reachable": None}, "known as unsolvable"),
    ],
)
def test_a_bad_row_of_an_audit_is_named(values: dict[str, Any], fault: str | None) -> None:
    row = {"deal": 11982, "cells": 4, "is_autoplay": True, "states_reachable": 61643, "state_limit": 10**6}
    row |= {"verdict_plain": "unsolvable", "verdict_search": "unsolvable", **values}
    audit = pa.Table.from_pylist([row], schema=FREECELL_AUDIT.schema)
    faults = list(table_faults({**difficulty_tables(searches(DEALS)), "freecell_audit": audit}))
    assert (faults == []) if fault is None else any(fault in line for line in faults)
