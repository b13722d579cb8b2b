"""Autoplay takes nothing away: with it and without, the same positions are won; and the tempting rule is wrong."""

import pytest
from thieves import small_deal
from thieves_plain import enumerate_plainly, never, safe, too_eager

from solvers.cards import parse_card
from solvers.forty_thieves.deals import Board, Rules
from solvers.forty_thieves.referee import Move, Position, replay

LIMIT = 4000


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_card(word) for word in text.split())


# Ranks are shifted up by five from ``8 6 | 6 | 7 5 7 8`` on foundations at 4 and 5, so that the highest is the king.
COUNTEREXAMPLE = Board((cards("KC JC"), cards("JC"), cards("QC TC QC KC")), foundations=(9, 10, 13, 13, 13, 13, 13, 13))


def test_the_counterexample_can_be_won() -> None:
    assert Position(COUNTEREXAMPLE, Rules.CLASSIC).autoplay() == []
    assert replay(COUNTEREXAMPLE, Rules.CLASSIC, "2h323h") == 3


@pytest.mark.parametrize(("source", "verdict"), [("1", "unsolvable"), ("2", "solvable")])
def test_the_counterexample_after_one_jack_has_gone_up(source: str, verdict: str) -> None:
    position = Position(COUNTEREXAMPLE, Rules.CLASSIC)
    position.play(Move(source, "h"))
    for autoplay in (never, safe):
        assert enumerate_plainly(position.board(), Rules.CLASSIC, LIMIT, autoplay)[0] == verdict


def test_a_more_eager_autoplay_loses_the_counterexample() -> None:
    assert enumerate_plainly(COUNTEREXAMPLE, Rules.CLASSIC, LIMIT, too_eager)[0] == "unsolvable"


@pytest.mark.parametrize("chunk", range(6))
def test_autoplay_changes_no_verdict(chunk: int) -> None:
    """All of the positions that moves reach from small deals, without any autoplay and with it."""
    found = {"solvable": 0, "unsolvable": 0}
    for seed in range(chunk * 400, (chunk + 1) * 400):
        game = small_deal(seed, lowest=7, highest=10, columns=3)
        verdict, _ = enumerate_plainly(game.board, game.rules, LIMIT, never)
        if verdict == "undecided":
            continue
        assert enumerate_plainly(game.board, game.rules, LIMIT, safe)[0] == verdict, f"seed {seed}"
        found[verdict] += 1
    assert min(found.values()) > 40
