"""Evidence for all numbers of cells: monotone, honest, and no more searched than it takes."""

from itertools import product

import pytest

from solvers.deals import Board, freecell_deal
from solvers.freecell import difficulty
from solvers.freecell.difficulty import MAX_CELLS, SEARCHED, Evidence, settle
from solvers.freecell.referee import replay
from solvers.result import Result, Verdict

WON = Board(((),) * 8, (), (13, 13, 13, 13))
DEALS = (*range(1, 21), 164, 617, 5300, 11982, 12392)
LIMIT = 1_000_000
NEVER = LIMIT + 1


def check(board: Board, rows: tuple[Evidence, ...], state_limit: int) -> None:
    """Assert what holds of evidence at any limit."""
    assert [row.cells for row in rows] == list(range(MAX_CELLS + 1))
    order = [Verdict.UNSOLVABLE, Verdict.UNDECIDED, Verdict.SOLVABLE]
    ranks = [order.index(row.verdict) for row in rows]
    assert ranks == sorted(ranks)  # so no row is undecided beside one that implies it
    for row in rows:
        assert row.state_limit <= state_limit
        if row.basis == SEARCHED:
            assert row.states > 0
            assert (row.solution is not None) == (row.verdict == Verdict.SOLVABLE)
            if row.solution is not None:
                replay(board, row.cells, row.solution)
        else:
            check_implied(row, rows)


def check_implied(row: Evidence, rows: tuple[Evidence, ...]) -> None:
    """Assert that a row follows from the one that it names."""
    by = rows[int(row.basis.removeprefix("implied by "))]
    assert row.basis == f"implied by {by.cells}"
    assert (by.basis, by.verdict) == (SEARCHED, row.verdict)
    assert row.verdict in (Verdict.SOLVABLE, Verdict.UNSOLVABLE)
    assert by.cells < row.cells if row.verdict == Verdict.SOLVABLE else by.cells > row.cells
    assert (row.states, row.solution) == (0, None)


def verdicts(rows: tuple[Evidence, ...]) -> list[Verdict]:
    return [row.verdict for row in rows]


@pytest.mark.parametrize("number", DEALS)
def test_a_deal_is_settled_by_its_smallest_win_and_a_proof_below(number: int) -> None:
    deal = freecell_deal(number)
    rows = settle(deal, LIMIT)
    check(deal, rows, LIMIT)
    assert Verdict.UNDECIDED not in verdicts(rows)
    fewest = verdicts(rows).index(Verdict.SOLVABLE) if Verdict.SOLVABLE in verdicts(rows) else 5
    assert all(row.basis == SEARCHED for row in rows[max(fewest - 1, 0) : fewest + 1])


@pytest.mark.parametrize(("number", "fewest"), [(164, 0), (12392, 0), (2, 1), (3, 2), (1, 3), (617, 4), (11982, 5)])
def test_the_fewest_cells_of_a_deal(number: int, fewest: int) -> None:
    assert verdicts(settle(freecell_deal(number), LIMIT)).count(Verdict.UNSOLVABLE) == fewest


@pytest.mark.parametrize("state_limit", [1, 10, 100, 1_000, 3_000])
def test_small_limits_are_honest(state_limit: int) -> None:
    undecided = 0
    for number in DEALS:
        deal = freecell_deal(number)
        rows = settle(deal, state_limit)
        check(deal, rows, state_limit)
        for row, final in zip(rows, verdicts(settle(deal, LIMIT)), strict=True):
            assert row.verdict in (final, Verdict.UNDECIDED), f"deal {number}"
            undecided += row.verdict == Verdict.UNDECIDED
    assert undecided > 0


@pytest.mark.parametrize(
    "limits", [(1, LIMIT), (100, 3_000, LIMIT), (2_000, 20_000, 20_001), (5_000, 5_000), (9_000, 500)]
)
def test_going_on_from_known_evidence_ends_where_one_go_does(limits: tuple[int, ...]) -> None:
    for number in DEALS:
        deal = freecell_deal(number)
        rows: tuple[Evidence, ...] = ()
        for state_limit in limits:
            known = {row.cells: row for row in rows}
            rows = settle(deal, state_limit, known)
            check(deal, rows, max(limits))
            for before in known.values():
                after = rows[before.cells]
                if before.basis == SEARCHED and before.verdict != Verdict.UNDECIDED:
                    assert after == before
                elif before.basis == SEARCHED and after.basis == SEARCHED:
                    assert after.states >= before.states
        assert verdicts(rows) == verdicts(settle(deal, max(limits))), f"deal {number}"


def test_nothing_is_searched_again_once_a_deal_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = settle(freecell_deal(617), LIMIT)
    monkeypatch.setattr(difficulty, "attempt", None)
    assert settle(freecell_deal(617), LIMIT, {row.cells: row for row in rows}) == rows


def test_a_won_board_needs_no_cells() -> None:
    assert set(verdicts(settle(WON, 1))) == {Verdict.SOLVABLE}


@pytest.mark.parametrize("state_limit", [0, -1])
def test_a_limit_below_one_is_refused(state_limit: int) -> None:
    with pytest.raises(ValueError, match=f"^state limit {state_limit} is outside 1-"):
        settle(freecell_deal(1), state_limit)


class Pretended:
    """Searches that decide from some limit on or never, and note what they were asked."""

    def __init__(self, fewest: int, needed: tuple[int, ...]) -> None:
        self.fewest = fewest
        self.needed = needed
        self.asked: list[tuple[int, int]] = []

    def attempt(self, board: Board, cells: int, rung: int) -> Result:
        self.asked.append((rung, cells))
        if rung < self.needed[cells]:
            return Result(Verdict.UNDECIDED, rung, rung)
        if cells < self.fewest:
            return Result(Verdict.UNSOLVABLE, 1, rung)
        return Result(Verdict.SOLVABLE, 1, rung, "1h")


@pytest.mark.parametrize("fewest", range(6))
def test_every_pattern_of_hard_and_easy_searches(fewest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that can be known is, and nothing is searched twice."""
    for needed in product((1, 50_000, NEVER), repeat=5):
        pretended = Pretended(fewest, needed)
        monkeypatch.setattr(difficulty, "attempt", pretended.attempt)
        rows = settle(WON, LIMIT)
        lost = max((cells for cells in range(fewest) if needed[cells] <= LIMIT), default=-1)
        won = min((cells for cells in range(fewest, 5) if needed[cells] <= LIMIT), default=5)
        expected = [Verdict.UNSOLVABLE] * (lost + 1) + [Verdict.UNDECIDED] * (won - lost - 1)
        assert verdicts(rows) == expected + [Verdict.SOLVABLE] * (5 - won)
        for row in rows:
            if row.basis != SEARCHED:
                check_implied(row, rows)
        rungs = [rung for rung, _ in pretended.asked]
        assert rungs == sorted(rungs)
        assert len(set(pretended.asked)) == len(rungs)
