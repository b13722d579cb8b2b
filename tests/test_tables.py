from itertools import product

import pyarrow as pa
import pytest
from evidence import searches

from pipeline.checks import expected_difficulty, table_faults
from pipeline.jobs import evidence_by_deal, search_table
from pipeline.schemas import FREECELL_AUDIT, FREECELL_SEARCHES, PUBLISHED
from pipeline.table_files import check_rows
from pipeline.tables import audit_undecided, difficulty_tables, latest_rows, open_deals, solve_tables

# verdicts at 0-4 cells -> min_cells, level, is_settled, moves_at_min_cells
EXAMPLES = {
    "SSSSS": (0, "easy", True, 3),
    "USSSS": (1, "easy", True, 3),
    "UUSSS": (2, "normal", True, 3),
    "UUUSS": (3, "hard", True, 3),
    "UUUUS": (4, "hard", True, 3),
    "UUUUU": (None, "unsolvable", True, None),
    "?SSSS": (None, "easy", False, None),
    "UUU?S": (None, "hard", False, None),
    "U?SSS": (None, "undecided", False, None),
    "UUUU?": (None, "undecided", False, None),
    "?????": (None, "undecided", False, None),
}


def names(letter: str) -> str:
    return {"S": "solvable", "U": "unsolvable", "?": "undecided"}[letter]


@pytest.mark.parametrize("verdicts", EXAMPLES)
def test_a_row_of_difficulty(verdicts: str) -> None:
    tables = difficulty_tables(searches({617: verdicts}))
    min_cells, level, is_settled, moves = EXAMPLES[verdicts]
    row = {"min_cells": min_cells, "level": level, "is_settled": is_settled, "moves_at_min_cells": moves}
    assert tables["freecell_difficulty"].to_pylist() == [{"deal": 617, **row}]
    assert open_deals(searches({617: verdicts})) == (() if is_settled else (617,))


def test_the_slow_twin_agrees_on_all_evidence() -> None:
    possible = [f"{'U' * lost}{'?' * left}{'S' * (5 - lost - left)}" for lost in range(6) for left in range(6 - lost)]
    deals = dict(enumerate(possible, start=1))
    tables = difficulty_tables(searches(deals))
    moves = {(row["deal"], row["cells"]): row["moves"] for row in tables["freecell_solutions"].to_pylist()}
    for row in tables["freecell_difficulty"].to_pylist():
        verdicts = {cells: names(letter) for cells, letter in enumerate(deals[row["deal"]])}
        assert row == {"deal": row["deal"], **expected_difficulty(row["deal"], verdicts, moves)}
    assert list(table_faults(tables)) == []


def test_evidence_with_gaps_is_read_by_its_bounds() -> None:
    for letters in product("SU?", repeat=5):
        verdicts = "".join(letters)
        if "S" in verdicts and "U" in verdicts[verdicts.find("S") :]:
            continue  # contradictory
        (row,) = difficulty_tables(searches({1: verdicts}))["freecell_difficulty"].to_pylist()
        expected = expected_difficulty(1, {cells: names(letter) for cells, letter in enumerate(verdicts)}, {})
        assert {key: row[key] for key in ("min_cells", "level", "is_settled")} == {
            key: expected[key] for key in ("min_cells", "level", "is_settled")
        }


def test_tables_are_as_declared() -> None:
    deals = {2: "UUSSS", 1: "UUUUU", 30: "U?SSS"}
    for tables in (difficulty_tables(searches(deals)), solve_tables(searches(deals))):
        for spec in PUBLISHED:
            if spec.name in tables:
                check_rows(tables[spec.name], spec)


def test_an_empty_run_of_solutions_is_a_table_too() -> None:
    tables = difficulty_tables(searches({11982: "UUUUU"}))
    assert tables["freecell_solutions"].num_rows == 0


def test_the_last_shard_of_a_deal_counts() -> None:
    first = searches({1: "UUSSS", 2: "U?SSS", 3: "USSSS"})
    second = searches({2: "UUSSS"}, limit=5000)
    rows = latest_rows([first, second], FREECELL_SEARCHES)
    assert rows.column("deal").to_pylist() == [1] * 5 + [2] * 5 + [3] * 5
    assert {row["state_limit"] for row in rows.to_pylist() if row["deal"] == 2} == {5000}
    assert latest_rows([second, first], FREECELL_SEARCHES).to_pylist()[5]["state_limit"] == 1000


def test_evidence_goes_into_a_table_and_back() -> None:
    rows = searches({4: "U?SSS", 5: "UUSSS"})
    known = evidence_by_deal(rows, [4])
    assert list(known) == [4]
    assert search_table([(4, row) for row in known[4].values()]).equals(rows.slice(0, 5))


def test_an_audit_is_undecided_where_either_verdict_is() -> None:
    verdicts = [("unsolvable", "unsolvable"), ("undecided", "unsolvable"), ("solvable", "undecided")]
    rows = [
        {
            "deal": deal,
            "cells": 4,
            "is_autoplay": True,
            "states_reachable": 1 if plain == "unsolvable" else None,
            "verdict_plain": plain,
            "verdict_search": search,
            "state_limit": 9,
        }
        for deal, (plain, search) in enumerate(verdicts, start=1)
    ]
    assert audit_undecided(pa.Table.from_pylist(rows, schema=FREECELL_AUDIT.schema)) == 2
