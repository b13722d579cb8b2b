"""Made-up evidence for tests of tables: verdicts as five letters for 0 to 4 cells, S solvable, U unsolvable, ? open."""

import pyarrow as pa

from pipeline.jobs import search_table
from solvers.freecell.difficulty import Evidence
from solvers.result import Verdict

LETTERS = {"S": Verdict.SOLVABLE, "U": Verdict.UNSOLVABLE, "?": Verdict.UNDECIDED}
MOVES = "1a2b34v4"


def evidence(verdicts: str, limit: int = 1000) -> list[Evidence]:
    """Return searched rows with a solution of three moves at the fewest cells that win."""
    least = verdicts.find("S")
    return [
        Evidence(cells, LETTERS[letter], 10 + cells, "searched", limit, MOVES if cells == least else None)
        for cells, letter in enumerate(verdicts)
    ]


def searches(deals: dict[int, str], limit: int = 1000) -> pa.Table:
    """Return the rows of a shard."""
    return search_table([(deal, row) for deal, verdicts in deals.items() for row in evidence(verdicts, limit)])
