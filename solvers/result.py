"""What every search answers: a verdict, and what it rests on."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """The three honest answers about a deal."""

    SOLVABLE = "solvable"
    UNSOLVABLE = "unsolvable"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of one search.

    Attributes:
        verdict: solvable (``solution`` wins), unsolvable (a walk went through all there is) or undecided.
        states: the states met, over all the walks that the answer took.
        state_limit: the largest number of states that one walk was allowed to meet.
        solution: the winning moves in the game's documented notation; ``None`` unless solvable.
    """

    verdict: Verdict
    states: int
    state_limit: int
    solution: str | None = None
