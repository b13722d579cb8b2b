"""What publishing and verifying need to know of each game."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from pipeline import checks, freecell, jobs
from pipeline.forty_thieves import checks as thieves_checks
from pipeline.forty_thieves import jobs as thieves_jobs
from pipeline.forty_thieves import runs as thieves_runs
from pipeline.forty_thieves.runs import DeeperRun, WinnableRun
from pipeline.freecell import AuditRun, DifficultyRun
from pipeline.jobs import ProofShard, Replay, ReplayShard, Reproof
from pipeline.schemas import (
    FORTY_THIEVES_DEALS,
    FORTY_THIEVES_EVIDENCE,
    FORTY_THIEVES_SOLUTIONS,
    FORTY_THIEVES_WINNABLE,
    FREECELL_DIFFICULTY,
    FREECELL_EVIDENCE,
    FREECELL_SOLUTIONS,
    FREECELL_WINNABLE,
    RULES,
    Table,
)

PublishedRun = DifficultyRun | AuditRun | WinnableRun | DeeperRun
PUBLISHED_RUNS: dict[str, type[PublishedRun]] = {
    run.command: run for run in (DifficultyRun, AuditRun, WinnableRun, DeeperRun)
}


@dataclass(frozen=True)
class Promise:
    """What some tables of a folder are held to once all of them are there."""

    tables: tuple[Table, ...]
    text: str


@dataclass(frozen=True)
class Game:
    """How the tables of one game are verified.

    Attributes:
        variant: the column that is the key of evidence and solutions together with the deal.
        rests_on: for a table those that must be in the same folder.
        faults: yields a line for each fault of tables that belong together, given by name.
        promises: what ``faults`` holds the tables to.
        replays: has the referee replay solutions.
        resolved: searches rows of evidence afresh.
        search_limit: gives the state limit of that, the default for none.
        enumerated: decides unsolvable rows by plain enumeration.
    """

    evidence: Table
    solutions: Table
    variant: str
    rests_on: Mapping[Table, tuple[Table, ...]]
    faults: Callable[[Mapping[str, pa.Table]], Iterator[str]]
    promises: tuple[Promise, ...]
    replays: Callable[[ReplayShard], list[Replay]]
    resolved: Callable[[ProofShard], list[Reproof]]
    search_limit: Callable[[int | None], int]
    enumerated: Callable[[ProofShard], list[Reproof]]


FREECELL = Game(
    evidence=FREECELL_EVIDENCE,
    solutions=FREECELL_SOLUTIONS,
    variant="cells",
    rests_on={FREECELL_DIFFICULTY: (FREECELL_EVIDENCE, FREECELL_SOLUTIONS)},
    faults=checks.table_faults,
    promises=(
        Promise(
            (FREECELL_EVIDENCE,), "evidence held to be monotone in cells, and what is implied to follow from a search"
        ),
        Promise(
            (FREECELL_EVIDENCE, FREECELL_SOLUTIONS), "solvable rows held to have a solution at their cells or fewer"
        ),
        Promise((FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS), "levels held to follow from evidence"),
        Promise((FREECELL_WINNABLE, FREECELL_EVIDENCE), "the winnable list held to be what evidence proves"),
    ),
    replays=jobs.replays,
    resolved=jobs.resolved,
    search_limit=freecell.search_limit,
    enumerated=jobs.enumerated,
)

_SOLVED = (FORTY_THIEVES_EVIDENCE, FORTY_THIEVES_SOLUTIONS)
FORTY_THIEVES = Game(
    evidence=FORTY_THIEVES_EVIDENCE,
    solutions=FORTY_THIEVES_SOLUTIONS,
    variant="rules",
    rests_on={
        **dict.fromkeys(FORTY_THIEVES_DEALS.values(), _SOLVED),
        **dict.fromkeys(FORTY_THIEVES_WINNABLE.values(), (FORTY_THIEVES_EVIDENCE,)),
    },
    faults=thieves_checks.table_faults,
    promises=(
        Promise(_SOLVED, "solvable rows of Forty Thieves held to have a solution"),
        *(
            Promise(
                (FORTY_THIEVES_DEALS[rules], *_SOLVED),
                f"{rules} verdicts and moves held to follow from evidence and solutions",
            )
            for rules in RULES
        ),
        *(
            Promise(
                (FORTY_THIEVES_WINNABLE[rules], FORTY_THIEVES_EVIDENCE),
                f"the {rules} winnable list held to be what evidence proves",
            )
            for rules in RULES
        ),
    ),
    replays=thieves_jobs.replays,
    resolved=thieves_jobs.resolved,
    search_limit=thieves_runs.verify_limit,
    enumerated=thieves_jobs.enumerated,
)

GAMES = (FREECELL, FORTY_THIEVES)


def table_faults(tables: Mapping[str, pa.Table]) -> Iterator[str]:
    """Yield every fault of tables that belong together, given by name, whatever the game."""
    for game in GAMES:
        yield from game.faults(tables)
