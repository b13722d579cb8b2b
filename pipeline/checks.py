"""Checks of FreeCell's finished tables against one another, in plain Python: each fault is one line that names the row.

They restate what the tables promise without the code that makes them (pipeline/tables.py): no mistake is in both.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from pipeline.published import KNOWN_UNSOLVABLE
from pipeline.schemas import (
    FREECELL_AUDIT,
    FREECELL_DIFFICULTY,
    FREECELL_EVIDENCE,
    FREECELL_SOLUTIONS,
    FREECELL_WINNABLE,
)

Row = dict[str, Any]
ALL_CELLS = range(5)
NONE_WINS = 5
LEVEL_BY_LEAST_CELLS = {0: "easy", 1: "easy", 2: "normal", 3: "hard", 4: "hard", NONE_WINS: "unsolvable"}
VERDICTS = ("solvable", "unsolvable", "undecided")
_IMPLIED = re.compile(r"implied by ([0-4])")


def table_faults(tables: Mapping[str, pa.Table]) -> Iterator[str]:
    """Yield every fault of tables that belong together, given by name; those that are absent are not missed here."""
    rows = {name: table.to_pylist() for name, table in tables.items()}
    evidence, solutions = rows.get(FREECELL_EVIDENCE.name), rows.get(FREECELL_SOLUTIONS.name)
    difficulty, audit = rows.get(FREECELL_DIFFICULTY.name), rows.get(FREECELL_AUDIT.name)
    if evidence is not None:
        yield from evidence_faults(evidence)
    if evidence is not None and solutions is not None:
        yield from cover_faults(evidence, solutions)
    if difficulty is not None and evidence is not None and solutions is not None:
        yield from difficulty_faults(difficulty, evidence, solutions)
    if evidence is not None and FREECELL_WINNABLE.name in rows:
        yield from list_faults(rows[FREECELL_WINNABLE.name], evidence)
    if audit is not None:
        yield from audit_row_faults(audit, verdicts_by_deal(evidence or []))


def evidence_faults(rows: list[Row]) -> Iterator[str]:
    """Yield rows of evidence that contradict another row of their deal, or rest on one that does not bear them."""
    by_deal: dict[int, dict[int, Row]] = {}
    for row in rows:
        by_deal.setdefault(row["deal"], {})[row["cells"]] = row
    for deal_rows in by_deal.values():
        lost = [cells for cells, row in deal_rows.items() if row["verdict"] == "unsolvable"]
        won = [cells for cells, row in deal_rows.items() if row["verdict"] == "solvable"]
        for cells, row in deal_rows.items():
            where = f"{FREECELL_EVIDENCE.name}: deal {row['deal']} cells {cells}"
            if cells not in ALL_CELLS or row["verdict"] not in VERDICTS or row["states"] < 0:
                yield f"{where}: cells {cells}, verdict {row['verdict']!r}, states {row['states']} are not possible"
            if row["verdict"] == "solvable" and any(other > cells for other in lost):
                yield f"{where}: solvable, yet more cells ({max(lost)}) are said not to win"
            if row["verdict"] == "undecided" and (min(won, default=cells) < cells or max(lost, default=cells) > cells):
                yield f"{where}: undecided, though another number of cells settles it"
            if fault := basis_fault(row, deal_rows):
                yield f"{where}: {fault}"


def basis_fault(row: Row, deal_rows: Mapping[int, Row]) -> str | None:
    """Return what is wrong with the basis of a row of evidence, ``None`` if nothing is."""
    if row["basis"] == "searched":
        return None
    match = _IMPLIED.fullmatch(row["basis"])
    if match is None:
        return f"basis {row['basis']!r} is neither 'searched' nor 'implied by' a number of cells"
    cells = int(match[1])
    base = deal_rows.get(cells)
    bears = cells < row["cells"] if row["verdict"] == "solvable" else cells > row["cells"]
    if base is None or base["basis"] != "searched" or base["verdict"] != row["verdict"] or not bears:
        return f"{row['verdict']} does not follow from {cells} cells"
    if row["verdict"] == "undecided" or row["states"] != 0:
        return f"{row['verdict']} with {row['states']} states is said to be {row['basis']}"
    return None


def cover_faults(evidence: list[Row], solutions: list[Row]) -> Iterator[str]:
    """Yield solvable rows without a solution at their cells or fewer, and solutions of rows that are not solvable."""
    solved: dict[int, set[int]] = {}
    for row in solutions:
        solved.setdefault(row["deal"], set()).add(row["cells"])
    solvable = {(row["deal"], row["cells"]) for row in evidence if row["verdict"] == "solvable"}
    for deal, cells in sorted(solvable):
        if min(solved.get(deal, {NONE_WINS})) > cells:
            yield f"{FREECELL_EVIDENCE.name}: deal {deal} cells {cells}: solvable, without a solution"
    for deal, of_deal in solved.items():
        for cells in sorted(of_deal):
            if (deal, cells) not in solvable:
                yield f"{FREECELL_SOLUTIONS.name}: deal {deal} cells {cells}: the evidence does not say solvable"


def list_faults(rows: list[Row], evidence: list[Row]) -> Iterator[str]:
    """Yield deals of the winnable list that are not proved solvable with four cells, and such deals that it lacks."""
    listed = {row["deal"] for row in rows}
    solvable = {row["deal"] for row in evidence if row["cells"] == 4 and row["verdict"] == "solvable"}
    for deal in sorted(listed ^ solvable):
        how = "listed, but not" if deal in listed else "not listed, but"
        yield f"{FREECELL_WINNABLE.name}: deal {deal}: {how} proved solvable with 4 cells"


def difficulty_faults(rows: list[Row], evidence: list[Row], solutions: list[Row]) -> Iterator[str]:
    """Yield rows of difficulty that do not follow from evidence and solutions, and deals that one side lacks."""
    verdicts = verdicts_by_deal(evidence)
    moves = {(row["deal"], row["cells"]): row["moves"] for row in solutions}
    for deal in sorted(verdicts.keys() - {row["deal"] for row in rows}):
        yield f"{FREECELL_DIFFICULTY.name}: deal {deal}: no row, though there is evidence"
    for row in rows:
        of_deal = verdicts.get(row["deal"], {})
        where = f"{FREECELL_DIFFICULTY.name}: deal {row['deal']}"
        if set(of_deal) != set(ALL_CELLS):
            yield f"{where}: the evidence is for cells {sorted(of_deal)}, not 0 to 4"
            continue
        expected = expected_difficulty(row["deal"], of_deal, moves)
        for column, value in expected.items():
            if row[column] != value:
                yield f"{where}: {column} is {row[column]!r}, the evidence gives {value!r}"


def expected_difficulty(deal: int, verdicts: Mapping[int, str], moves: Mapping[tuple[int, int], int]) -> Row:
    """Return what a row of difficulty must hold, from the verdicts for 0 to 4 cells and the moves of the solutions.

    K cells can be the fewest that win if no fewer are known to win, and none from K on are known not to.
    """
    possible = [
        least
        for least in range(NONE_WINS + 1)
        if all(verdicts[cells] != ("unsolvable" if cells >= least else "solvable") for cells in ALL_CELLS)
    ]
    levels = {LEVEL_BY_LEAST_CELLS[least] for least in possible}
    is_settled = len(possible) == 1
    min_cells = possible[0] if is_settled and possible[0] != NONE_WINS else None
    return {
        "min_cells": min_cells,
        "level": levels.pop() if len(levels) == 1 else "undecided",
        "is_settled": is_settled,
        "moves_at_min_cells": None if min_cells is None else moves.get((deal, min_cells)),
    }


def audit_row_faults(rows: list[Row], verdicts: Mapping[int, Mapping[int, str]]) -> Iterator[str]:
    """Yield rows of an audit that contradict themselves, the evidence or the known list."""
    for row in rows:
        where = f"{FREECELL_AUDIT.name}: deal {row['deal']} cells {row['cells']}"
        said = {row["verdict_plain"], row["verdict_search"]}
        all_said = said | {verdicts.get(row["deal"], {}).get(row["cells"], "undecided")}
        if not said <= set(VERDICTS):
            yield f"{where}: {sorted(said)} are not verdicts"
        if all_said >= {"solvable", "unsolvable"}:
            yield f"{where}: enumeration, search and evidence disagree"
        if (row["states_reachable"] is not None) != (row["verdict_plain"] == "unsolvable"):
            yield f"{where}: {row['verdict_plain']} with states_reachable {row['states_reachable']}"
        if "solvable" in all_said and row["deal"] in KNOWN_UNSOLVABLE:
            yield f"{where}: known as unsolvable, yet said to be solvable"


def verdicts_by_deal(evidence: list[Row]) -> dict[int, dict[int, str]]:
    """Return the verdicts of evidence by deal, then by cells."""
    verdicts: dict[int, dict[int, str]] = {}
    for row in evidence:
        verdicts.setdefault(row["deal"], {})[row["cells"]] = row["verdict"]
    return verdicts
