"""The tables of Forty Thieves, the checks that hold them against one another, and the printed counts."""

from typing import Any

import pyarrow as pa
import pytest
from thieves_evidence import searches

from pipeline.forty_thieves.checks import table_faults
from pipeline.forty_thieves.summary import wilson, winnable_summary
from pipeline.forty_thieves.tables import completed, open_deals, searches_of, solve_tables, winnable_tables
from pipeline.schemas import FORTY_THIEVES_TABLES
from pipeline.table_files import check_rows
from pipeline.tables import rows_of_deals

DEALS = {1: "SS", 2: "?S", 3: "US", 4: "U?", 5: "UU", 600: "??"}
SPECS = {spec.name: spec for spec in FORTY_THIEVES_TABLES}


def names(tables: dict[str, pa.Table]) -> set[str]:
    return {name.removeprefix("forty_thieves_") for name in tables}


def test_tables_are_as_declared() -> None:
    tables = winnable_tables(searches(DEALS))
    assert tables.keys() == SPECS.keys()
    for name, rows in tables.items():
        check_rows(rows, SPECS[name])


def test_rows_say_what_the_searches_found() -> None:
    tables = winnable_tables(searches(DEALS))
    classic = tables["forty_thieves_classic"].to_pylist()
    assert [(row["deal"], row["verdict"], row["moves"]) for row in classic] == [
        (1, "solvable", 101),
        (2, "undecided", None),
        (3, "unsolvable", None),
        (4, "unsolvable", None),
        (5, "unsolvable", None),
        (600, "undecided", None),
    ]
    assert [row["grade"] is None for row in classic] == [False, True, True, True, True, True]
    assert tables["forty_thieves_classic_winnable"].column("deal").to_pylist() == [1]
    assert tables["forty_thieves_relaxed_winnable"].column("deal").to_pylist() == [1, 2, 3]
    assert tables["forty_thieves_evidence"].num_rows == 12
    solved = tables["forty_thieves_solutions"].to_pylist()
    assert [(row["deal"], row["rules"]) for row in solved] == [
        (1, "classic"),
        (1, "relaxed"),
        (2, "relaxed"),
        (3, "relaxed"),
    ]


def test_one_rule_set_makes_its_tables_alone() -> None:
    tables = winnable_tables(searches({1: "S.", 2: "?."}))
    assert names(tables) == {"classic", "classic_winnable", "evidence", "solutions"}
    assert names(solve_tables(searches(DEALS))) == {"evidence", "solutions"}


@pytest.mark.parametrize("deals", [DEALS, {1: "S.", 2: "?."}, {7: "??"}], ids=["both", "classic", "open"])
def test_tables_go_back_into_searches(deals: dict[int, str]) -> None:
    rows = searches(deals)
    assert searches_of(winnable_tables(rows)).equals(rows)


def test_open_deals_are_those_that_a_larger_limit_may_settle() -> None:
    rows = searches(DEALS, limit=1000)
    assert open_deals(rows, ["classic", "relaxed"]) == (2, 4, 600)
    assert open_deals(rows, ["relaxed"]) == (4, 600)
    assert open_deals(rows, ["classic"], state_limit=1001) == (2, 600)
    assert open_deals(rows, ["classic"], state_limit=1000) == ()
    assert open_deals(rows_of_deals(rows, (1, 4)), ["relaxed"]) == (4,)


def test_what_is_known_completes_rows() -> None:
    rows = searches({1: "S?", 2: "??", 3: "?U"}, limit=1000)
    known = searches({1: "US", 2: "?U", 3: "??", 4: "?."}, limit=2000)
    together = completed(rows, known).to_pylist()
    assert [(row["deal"], row["rules"], row["verdict"], row["state_limit"]) for row in together] == [
        (1, "classic", "solvable", 1000),
        (1, "relaxed", "solvable", 2000),
        (2, "classic", "undecided", 2000),
        (2, "relaxed", "unsolvable", 2000),
        (3, "classic", "undecided", 2000),
        (3, "relaxed", "unsolvable", 1000),
        (4, "classic", "undecided", 2000),
    ]
    assert completed(known, known).equals(known)


def changed(name: str, deal: int, rules: str | None, values: dict[str, Any]) -> dict[str, pa.Table]:
    """Return good tables with one row changed, or left out."""
    tables = winnable_tables(searches(DEALS))
    rows = tables[name].to_pylist()
    (row,) = [row for row in rows if row["deal"] == deal and row.get("rules") == rules]
    if values:
        row.update(values)
    else:
        rows.remove(row)
    return {**tables, name: pa.Table.from_pylist(rows, schema=SPECS[name].schema)}


def test_good_tables_have_no_faults() -> None:
    assert list(table_faults(winnable_tables(searches(DEALS)))) == []


@pytest.mark.parametrize(
    ("name", "deal", "rules", "values", "fault"),
    [
        ("evidence", 1, "classic", {"verdict": "won"}, "deal 1 classic: rules 'classic', verdict 'won' are not"),
        ("evidence", 1, "classic", {"rules": "strict"}, "deal 1 strict: rules 'strict'"),
        ("evidence", 1, "classic", {"states": -1}, "deal 1 classic: states -1, state_limit 1000"),
        ("evidence", 1, "classic", {"state_limit": 0}, "state_limit 0"),
        ("evidence", 1, "classic", {"search_version": 0}, "search_version 0"),
        ("evidence", 1, "relaxed", {"verdict": "unsolvable"}, "deal 1 relaxed: unsolvable, yet won under the classic"),
        ("evidence", 3, "classic", {"verdict": "solvable"}, "deal 3 classic: solvable, without a solution"),
        ("evidence", 2, "relaxed", {}, "solutions: deal 2 relaxed: the evidence does not say solvable"),
        ("evidence", 2, "relaxed", {}, "relaxed: deal 2: there is no evidence"),
        ("evidence", 2, "relaxed", {}, "relaxed_winnable: deal 2: listed, but not proved solvable"),
        ("solutions", 2, "relaxed", {}, "evidence: deal 2 relaxed: solvable, without a solution"),
        ("solutions", 2, "relaxed", {"moves": 7}, "relaxed: deal 2: moves is 102, the solution has 7"),
        ("classic", 3, None, {"verdict": "lost"}, "classic: deal 3: verdict 'lost' is not one of solvable"),
        (
            "classic",
            3,
            None,
            {"verdict": "undecided"},
            "deal 3: verdict is 'undecided', the evidence says 'unsolvable'",
        ),
        ("classic", 3, None, {"moves": 9}, "classic: deal 3: unsolvable with moves 9"),
        ("classic", 3, None, {"grade": "easy"}, "classic: deal 3: unsolvable with grade 'easy'"),
        ("relaxed", 3, None, {"grade": None}, "relaxed: deal 3: solvable with grade None"),
        ("relaxed", 3, None, {"grade": "mild"}, "relaxed: deal 3: solvable with grade 'mild'"),
        ("relaxed", 3, None, {}, "relaxed: deal 3: no row, though there is evidence"),
        ("relaxed_winnable", 3, None, {}, "relaxed_winnable: deal 3: not listed, but proved solvable"),
        ("classic_winnable", 1, None, {"deal": 2}, "classic_winnable: deal 2: listed, but not proved solvable"),
    ],
)
def test_a_bad_row_is_named(name: str, deal: int, rules: str | None, values: dict[str, Any], fault: str) -> None:
    faults = list(table_faults(changed(f"forty_thieves_{name}", deal, rules, values)))
    assert any(fault in line for line in faults), faults


def test_the_summary_counts_verdicts_and_grades() -> None:
    lines = winnable_summary(winnable_tables(searches(DEALS))).splitlines()
    assert lines[0] == "6 Forty Thieves deals"
    assert lines[3].split() == ["classic", "solvable", "1", "16.67%", "3.01%-56.35%", "11", "11", "(1)"]
    assert lines[4].split()[:3] == ["classic", "unsolvable", "3"]
    assert lines[8].split()[:4] == ["relaxed", "undecided", "2", "33.33%"]
    assert lines[8].split()[-3:] == ["2,000", "1,000", "(4)"]
    grades = [line.split() for line in lines[11:17]]
    assert sum(int(words[2]) for words in grades if words[0] == "relaxed") == 3


def test_the_summary_says_how_many_deals_each_limit_wins() -> None:
    lines = winnable_summary(winnable_tables(searches(DEALS))).splitlines()[18:]
    assert lines[1].split() == ["classic", "20", "1", "16.67%", "16"]
    assert lines[-1].split() == ["relaxed", "500", "3", "50.00%", "175"]


def test_a_summary_without_a_win_is_one_too() -> None:
    assert "0.00%-65.76%" in winnable_summary(winnable_tables(searches({5: "UU", 6: "UU"})))


# From the formula in exact arithmetic with z = 1.96, to four places.
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(226, 500, 0.4089, 0.4958), (500, 500, 0.9924, 1.0), (0, 10, 0.0, 0.2775), (1, 1, 0.2065, 1.0)],
)
def test_wilson_intervals(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)
