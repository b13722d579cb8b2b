"""One deal as a person reads it: board, level, evidence, solution."""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipeline import jobs
from pipeline.schemas import FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS
from pipeline.shards import Task
from pipeline.table_files import rows_of_deal
from pipeline.tables import difficulty_tables, open_deals
from solvers.cards import format_card
from solvers.deals import Board, freecell_deal
from solvers.freecell.difficulty import Evidence
from solvers.freecell.notation import expand
from solvers.freecell.referee import replay

SHOWN_TABLES = (FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS)


def deal_text(deal: int, data: Path) -> str:
    """Return everything known about a deal, from the tables of a folder or, where they lack it, settled afresh."""
    tables = stored_tables(deal, data)
    source = f"from {data}" if tables else "settled afresh"
    rows = {name: table.to_pylist() for name, table in (tables or fresh_tables(deal)).items()}
    (summary,) = rows[FREECELL_DIFFICULTY.name]
    board = freecell_deal(deal)
    lines = [f"FreeCell deal {deal}", "", *board_lines(board.columns), "", f"{level_text(summary)} ({source})", ""]
    lines += evidence_lines(rows[FREECELL_EVIDENCE.name])
    for row in rows[FREECELL_SOLUTIONS.name]:
        lines += ["", *solution_lines(board, row["cells"], row["solution"])]
    return "\n".join(lines)


def board_lines(columns: Sequence[Sequence[int]]) -> list[str]:
    """Return columns as they lie on a table: side by side, the cards that are free to move lowest."""
    header = " ".join(f"{number:>2}" for number in range(1, len(columns) + 1))
    rows = zip_longest(*(map(format_card, column) for column in columns), fillvalue="  ")
    return [header, *(" ".join(row).rstrip() for row in rows)]


def level_text(row: dict[str, Any]) -> str:
    """Say a deal's level and what it rests on."""
    if not row["is_settled"]:
        return f"Level: {row['level']}; not settled"
    if row["min_cells"] is None:
        return f"Level: {row['level']}; no number of cells from 0 to 4 wins"
    return f"Level: {row['level']}; won with {cells_text(row['min_cells'])}, no fewer"


def cells_text(cells: int) -> str:
    """Return a number of cells for people."""
    return f"{cells} cell" if cells == 1 else f"{cells} cells"


def evidence_lines(rows: list[dict[str, Any]]) -> list[str]:
    """Return the evidence as a table for people."""
    lines = [f"{'cells':>5}  {'verdict':<10}  {'states':>13}  basis"]
    return lines + [f"{row['cells']:>5}  {row['verdict']:<10}  {row['states']:>13,}  {row['basis']}" for row in rows]


def solution_lines(board: Board, cells: int, solution: str) -> list[str]:
    """Return a solution in the tables' compact form and in standard notation."""
    return [
        f"Solution with {cells_text(cells)}, {replay(board, cells, solution)} moves: {solution}",
        "",
        "In standard notation:",
        *expand(board, cells, solution),
    ]


def stored_tables(deal: int, data: Path) -> dict[str, pa.Table] | None:
    """Return a deal's rows of the tables in a folder, ``None`` unless all three are there and know the deal."""
    paths = {spec.name: data / spec.file_name for spec in SHOWN_TABLES}
    if not all(path.is_file() for path in paths.values()):
        return None
    tables = {name: rows_of_deal(path, deal) for name, path in paths.items()}
    return tables if tables[FREECELL_DIFFICULTY.name].num_rows else None


def fresh_tables(deal: int) -> dict[str, pa.Table]:
    """Settle a deal here and now, with one state limit after another."""
    known: dict[int, dict[int, Evidence]] = {}
    for number, state_limit in enumerate(jobs.BUDGETS):
        searches = jobs.difficulty_rows(jobs.DifficultyShard(Task(number, deal, deal), (deal,), state_limit, known))
        known = jobs.evidence_by_deal(searches, open_deals(searches))
        if not known:
            break
    return difficulty_tables(searches)
