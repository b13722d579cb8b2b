"""The one place where the tables' columns, types, units and meanings are written."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from solvers.result import Verdict

METADATA_PREFIX = "deals."
RUN_METADATA = ("search_version", "budgets")
SCHEMA_VERSION = "1"


@dataclass(frozen=True, eq=False)
class Table:
    """What a table promises.

    Attributes:
        name: also the stem of its file.
        title: what the table holds, in a sentence or two.
        schema: columns in order; each field's metadata has its meaning under ``description``; not nullable means so.
        key: the columns that identify a row; rows are in ascending order of them.
        game: the file metadata that is the same for every table of a game.
        encodings: Parquet encodings of the columns that a dictionary would not make smaller.
        group_rows: rows a row group, so that a group stays under 1 MB.
        is_list: it holds deal numbers alone, and goes with a JSON file of the same numbers.
    """

    name: str
    title: str
    schema: pa.Schema
    key: tuple[str, ...]
    game: Mapping[str, str]
    encodings: Mapping[str, str] = field(default_factory=dict)
    group_rows: int = 1 << 20
    is_list: bool = False

    @property
    def file_name(self) -> str:
        """The name of the table's file."""
        return f"{self.name}.parquet"

    @property
    def list_name(self) -> str:
        """The name of the JSON file that goes with a list."""
        return f"{self.name}.json"


def _column(name: str, kind: pa.DataType, description: str, *, is_nullable: bool = False) -> pa.Field:
    """Declare a column."""
    return pa.field(name, kind, nullable=is_nullable, metadata={"description": description})


FREECELL = {
    "game": "freecell",
    "rules": "single cards, runs as supermoves, safe autoplay after the deal and after each move",
    "deal_numbering": "Microsoft FreeCell 1-1000000",
}

_VERDICTS = ", ".join(Verdict)
_DEAL = _column("deal", pa.int32(), "deal number in Microsoft's numbering")
_CELLS = _column("cells", pa.int8(), "number of free cells, 0 to 4")
_VERDICT = _column("verdict", pa.string(), f"{_VERDICTS}: can the deal be won with that many cells")
_STATES = _column("states", pa.int64(), "states that the walks of the search met, 0 when the verdict is implied")
_BASIS = _column("basis", pa.string(), "searched, or implied by K: the search with K cells settles this row too")
_LIMIT = _column("state_limit", pa.int64(), "the largest number of states one search was allowed")

FREECELL_DIFFICULTY = Table(
    name="freecell_difficulty",
    title="One row a deal: the smallest number of free cells that wins it.",
    schema=pa.schema(
        [
            _DEAL,
            _column(
                "min_cells",
                pa.int8(),
                "smallest number of cells that wins, 0 to 4; null when none of them does, or when it is not settled",
                is_nullable=True,
            ),
            _column(
                "level",
                pa.string(),
                "easy (at most 1 cell), normal (2), hard (3 or 4), unsolvable (not with 4), undecided;"
                " a level may be settled while min_cells is not",
            ),
            _column("is_settled", pa.bool_(), "min_cells is proved, or each of 0 to 4 cells is proved not to win"),
            _column(
                "moves_at_min_cells",
                pa.int16(),
                "moves of the stored solution at min_cells as the game counts them (a run is one, autoplay none);"
                " null where min_cells is",
                is_nullable=True,
            ),
        ]
    ),
    key=("deal",),
    game=FREECELL,
    encodings={"deal": "DELTA_BINARY_PACKED"},
)

FREECELL_EVIDENCE = Table(
    name="freecell_evidence",
    title="One row for each deal and number of cells: the verdict and what it rests on.",
    schema=pa.schema([_DEAL, _CELLS, _VERDICT, _STATES, _LIMIT, _BASIS]),
    key=("deal", "cells"),
    game=FREECELL,
    encodings={"deal": "DELTA_BINARY_PACKED"},
)

FREECELL_SOLUTIONS = Table(
    name="freecell_solutions",
    title="For each solvable deal a winning line, with the smallest number of cells known to win it.",
    schema=pa.schema(
        [
            _DEAL,
            _CELLS,
            _column("moves", pa.int16(), "moves of the solution (a run is one, autoplay none)"),
            _column("solution", pa.string(), "the moves, one after another (form: see below)"),
        ]
    ),
    key=("deal", "cells"),
    game=FREECELL,
    encodings={"deal": "DELTA_BINARY_PACKED", "solution": "PLAIN"},
    group_rows=3000,
)

FREECELL_AUDIT = Table(
    name="freecell_audit",
    title="Deals whose reachable states were all counted by plain enumeration, beside the verdict of the fast search.",
    schema=pa.schema(
        [
            _DEAL,
            _CELLS,
            _column("is_autoplay", pa.bool_(), "cards go home by themselves as in the rules; if false, only by moves"),
            _column(
                "states_reachable",
                pa.int64(),
                "distinct states that single-card moves reach, the first included;"
                " null when the count stopped at a win or at state_limit",
                is_nullable=True,
            ),
            _column("verdict_plain", pa.string(), f"{_VERDICTS}: by the plain enumeration"),
            _column("verdict_search", pa.string(), f"{_VERDICTS}: by the fast search"),
            _column("state_limit", pa.int64(), "states at which the plain enumeration gives up"),
        ]
    ),
    key=("deal", "cells", "is_autoplay"),
    game=FREECELL,
    encodings={"deal": "DELTA_BINARY_PACKED"},
)

FREECELL_WINNABLE = Table(
    name="freecell_winnable",
    title="The deals that are solvable with 4 cells; freecell_winnable.json holds the same numbers.",
    schema=pa.schema([_DEAL]),
    key=("deal",),
    game=FREECELL,
    encodings={"deal": "DELTA_BINARY_PACKED"},
    is_list=True,
)

FREECELL_SEARCHES = Table(
    name="freecell_searches",
    title="What a worker returns: evidence with the solutions found; the rows of shard files.",
    schema=pa.schema(
        [
            *FREECELL_EVIDENCE.schema,
            _column("solution", pa.string(), "winning moves; null unless searched and solvable", is_nullable=True),
        ]
    ),
    key=("deal", "cells"),
    game=FREECELL,
)

_FORTY_THIEVES = {"game": "forty_thieves", "deal_numbering": "KPat two-deck shuffle 1-2147483647"}
_RULES_IN_WORDS = {
    "classic": "classic: the stock is gone through once; with e empty columns a run of 2^e cards moves onto a column,"
    " of 2^(e-1) into an empty one",
    "relaxed": "relaxed: a run of any length moves; the waste is turned over once",
}
FORTY_THIEVES = {**_FORTY_THIEVES, "rules": "; ".join(_RULES_IN_WORDS.values())}
RULES = tuple(_RULES_IN_WORDS)

_TWO_DECK_DEAL = _column("deal", pa.int32(), "deal number in the numbering of KPat's two-deck shuffle")
_RULES = _column("rules", pa.string(), f"the rule set: {', '.join(RULES)}")
_DEAL_VERDICT = _column("verdict", pa.string(), f"{_VERDICTS}: can the deal be won under these rules")
_COUNTED = "a run, a turn of the stock, the redeal and a foundation move are one each"
_MOVES = _column("moves", pa.int16(), f"moves of the solution ({_COUNTED})")
_MOVES_IF_WON = _column(
    "moves", pa.int16(), f"moves of the stored solution ({_COUNTED}); null unless solvable", is_nullable=True
)
_GRADE = _column("grade", pa.string(), "how hard a win is to find (see below); null unless solvable", is_nullable=True)


def _deals_of_rules(rules: str) -> Table:
    """Declare the table of one rule set of Forty Thieves."""
    return Table(
        name=f"forty_thieves_{rules}",
        title=f"One row a deal: can it be won under the {rules} rules, and how hard that is.",
        schema=pa.schema([_TWO_DECK_DEAL, _DEAL_VERDICT, _MOVES_IF_WON, _GRADE]),
        key=("deal",),
        game={**_FORTY_THIEVES, "rules": _RULES_IN_WORDS[rules]},
        encodings={"deal": "DELTA_BINARY_PACKED"},
    )


def _winnable_under(rules: str) -> Table:
    """Declare the list of the deals that are solvable under one rule set of Forty Thieves."""
    name = f"forty_thieves_{rules}_winnable"
    return Table(
        name=name,
        title=f"The deals that are solvable under the {rules} rules; {name}.json holds the same numbers.",
        schema=pa.schema([_TWO_DECK_DEAL]),
        key=("deal",),
        game={**_FORTY_THIEVES, "rules": _RULES_IN_WORDS[rules]},
        encodings={"deal": "DELTA_BINARY_PACKED"},
        is_list=True,
    )


FORTY_THIEVES_DEALS = {rules: _deals_of_rules(rules) for rules in RULES}
FORTY_THIEVES_WINNABLE = {rules: _winnable_under(rules) for rules in RULES}

FORTY_THIEVES_EVIDENCE = Table(
    name="forty_thieves_evidence",
    title="One row for each deal and rule set: the verdict and what it rests on.",
    schema=pa.schema(
        [
            _TWO_DECK_DEAL,
            _RULES,
            _DEAL_VERDICT,
            _column("states", pa.int64(), "states met by the search that gave the verdict"),
            _column("state_limit", pa.int64(), "the limit on states of that search"),
            _column("search_version", pa.int16(), "the version of the search that gave the verdict"),
        ]
    ),
    key=("deal", "rules"),
    game=FORTY_THIEVES,
    encodings={"deal": "DELTA_BINARY_PACKED"},
)

FORTY_THIEVES_SOLUTIONS = Table(
    name="forty_thieves_solutions",
    title="For each solvable deal and rule set a winning line.",
    schema=pa.schema(
        [
            _TWO_DECK_DEAL,
            _RULES,
            _MOVES,
            _column("solution", pa.string(), "the moves, one after another (form: see below)"),
        ]
    ),
    key=("deal", "rules"),
    game=FORTY_THIEVES,
    encodings={"deal": "DELTA_BINARY_PACKED", "solution": "PLAIN"},
    group_rows=1500,
)

FORTY_THIEVES_SEARCHES = Table(
    name="forty_thieves_searches",
    title="What a worker returns: evidence with the solutions found and their grades; the rows of shard files.",
    schema=pa.schema(
        [
            *FORTY_THIEVES_EVIDENCE.schema,
            _MOVES_IF_WON,
            _GRADE,
            _column("solution", pa.string(), "winning moves; null unless solvable", is_nullable=True),
        ]
    ),
    key=("deal", "rules"),
    game=FORTY_THIEVES,
)

FREECELL_TABLES = (FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS, FREECELL_WINNABLE, FREECELL_AUDIT)
FORTY_THIEVES_TABLES = (
    *FORTY_THIEVES_DEALS.values(),
    FORTY_THIEVES_EVIDENCE,
    FORTY_THIEVES_SOLUTIONS,
    *FORTY_THIEVES_WINNABLE.values(),
)
PUBLISHED = (*FREECELL_TABLES, *FORTY_THIEVES_TABLES)
