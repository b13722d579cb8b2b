"""The looser game and its classes: it misses nothing of plain enumeration, so what is lost in it is lost."""

import hashlib
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from boards import Game as Position
from boards import endgame, midgame

from solvers.deals import freecell_deal
from solvers.freecell import class_walk, walk
from solvers.freecell.class_walk import explore
from solvers.freecell.classes import (
    Frame,
    Game,
    begin_flood,
    clear,
    flood,
    frame_of,
    loosened,
    make_exits,
    make_pool,
    packed_form,
)
from solvers.freecell.corridor import make_corridor
from solvers.freecell.enumeration import enumerate_states
from solvers.freecell.estimate import make_estimate
from solvers.freecell.rules import MAX_MOVES, encode, is_won, run_moves, single_moves, stage_of
from solvers.freecell.search import EARLY, SEARCH_VERSION
from solvers.result import Verdict

Key = tuple[int, int]
Rules = tuple[bool, bool]

FREECELL, LOOSEST = (False, False), (True, True)
RULES = (FREECELL, (False, True), (True, False), LOOSEST)
MEMBERS, EXITS = make_pool(1 << 17), make_exits()


def games(seeds: range) -> Iterator[tuple[int, Position]]:
    """Yield positions from all stages of play, by 0 to 4 cells, each with its seed."""
    for seed in seeds:
        yield seed, midgame(seed) if Random(seed).random() < 0.4 else endgame(seed)


def walked(position: Position, state_limit: int, first_flood: int, rules: Rules = LOOSEST) -> walk.Outcome:
    """Walk; assert that a win comes with classes whose stages follow one another."""
    deal, word0, word1 = encode(position.board)
    estimate = make_estimate(deal, EARLY[0])
    outcome = explore(deal, word0, word1, Game(position.cells, *rules), estimate, state_limit, first_flood)
    if outcome.status == walk.WON:
        assert stage_of(deal, *outcome.path[0]) == stage_of(deal, word0, word1)
        assert is_won(*outcome.path[-1])
        for here, there in pairwise(outcome.path):
            assert sum(depths(there)) <= sum(depths(here))
            assert stage_of(deal, *here) != stage_of(deal, *there)
    return outcome


def depths(key: Key) -> list[int]:
    """Return how many breaks of the deal are in place, column by column."""
    return [int(word) >> shift & 15 for word in key for shift in (0, 52, 56, 60)]


def successors(deal: np.void, key: Key, cells: int, runs: bool = False) -> list[Key]:
    words = np.empty((MAX_MOVES, 2), dtype=np.uint64)
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    where = np.uint64(key[0]), np.uint64(key[1])
    count = single_moves(deal, *where, cells, words, moves)
    if runs:
        count = run_moves(deal, *where, cells, words, moves, count)
    return [(int(word0), int(word1)) for word0, word1 in words[:count]]


def packing(deal: np.void, key: Key, game: Game) -> Key:
    word0, word1 = packed_form(deal, np.uint64(key[0]), np.uint64(key[1]), game)
    return int(word0), int(word1)


def frame_at(deal: np.void, key: Key, game: Game) -> Frame:
    *masks, bare, _ = frame_of(deal, np.uint64(key[0]), np.uint64(key[1]), game)
    return Frame(*map(np.uint64, masks), bare, game)


def loose_form(deal: np.void, key: Key, game: Game) -> Key:
    word0, word1 = loosened(frame_at(deal, key, game), np.uint64(key[0]), np.uint64(key[1]))
    return int(word0), int(word1)


def reachable(deal: np.void, start: Key, cells: int, most: int) -> set[Key] | None:
    """Return all states of FreeCell that single cards' moves lead to, up to wins; None if they are too many."""
    found: set[Key] = set()
    waiting = [start]
    while waiting:
        key = waiting.pop()
        if key in found:
            continue
        if len(found) == most:
            return None
        found.add(key)
        if not is_won(np.uint64(key[0]), np.uint64(key[1])):
            waiting += successors(deal, key, cells)
    return found


def class_of(deal: np.void, key: Key, game: Game) -> tuple[list[Key], list[Key]]:
    """Return the members of a class of the looser game and what its exits lead to."""
    frame = frame_at(deal, key, game)
    count, done = begin_flood(*MEMBERS, 18, np.uint64(key[0]), np.uint64(key[1])), 0
    landings: list[Key] = []
    while done < count < 1 << 16:
        count, done, leaving = flood(deal, frame, MEMBERS, 18, count, done, 1 << 16, EXITS)
        landings += map(tuple, EXITS.rows[:leaving, :2].tolist())
        clear(EXITS.rows, EXITS.table, leaving)
    members = list(map(tuple, MEMBERS.rows[:count, :2].tolist()))
    clear(*MEMBERS, count)
    return members, landings


def loosely_reachable(deal: np.void, start: Key, game: Game, most: int) -> set[Key] | None:
    """Return all members of all classes of the looser game that exits lead to; None if they are too many."""
    found: set[Key] = set()
    waiting = [packing(deal, start, game)]
    while waiting:
        key = waiting.pop()
        if key not in found:
            members, landings = class_of(deal, key, game)
            assert key in members
            found.update(members)
            waiting += landings
            if len(found) > most:
                return None
    return found


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("chunk", range(4))
def test_every_state_of_freecell_is_one_of_the_game(chunk: int, rules: Rules) -> None:
    """What FreeCell's moves reach, the game's classes reach, through wins and losses alike."""
    compared, states, members = 0, 0, 0
    for seed, position in games(range(20_000 + 100 * chunk, 20_000 + 100 * (chunk + 1))):
        deal, word0, word1 = encode(position.board)
        start, game = (int(word0), int(word1)), Game(position.cells, *rules)
        reached = reachable(deal, start, game.cells, 2_000)
        loosely = loosely_reachable(deal, start, game, 10_000) if reached else None
        if reached is None or loosely is None:
            continue
        for key in reached:
            assert loose_form(deal, key, game) in loosely, f"seed {seed}"
        compared, states, members = compared + 1, states + len(reached), members + len(loosely)
    assert compared > 15
    assert members < states or rules != LOOSEST


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("chunk", range(2))
def test_a_packed_form_is_a_member_and_packs_no_further(chunk: int, rules: Rules) -> None:
    for seed, position in games(range(12_000 + 50 * chunk, 12_000 + 50 * (chunk + 1))):
        deal, word0, word1 = encode(position.board)
        start, game = (int(word0), int(word1)), Game(position.cells, *rules)
        form = packing(deal, start, game)
        assert packing(deal, form, game) == form, f"seed {seed}"
        members, _ = class_of(deal, form, game)
        assert loose_form(deal, start, game) in members, f"seed {seed}"
        for key in members[:200]:
            assert loose_form(deal, key, game) == key, f"seed {seed}"
            assert packing(deal, key, game) in members, f"seed {seed}"


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("chunk", range(4))
def test_what_is_lost_in_a_game_is_lost_in_freecell(chunk: int, rules: Rules) -> None:
    """And in FreeCell itself all states are looked at, each once; the size of the floods turns no verdict."""
    found = dict.fromkeys((walk.EXHAUSTED, walk.WON, walk.FULL), 0)
    wrong_wins = 0
    for seed, position in games(range(8000 + 400 * chunk, 8000 + 400 * (chunk + 1))):
        if is_won(*encode(position.board)[1:]):
            continue
        whole, *parts = (walked(position, 40_000, first_flood, rules) for first_flood in (1 << 20, 64, 1))
        found[whole.status] += 1
        expected = enumerate_states(*position, 50_000)
        if whole.status == walk.EXHAUSTED:
            assert expected.verdict != Verdict.SOLVABLE, f"seed {seed}"
            assert rules != FREECELL or expected.states == whole.states, f"seed {seed}"
        wrong_wins += whole.status == walk.WON and expected.verdict == Verdict.UNSOLVABLE
        for part in parts:
            assert part.status in (whole.status, walk.FULL) or whole.status == walk.FULL, f"seed {seed}"
            assert part.status != walk.EXHAUSTED or part.states >= whole.states, f"seed {seed}"
    assert found[walk.EXHAUSTED] > 80
    assert found[walk.WON] > 80
    assert wrong_wins < (1 if rules == FREECELL else 8)


@pytest.mark.parametrize(("number", "cells"), [(11982, 4), (617, 3), (12, 1), (146692, 4), (187, 2), (27, 1)])
def test_a_proof_of_a_deal_looks_at_all_its_states(number: int, cells: int) -> None:
    position = Position(freecell_deal(number), cells)
    whole = walked(position, 1_000_000, 1 << 20, FREECELL)
    parts = walked(position, 1_000_000, class_walk.FIRST_FLOOD, FREECELL)
    assert whole.status == parts.status == walk.EXHAUSTED
    assert whole.states == enumerate_states(*position, 1_000_000).states <= parts.states
    looser = walked(position, 1_000_000, 1 << 20)
    assert looser.status == walk.EXHAUSTED
    assert looser.states < whole.states


@pytest.mark.parametrize(("number", "cells"), [(164, 0), (12392, 0), (2, 1), (3, 2), (1, 3), (1, 4), (617, 4)])
@pytest.mark.parametrize("rules", RULES)
def test_a_win_of_a_deal_is_followed_through_freecell(number: int, cells: int, rules: Rules) -> None:
    """By the stages of the win that the walk found, or not at all; and what is found is a line of FreeCell's moves."""
    deal, word0, word1 = encode(freecell_deal(number))
    estimate = make_estimate(deal, EARLY[0])
    outcome = class_walk.follow(deal, word0, word1, Game(cells, *rules), estimate, 1_000_000, 1_000_000)
    assert outcome.status == walk.WON or rules != FREECELL
    keys = [(int(first), int(second)) for first, second in outcome.path]
    assert not keys or (keys[0] == (word0, word1) and is_won(*outcome.path[-1]))
    for here, there in pairwise(keys):
        assert there in successors(deal, here, cells, runs=True)


def test_a_walk_kept_to_a_corridor_proves_nothing() -> None:
    deal, word0, word1 = encode(freecell_deal(2))
    estimate = make_estimate(deal, EARLY[0])
    corridor = make_corridor([stage_of(deal, word0, word1)])
    outcome = walk.explore(deal, word0, word1, 4, estimate, 1_000_000, corridor)
    assert (outcome.status, len(outcome.path)) == (walk.FULL, 0)
    assert 0 < outcome.states < 1_000_000


def test_a_win_that_only_the_looser_game_has_is_no_verdict() -> None:
    """Deal 3880 is lost with one cell, but not where twins swap."""
    deal, word0, word1 = encode(freecell_deal(3880))
    estimate = make_estimate(deal, EARLY[0])
    assert explore(deal, word0, word1, Game(1, *LOOSEST), estimate, 1_000_000).status == walk.WON
    assert class_walk.follow(deal, word0, word1, Game(1, *LOOSEST), estimate, 1_000_000, 100_000).status == walk.FULL


@pytest.mark.parametrize("state_limit", [1, 100, 5_000])
def test_a_walk_that_is_cut_short_says_so(state_limit: int) -> None:
    outcome = walked(Position(freecell_deal(11982), 4), state_limit, class_walk.FIRST_FLOOD)
    assert outcome.status == walk.FULL
    assert 0 < outcome.states <= state_limit
    assert not len(outcome.path)


def test_the_order_of_walks_changes_nothing() -> None:
    walks = [
        (position, 20_000, first_flood) for _, position in games(range(9900, 9940)) for first_flood in (1, 64, 4096)
    ]
    before = [(outcome.status, outcome.states) for outcome in (walked(*each) for each in walks)]
    after = [(outcome.status, outcome.states) for outcome in (walked(*each) for each in reversed(walks))]
    assert after[::-1] == before


@pytest.mark.parametrize("slice_states", [1, 500])
def test_slices_change_nothing(slice_states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = [(position, 5_000, class_walk.FIRST_FLOOD) for _, position in games(range(9800, 9830))]
    expected = [(outcome.status, outcome.states) for outcome in (walked(*each) for each in walks)]
    monkeypatch.setattr(class_walk, "SLICE", slice_states)
    assert [(outcome.status, outcome.states) for outcome in (walked(*each) for each in walks)] == expected


# Who changes the walk on purpose raises SEARCH_VERSION, and copies what the failing test prints.
PINNED_VERSION = 3
PINNED = {
    0: (963, "e3b0c44298fc"),
    1: (153377, "386a585d6238"),
    2: (250173, "6294d363d55c"),
    3: (102776, "d392e21e8fc7"),
    4: (70540, "08268f3c048e"),
}


def test_the_signature() -> None:
    """States and paths of a fixed set of walks change only on purpose, with a new SEARCH_VERSION."""
    found = {cells: _signature(cells) for cells in range(5)}
    assert (SEARCH_VERSION, found) == (PINNED_VERSION, PINNED), (
        f"if this change is meant:\nPINNED_VERSION = {SEARCH_VERSION}\nPINNED = {found}"
    )


def _signature(cells: int) -> tuple[int, str]:
    outcomes = [
        walked(Position(freecell_deal(number), cells), 20_000, class_walk.FIRST_FLOOD) for number in range(1, 41)
    ]
    paths = b"".join(outcome.path.tobytes() for outcome in outcomes)
    return sum(outcome.states for outcome in outcomes), hashlib.sha256(paths).hexdigest()[:12]
