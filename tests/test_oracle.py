"""A second opinion that shares nothing with us: freecell-solver (fc-solve), in a mode of it that is complete.

fc-solve is told to move one card at a time in every way the rules allow (its "atomic" moves) and to go best first, with
no card going home by itself. Then "I could not solve this game" is a proof if it has looked at fewer states than it was
allowed to; at the limit it says the same words and means nothing. With its multi-card moves, which its presets use,
those words never are a proof.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from solvers.deals import FREECELL_HIGHEST, FREECELL_LOWEST, freecell_deal
from solvers.freecell.enumeration import enumerate_states
from solvers.freecell.search import solve
from solvers.freecell.text import format_board
from solvers.result import Verdict

pytestmark = pytest.mark.oracle

COMPLETE = ("--reset", "--tests-order", "01ABCDE", "--method", "a-star")
STATE_LIMIT = 300_000
SAMPLED = 16
# Of a random sample with many cells nearly all are won; these are not.
RARE = {
    3: (169, 178, 285, 454, 617, 11982),
    4: (11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948),
}


class Opinion(NamedTuple):
    """What fc-solve says, and how many states it has looked at."""

    verdict: Verdict
    states: int


@pytest.fixture(scope="module")
def program() -> str:
    """Return the path of fc-solve. Debian's is in /usr/games at times, which is not on every path."""
    path = shutil.which("fc-solve") or shutil.which("fc-solve", path="/usr/games")
    if path is None and os.environ.get("CI"):
        pytest.fail("fc-solve is not installed")
    if path is None:
        pytest.skip("fc-solve is not installed (Debian: freecell-solver-bin)")
    return path


@cache
def ask(program: str, deal: int, cells: int, state_limit: int = STATE_LIMIT) -> Opinion:
    """Ask fc-solve about a deal."""
    said = subprocess.run(
        [program, *COMPLETE, "--freecells-num", str(cells), "--max-iters", str(state_limit), "-"],
        input=format_board(freecell_deal(deal)),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    checked = re.search(r"^Total number of states checked is (\d+)\.$", said, re.MULTILINE)
    assert checked, said
    states = int(checked[1])
    is_won = re.search(r"^This game is solveable\.$", said, re.MULTILINE)
    is_lost = re.search(r"^I could not solve this game\.$", said, re.MULTILINE)
    assert bool(is_won) != bool(is_lost), said
    if is_won:
        return Opinion(Verdict.SOLVABLE, states)
    return Opinion(Verdict.UNSOLVABLE if states < state_limit else Verdict.UNDECIDED, states)


def decided(program: str, cells: int) -> Iterator[tuple[int, Opinion]]:
    """Yield a sample of deals that fc-solve decides with a number of cells, and the rare ones."""
    sample = Random(cells).sample(range(FREECELL_LOWEST, FREECELL_HIGHEST + 1), SAMPLED)
    for deal in (*sample, *RARE.get(cells, ())):
        opinion = ask(program, deal, cells)
        if opinion.verdict != Verdict.UNDECIDED:
            yield deal, opinion


@pytest.mark.parametrize("cells", range(5))
def test_fc_solve_agrees(program: str, cells: int) -> None:
    opinions = dict(decided(program, cells))
    ours = {deal: solve(freecell_deal(deal), cells).verdict for deal in opinions}
    assert ours == {deal: opinion.verdict for deal, opinion in opinions.items()}
    assert len(opinions) >= SAMPLED - 2 + len(RARE.get(cells, ())), "too few to compare"
    assert set(RARE.get(cells, ())) <= {deal for deal, verdict in ours.items() if verdict == Verdict.UNSOLVABLE}


@pytest.mark.parametrize("cells", range(5))
def test_fc_solve_counts_the_same_states(program: str, cells: int) -> None:
    theirs = {deal: said.states for deal, said in decided(program, cells) if said.verdict == Verdict.UNSOLVABLE}
    ours = {deal: enumerate_states(freecell_deal(deal), cells, STATE_LIMIT, is_autoplay=False) for deal in theirs}
    assert {deal: plain.states for deal, plain in ours.items()} == theirs
    assert {plain.verdict for plain in ours.values()} == {Verdict.UNSOLVABLE}


def test_a_limit_reached_is_no_opinion(program: str) -> None:
    assert ask(program, 11982, 4).states == 83_239
    assert ask(program, 11982, 4, state_limit=83_239).verdict == Verdict.UNDECIDED
    assert ask(program, 11982, 4, state_limit=83_240).verdict == Verdict.UNSOLVABLE
