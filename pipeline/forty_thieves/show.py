"""One deal or board of Forty Thieves as a person reads it."""

from pathlib import Path

from pipeline.forty_thieves import jobs
from pipeline.forty_thieves.jobs import Evidence
from pipeline.forty_thieves.tables import searches_of
from pipeline.schemas import FORTY_THIEVES_DEALS, FORTY_THIEVES_EVIDENCE, FORTY_THIEVES_SOLUTIONS
from pipeline.show import board_lines
from pipeline.table_files import rows_of_deal
from solvers.cards import format_card
from solvers.forty_thieves.deals import Board, Rules, forty_thieves_deal
from solvers.forty_thieves.notation import expand
from solvers.result import Result, Verdict

SHOWN_TABLES = (*FORTY_THIEVES_DEALS.values(), FORTY_THIEVES_EVIDENCE, FORTY_THIEVES_SOLUTIONS)
STOCK_A_LINE = 16
PROGRESS = {
    Verdict.SOLVABLE: "one more card can go to a foundation",
    Verdict.UNSOLVABLE: "surely no further card goes to a foundation",
    Verdict.UNDECIDED: "undecided whether one more card can go to a foundation",
}


def deal_text(deal: int, data: Path) -> str:
    """Return everything known about a deal, from the tables of a folder or, where they lack it, settled afresh."""
    stored = stored_evidence(deal, data)
    board = forty_thieves_deal(deal)
    lines = [f"Forty Thieves deal {deal}", "", *board_lines(board.columns), "", *stock_lines(board), ""]
    lines.append(f"From {data}:" if stored else "Settled afresh:")
    for evidence in stored or [settled(board, rules, f"deal {deal}") for rules in Rules]:
        lines += ["", *evidence_lines(board, evidence)]
    return "\n".join(lines)


def stock_lines(board: Board) -> list[str]:
    """Return the stock, the card to be turned first first."""
    names = [format_card(card) for card in board.stock]
    rows = [names[start : start + STOCK_A_LINE] for start in range(0, len(names), STOCK_A_LINE)]
    return ["Stock, the first card to turn first:", *map(" ".join, rows)]


def stored_evidence(deal: int, data: Path) -> list[Evidence]:
    """Return a deal's rows of the tables in a folder; none unless all tables are there and know the deal."""
    paths = {spec.name: data / spec.file_name for spec in SHOWN_TABLES}
    if not all(path.is_file() for path in paths.values()):
        return []
    rows = searches_of({name: rows_of_deal(path, deal) for name, path in paths.items()}).to_pylist()
    return [Evidence(**{name: row[name] for name in Evidence._fields}) for row in rows]


def settled(board: Board, rules: Rules, name: str) -> Evidence:
    """Search a board here and now, with one state limit after another."""
    for state_limit in jobs.BUDGETS:
        evidence = jobs.searched(board, rules, state_limit, name)
        if evidence.verdict != Verdict.UNDECIDED:
            break
    return evidence


def evidence_lines(board: Board, evidence: Evidence) -> list[str]:
    """Return what a search says of a board, with the solution in the tables' form and for people."""
    graded = f", {evidence.grade}" if evidence.grade else ""
    limit = f" of at most {evidence.state_limit:,}" if evidence.verdict == Verdict.UNDECIDED else ""
    lines = [f"{evidence.rules}: {evidence.verdict}{graded}, {evidence.states:,} states searched{limit}"]
    if evidence.solution is not None:
        lines.append(f"Solution, {evidence.moves} moves: {evidence.solution}")
        lines += ["", *expand(board, Rules(evidence.rules), evidence.solution)]
    return lines


def progress_lines(board: Board, rules: Rules, result: Result) -> list[str]:
    """Return what a search says of whether a board can get any further, with the moves up to that card."""
    lines = [f"{rules}: {PROGRESS[result.verdict]}, {result.states:,} states searched"]
    return lines + expand(board, rules, result.solution or "")
