"""How hard a deal is does not hang on the estimates that happen to order the attempts."""

import numpy as np
import pytest

from solvers.forty_thieves import beam, search
from solvers.forty_thieves.deals import Rules, forty_thieves_deal
from solvers.forty_thieves.estimate import Weights, make_estimate
from solvers.forty_thieves.rules import encode

DEALS = range(20_001, 20_061)


def wins(number: int, rules: Rules, portfolio: tuple[Weights, ...]) -> int:
    """Count the attempts that win a deal."""
    deal, words = encode(forty_thieves_deal(number), rules)
    shape = search.ATTEMPT_SHAPES[rules]
    outcomes = [
        beam.explore(deal, words, rules, make_estimate(deal, weights), shape, search.BEAM_LIMIT)
        for weights in portfolio
    ]
    return sum(outcome.status == beam.WON for outcome in outcomes)


@pytest.mark.parametrize("rules", Rules)
def test_one_half_of_the_attempts_finds_hard_what_the_other_half_does(rules: Rules) -> None:
    half = len(search.PORTFOLIO) // 2
    first = [wins(deal, rules, search.PORTFOLIO[:half]) for deal in DEALS]
    second = [wins(deal, rules, search.PORTFOLIO[half:]) for deal in DEALS]
    assert np.corrcoef(first, second)[0, 1] > 0.6
