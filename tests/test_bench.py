"""What `deals bench` measures: that both sides ran, and that the table says what was measured."""

import pytest
from click.testing import CliRunner

from pipeline import bench
from pipeline.bench import Contest, Side, Timing, contest_lines, contests, run_contest, run_on_one_core, worker_lines
from pipeline.cli import main
from pipeline.program import WorkError

CONTEST = Contest("wins", 1, 20, 4, 50_000, bench.WIN_PRESET)


def test_ours_alone() -> None:
    timing = run_contest(CONTEST, 2, None)
    assert len(timing.ours) == 2
    assert not timing.theirs
    assert timing.ours[0].states == timing.ours[1].states > 20
    assert all(side.seconds > 0 for side in timing.ours)


@pytest.mark.oracle
@pytest.mark.skipif(bench.peer() is None, reason="freecell-solver is not installed (Debian: freecell-solver-bin)")
def test_both_sides() -> None:
    (theirs,) = run_contest(CONTEST, 1, bench.peer()).theirs
    assert theirs.seconds > 0
    assert theirs.states > 20


def test_the_table_gives_medians_and_the_ratio() -> None:
    timing = Timing(CONTEST, (Side(1.0, 50), Side(2.0, 50), Side(9.0, 50)), (Side(4.0, 80),))
    heading, line = contest_lines([timing])
    assert heading.split()[-6:] == ["a", "second", "peer's", "ratio", "states", "peer's"]
    assert line.split() == ["wins", "20", "10", "5", "2.00", "25", "20"]
    assert contest_lines([timing._replace(theirs=())])[1].split() == ["wins", "20", "10", "-", "-", "25", "-"]


def test_the_table_of_workers() -> None:
    assert [line.split() for line in worker_lines([6.0, 3.0])[1:]] == [["1", "6.00", "1.00"], ["2", "3.00", "2.00"]]


def test_exact_verdicts_are_compared_with_a_complete_search() -> None:
    assert {contest.cells: contest.preset for contest in contests(100)} == {
        4: bench.WIN_PRESET,
        **dict.fromkeys(range(4), bench.EXACT),
    }


def test_a_side_that_fails_is_named() -> None:
    with pytest.raises(WorkError, match=r"ended with status 7: it broke$"):
        run_on_one_core(["sh", "-c", "echo begun; echo it broke; exit 7"])


@pytest.mark.parametrize("number", ["0", "19", "32001", "many"])
def test_numbers_out_of_range_are_refused(number: str) -> None:
    result = CliRunner().invoke(main, ["bench", "--deals", number])
    assert result.exit_code == 2
    assert number in result.stderr
