"""Made-up evidence of Forty Thieves for tests: two letters a deal, S solvable, U unsolvable, ? open, . no row."""

from collections.abc import Mapping

import pyarrow as pa

from pipeline.forty_thieves.jobs import Evidence, search_table
from solvers.forty_thieves.deals import Rules
from solvers.forty_thieves.grade import GRADES
from solvers.result import Verdict

LETTERS = {"S": Verdict.SOLVABLE, "U": Verdict.UNSOLVABLE, "?": Verdict.UNDECIDED}


def evidence(deal: int, rules: str, letter: str, limit: int = 1000) -> Evidence:
    """Return a row with a solution that no referee would let pass, where it is solvable."""
    states = limit if letter == "?" else 10 + deal % 7
    won = (100 + deal % 9, GRADES[deal % len(GRADES)], "1a" * (100 + deal % 9)) if letter == "S" else (None, None, None)
    return Evidence(rules, LETTERS[letter].value, states, limit, 1, *won)


def searches(deals: Mapping[int, str], limit: int = 1000) -> pa.Table:
    """Return the rows of a shard: the letters of a deal are for the classic and the relaxed rules."""
    return search_table(
        [
            {"deal": deal, **evidence(deal, rules.value, letter, limit)._asdict()}
            for deal, letters in deals.items()
            for rules, letter in zip(Rules, letters, strict=True)
            if letter != "."
        ]
    )
