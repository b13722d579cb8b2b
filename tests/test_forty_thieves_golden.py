"""Deals whose answers are known, from the simplest to the hardest."""

import pytest
from thieves_plain import enumerate_plainly, safe

from solvers.forty_thieves import search
from solvers.forty_thieves.deals import Rules, forty_thieves_deal
from solvers.forty_thieves.notation import write_moves
from solvers.forty_thieves.referee import replay
from solvers.result import Verdict

# Won deals, with the moves of a line that wins: easy and hard ones.
WON = {
    (130, Rules.CLASSIC): (
        169,
        "twhttttw6tw434twhtttttw8tttw0ttw3tttttw8ttttttwhttttttw7ttt4h4h4h74ttw4twhttttt5htw8ttwhtttttttw8tw8"
        "tw101tw1515h75757h6h6h69263945ttttw554tw345tw45427232h8h8h8h8h8h8h8h92v49hwh1002304506v40hw7w878w254"
        "w7w2whw1whw84h5h5h5h27w515w1w939w3w0w1w2w7w272w9whw52h7h7h7hw7w1w7wh3h97w2whwh",
    ),
    (627, Rules.CLASSIC): (
        182,
        "463283ttw3ttttttttwh76tw7tttttttt1h71tw6tw2tttttw9ttttttw1ttttw070714743w4w373tw6tttttw1tw8tttttw5tt"
        "ttwh4h1020121424420261v42h2h2h2h94v29h92894h4h84831661v367v2656317twhttttw59531v8367h7h7h7h7h53v7twh"
        "3h3hw7w8w3w9whtw2w2w4745253w797w5w9whwh1hwhttw7tw6twhtwh9hw9wh7h7h7hwhw7whw50h0h0hwhw33h377h7h7hw3w6"
        "96w7w303whw6",
    ),
    (158, Rules.RELAXED): (
        193,
        "20806070t476h3h03t48tw8tttttttttw2ttttttttwh6httttw4tttwh0h06t30t8hwhtwhttttttttttw5ttw1ttttttttw121"
        "ttttwh1h1h1htw31h1h5ht5htttttttw6trtwhtttttttw6tttttw2ttwhttttw1twhttw6ttttttw2929096t49v234v63679t1"
        "3v2132h2ht4h4h4httttt6ht6h6hwhttw1w212ttw3w1w4w6w5w595w3wh35w7w4w153w2wh32w1w323w3w2wh",
    ),
    (747, Rules.RELAXED): (
        253,
        "9831ttttttttw9tw7tttttw89889ttttttw098ttw189ttttttttw198ttttw389ttw798tttttttttt2h29201089tttw50132v"
        "213143098ttw43489131698twhttw13143v6wh8903twh9830tw68903tttw49830tw18903ttw9309h9h9h9h9h9h0359v25h50"
        "953049v2430374v370tt78rtw40667v96469193h3h3h3h3h3h3h3h3h81v38983ttwh060htttw29htwhtw2tw393tw424tw515"
        "w1tttt6htttw232tw323ttttwh32twhw1w6whw341w7172374313h3h2h2h2h47twh74tttwh7h7htw5w1ttwhtw6tttw6whtw13"
        "13h3htw21221v2ttt",
    ),
}
# Deals that are lost under the classic rules, with the number of positions that moves reach.
LOST = {77: 68_820, 429: 19_831, 536: 26_936}


@pytest.mark.parametrize(("number", "rules"), sorted(WON))
def test_won_deals(number: int, rules: Rules) -> None:
    moves, solution = WON[number, rules]
    board = forty_thieves_deal(number)
    assert replay(board, rules, solution) == moves
    assert "".join(move for move in write_moves(board, rules, solution) if not move.startswith("(")) == solution


@pytest.mark.parametrize("number", sorted(LOST))
def test_lost_deals(number: int) -> None:
    board = forty_thieves_deal(number)
    assert search.solve(board, Rules.CLASSIC, 1_000_000).result.verdict == Verdict.UNSOLVABLE
    everything = search.enumerate_states(board, Rules.CLASSIC)
    assert (everything.verdict, everything.states) == (Verdict.UNSOLVABLE, LOST[number])


def test_a_lost_deal_is_lost_in_plain_python() -> None:
    verdict, states = enumerate_plainly(forty_thieves_deal(429), Rules.CLASSIC, 100_000, safe)
    assert (verdict, len(states)) == ("unsolvable", LOST[429])
