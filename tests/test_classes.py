"""Classes of states: what is joined, what leaves, and that a walk over them misses nothing of plain enumeration."""

import hashlib
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from boards import Game, endgame, midgame
from numpy.typing import NDArray

from solvers.deals import freecell_deal
from solvers.freecell import class_walk, walk
from solvers.freecell.class_walk import explore
from solvers.freecell.classes import packed_form
from solvers.freecell.enumeration import enumerate_states
from solvers.freecell.estimate import make_estimate
from solvers.freecell.rules import MAX_MOVES, encode, is_won, run_moves, single_moves
from solvers.freecell.search import PORTFOLIO, SEARCH_VERSION
from solvers.result import Verdict

Key = tuple[int, int]


def games(seeds: range) -> Iterator[tuple[int, Game]]:
    """Yield positions from all stages of play, by 0 to 4 cells, each with its seed."""
    for seed in seeds:
        yield seed, midgame(seed) if Random(seed).random() < 0.4 else endgame(seed)


def walked(game: Game, state_limit: int, first_flood: int) -> walk.Outcome:
    """Walk; assert that a win comes with a path to it."""
    deal, word0, word1 = encode(game.board)
    estimate = make_estimate(deal, PORTFOLIO[0])
    outcome = explore(deal, word0, word1, game.cells, estimate, state_limit, first_flood)
    if outcome.status == walk.WON:
        assert_is_path(outcome.path, deal, (int(word0), int(word1)), game.cells)
    return outcome


def successors(deal: np.void, key: Key, cells: int, runs: bool = False) -> list[Key]:
    words = np.empty((MAX_MOVES, 2), dtype=np.uint64)
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    where = np.uint64(key[0]), np.uint64(key[1])
    count = single_moves(deal, *where, cells, words, moves)
    if runs:
        count = run_moves(deal, *where, cells, words, moves, count)
    return [(int(word0), int(word1)) for word0, word1 in words[:count]]


def packing(deal: np.void, key: Key, cells: int) -> Key:
    word0, word1 = packed_form(deal, np.uint64(key[0]), np.uint64(key[1]), cells)
    return int(word0), int(word1)


def reachable(deal: np.void, start: Key, cells: int, most: int) -> dict[Key, list[Key]] | None:
    """Return all states with what one card's move leads to from each; None if they are too many or one wins."""
    found: dict[Key, list[Key]] = {}
    waiting = [start]
    while waiting:
        key = waiting.pop()
        if key in found:
            continue
        if len(found) == most or is_won(np.uint64(key[0]), np.uint64(key[1])):
            return None
        found[key] = successors(deal, key, cells)
        waiting += found[key]
    return found


def components(graph: dict[Key, list[Key]]) -> dict[Key, Key]:
    """Return each state's class by the definition: joined are two states that lead to one another at once."""
    roots = {key: key for key in graph}

    def root(key: Key) -> Key:
        while roots[key] != key:
            key = roots[key]
        return key

    for key, following in graph.items():
        for other in following:
            if key in graph[other]:
                roots[root(key)] = root(other)
    return {key: root(key) for key in graph}


def assert_is_path(path: NDArray[np.uint64], deal: np.void, start: Key, cells: int) -> None:
    keys = [(int(word0), int(word1)) for word0, word1 in path]
    assert keys[0] == start
    assert is_won(*path[-1])
    for here, there in pairwise(keys):
        assert there in successors(deal, here, cells, runs=True)


@pytest.mark.parametrize("chunk", range(4))
def test_a_packed_form_is_a_member_and_packs_no_further(chunk: int) -> None:
    compared = 0
    for seed, game in games(range(7000 + 150 * chunk, 7000 + 150 * (chunk + 1))):
        deal, word0, word1 = encode(game.board)
        graph = reachable(deal, (int(word0), int(word1)), game.cells, 1_500)
        if graph is None:
            continue
        classes = components(graph)
        for key in graph:
            form = packing(deal, key, game.cells)
            assert classes[form] == classes[key], f"seed {seed}"
            assert packing(deal, form, game.cells) == form, f"seed {seed}"
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("chunk", range(10))
def test_a_walk_misses_nothing_of_plain_enumeration(chunk: int) -> None:
    """With a single flood for each class, the states of a proof are all states, each once; with more, some again."""
    found = dict.fromkeys((walk.EXHAUSTED, walk.WON, walk.FULL), 0)
    for seed, game in games(range(8000 + 400 * chunk, 8000 + 400 * (chunk + 1))):
        if is_won(*encode(game.board)[1:]):
            continue
        whole, *parts = (walked(game, 40_000, first_flood) for first_flood in (1 << 20, 64, 1))
        found[whole.status] += 1
        if whole.status == walk.EXHAUSTED:
            expected = enumerate_states(*game, 50_000)
            assert (expected.verdict, expected.states) == (Verdict.UNSOLVABLE, whole.states), f"seed {seed}"
        for part in parts:
            assert part.status in (whole.status, walk.FULL) or whole.status == walk.FULL, f"seed {seed}"
            assert part.status != walk.EXHAUSTED or part.states >= whole.states, f"seed {seed}"
    assert found[walk.EXHAUSTED] > 80
    assert found[walk.WON] > 80


@pytest.mark.parametrize(("number", "cells"), [(11982, 4), (617, 3), (12, 1), (146692, 4), (187, 2), (27, 1)])
def test_a_proof_of_a_deal_looks_at_all_its_states(number: int, cells: int) -> None:
    game = Game(freecell_deal(number), cells)
    whole, parts = walked(game, 1_000_000, 1 << 20), walked(game, 1_000_000, class_walk.FIRST_FLOOD)
    assert whole.status == parts.status == walk.EXHAUSTED
    assert whole.states == enumerate_states(*game, 1_000_000).states <= parts.states


@pytest.mark.parametrize(("number", "cells"), [(164, 0), (12392, 0), (2, 1), (3, 2), (1, 3), (1, 4), (617, 4)])
@pytest.mark.parametrize("first_flood", [1, 64, class_walk.FIRST_FLOOD])
def test_a_win_of_a_deal_comes_with_its_path(number: int, cells: int, first_flood: int) -> None:
    assert walked(Game(freecell_deal(number), cells), 3_000_000, first_flood).status == walk.WON


@pytest.mark.parametrize("state_limit", [1, 100, 5_000])
def test_a_walk_that_is_cut_short_says_so(state_limit: int) -> None:
    outcome = walked(Game(freecell_deal(11982), 4), state_limit, class_walk.FIRST_FLOOD)
    assert outcome.status == walk.FULL
    assert 0 < outcome.states <= state_limit
    assert not len(outcome.path)


def test_the_order_of_walks_changes_nothing() -> None:
    walks = [(game, 20_000, first_flood) for _, game in games(range(9900, 9940)) for first_flood in (1, 64, 4096)]
    before = [(outcome.status, outcome.states) for outcome in (walked(*each) for each in walks)]
    after = [(outcome.status, outcome.states) for outcome in (walked(*each) for each in reversed(walks))]
    assert after[::-1] == before


@pytest.mark.parametrize("slice_states", [1, 500])
def test_slices_change_nothing(slice_states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = [(game, 5_000, class_walk.FIRST_FLOOD) for _, game in games(range(9800, 9830))]
    expected = [(outcome.status, outcome.states) for outcome in (walked(*each) for each in walks)]
    monkeypatch.setattr(class_walk, "SLICE", slice_states)
    assert [(outcome.status, outcome.states) for outcome in (walked(*each) for each in walks)] == expected


# Who changes the walk on purpose raises SEARCH_VERSION, and copies what the failing test prints.
PINNED_VERSION = 2
PINNED = {
    0: (1182, "e3b0c44298fc"),
    1: (211910, "4df34afa406b"),
    2: (598109, "974b06e140a0"),
    3: (599459, "4dc36069917e"),
    4: (544416, "158734579a99"),
}


def test_the_signature() -> None:
    """States and paths of a fixed set of walks change only on purpose, with a new SEARCH_VERSION."""
    found = {cells: _signature(cells) for cells in range(5)}
    assert (SEARCH_VERSION, found) == (PINNED_VERSION, PINNED), (
        f"if this change is meant:\nPINNED_VERSION = {SEARCH_VERSION}\nPINNED = {found}"
    )


def _signature(cells: int) -> tuple[int, str]:
    outcomes = [walked(Game(freecell_deal(number), cells), 20_000, class_walk.FIRST_FLOOD) for number in range(1, 41)]
    paths = b"".join(outcome.path.tobytes() for outcome in outcomes)
    return sum(outcome.states for outcome in outcomes), hashlib.sha256(paths).hexdigest()[:12]
