"""Checks of the tables of Forty Thieves against one another: each fault is one line that names the row.

In plain Python, they restate what the tables promise without the code that makes them (forty_thieves/tables.py).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from pipeline.schemas import (
    FORTY_THIEVES_DEALS,
    FORTY_THIEVES_EVIDENCE,
    FORTY_THIEVES_SOLUTIONS,
    FORTY_THIEVES_WINNABLE,
    RULES,
)
from solvers.forty_thieves.grade import GRADES

Row = dict[str, Any]
VERDICTS = ("solvable", "unsolvable", "undecided")


def table_faults(tables: Mapping[str, pa.Table]) -> Iterator[str]:
    """Yield every fault of tables that belong together, given by name; those that are absent are not missed here."""
    rows = {name: table.to_pylist() for name, table in tables.items()}
    evidence, solutions = rows.get(FORTY_THIEVES_EVIDENCE.name), rows.get(FORTY_THIEVES_SOLUTIONS.name)
    if evidence is not None:
        yield from evidence_faults(evidence)
    if evidence is not None and solutions is not None:
        yield from cover_faults(evidence, solutions)
    for rules, spec in FORTY_THIEVES_DEALS.items():
        deals, winnable = rows.get(spec.name), rows.get(FORTY_THIEVES_WINNABLE[rules].name)
        if deals is not None:
            yield from deal_faults(deals, spec.name)
        if deals is not None and evidence is not None and solutions is not None:
            yield from agreement_faults(deals, evidence, solutions, rules)
        if winnable is not None and evidence is not None:
            yield from list_faults(winnable, evidence, rules)


def evidence_faults(rows: list[Row]) -> Iterator[str]:
    """Yield rows of evidence that cannot be, and deals won under the strict rules yet lost under the loose ones."""
    verdicts = {(row["deal"], row["rules"]): row["verdict"] for row in rows}
    for row in rows:
        where = f"{FORTY_THIEVES_EVIDENCE.name}: deal {row['deal']} {row['rules']}"
        if row["rules"] not in RULES or row["verdict"] not in VERDICTS:
            yield f"{where}: rules {row['rules']!r}, verdict {row['verdict']!r} are not possible"
        if row["states"] < 0 or row["state_limit"] < 1 or row["search_version"] < 1:
            counts = ", ".join(f"{name} {row[name]}" for name in ("states", "state_limit", "search_version"))
            yield f"{where}: {counts} are not possible"
    for (deal, rules), verdict in verdicts.items():
        if rules == "relaxed" and verdict == "unsolvable" and verdicts.get((deal, "classic")) == "solvable":
            yield f"{FORTY_THIEVES_EVIDENCE.name}: deal {deal} relaxed: unsolvable, yet won under the classic rules"


def cover_faults(evidence: list[Row], solutions: list[Row]) -> Iterator[str]:
    """Yield solvable rows without a solution, and solutions of rows that are not solvable."""
    solvable = {(row["deal"], row["rules"]) for row in evidence if row["verdict"] == "solvable"}
    solved = {(row["deal"], row["rules"]) for row in solutions}
    for deal, rules in sorted(solvable - solved):
        yield f"{FORTY_THIEVES_EVIDENCE.name}: deal {deal} {rules}: solvable, without a solution"
    for deal, rules in sorted(solved - solvable):
        yield f"{FORTY_THIEVES_SOLUTIONS.name}: deal {deal} {rules}: the evidence does not say solvable"


def deal_faults(rows: list[Row], name: str) -> Iterator[str]:
    """Yield rows of a rule set whose columns contradict each other."""
    for row in rows:
        where = f"{name}: deal {row['deal']}"
        is_won = row["verdict"] == "solvable"
        if row["verdict"] not in VERDICTS:
            yield f"{where}: verdict {row['verdict']!r} is not one of {', '.join(VERDICTS)}"
        if (row["moves"] is not None) != is_won:
            yield f"{where}: {row['verdict']} with moves {row['moves']}"
        if row["grade"] not in (GRADES if is_won else (None,)):
            yield f"{where}: {row['verdict']} with grade {row['grade']!r}; grades are {', '.join(GRADES)}"


def agreement_faults(rows: list[Row], evidence: list[Row], solutions: list[Row], rules: str) -> Iterator[str]:
    """Yield rows of a rule set that do not follow from evidence and solutions, and deals that one side lacks."""
    name = FORTY_THIEVES_DEALS[rules].name
    verdicts = {row["deal"]: row["verdict"] for row in evidence if row["rules"] == rules}
    moves = {row["deal"]: row["moves"] for row in solutions if row["rules"] == rules}
    for deal in sorted(verdicts.keys() - {row["deal"] for row in rows}):
        yield f"{name}: deal {deal}: no row, though there is evidence"
    for row in rows:
        deal = row["deal"]
        if deal not in verdicts:
            yield f"{name}: deal {deal}: there is no evidence"
        elif row["verdict"] != verdicts[deal]:
            yield f"{name}: deal {deal}: verdict is {row['verdict']!r}, the evidence says {verdicts[deal]!r}"
        elif row["moves"] != moves.get(deal):
            yield f"{name}: deal {deal}: moves is {row['moves']}, the solution has {moves.get(deal)}"


def list_faults(rows: list[Row], evidence: list[Row], rules: str) -> Iterator[str]:
    """Yield deals of a list that are not proved solvable, and solvable ones that it lacks."""
    name = FORTY_THIEVES_WINNABLE[rules].name
    listed = {row["deal"] for row in rows}
    solvable = {row["deal"] for row in evidence if row["rules"] == rules and row["verdict"] == "solvable"}
    for deal in sorted(listed ^ solvable):
        yield f"{name}: deal {deal}: {'listed, but not' if deal in listed else 'not listed, but'} proved solvable"
