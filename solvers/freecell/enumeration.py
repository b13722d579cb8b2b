"""Plain enumeration: counts every state that single-card moves reach from a board, the audit's second opinion.

It knows no reduction but autoplay, and shares nothing with the fast rules and the search. A state is the set of column
contents (their order does not matter) with the set of cards in cells, after autoplay; the first one is the board's own.
With autoplay off, moves home are ordinary moves and nothing goes up by itself.

The walk is depth-first over one position that is changed and changed back, so a step of the path takes one byte. The
states seen are kept as 127-bit keys in an open-addressing table: 16 bytes a slot, at most three quarters of them used,
so 21 to 43 bytes a state (and half of the table again while it doubles). A column's key folds its cards from the bottom
up through a 64-bit mix, twice over with other constants; a state's key is the sum over its columns and cells, and the
lowest bit of the second half, always set, marks a slot in use. That two of a hundred million states share a key has a
chance below 1e-22: that, and no proof, stands between a key and its state.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.cards import DECK_SIZE
from solvers.deals import FREECELL_COLUMNS, Board
from solvers.result import Verdict

MAX_CELLS = 4
SLICE_STEPS = 4_000_000  # less than a second; between slices Python sees Ctrl-C

# A move is one byte, 12 * target + source. Sources: columns 0-7, then cells 8-11. Targets: home, columns, any cell.
_SOURCES = FREECELL_COLUMNS + MAX_CELLS
_TO_HOME = 0
_TO_COLUMN = 1
_TO_CELL = _TO_COLUMN + FREECELL_COLUMNS
_NO_MOVE = _SOURCES * (_TO_CELL + 1)

_RUNNING, _TABLE_FULL, _PATH_FULL, _WON, _EXHAUSTED, _LIMIT = range(6)

_FIRST_SLOTS = 1 << 12
_FIRST_PATH = 1 << 12

_FOLD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_SPREAD = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0xFF51AFD7ED558CCD))
_SHIFT = np.uint64(32)
_IN_USE = np.uint64(1)


@dataclass(frozen=True, slots=True)
class Enumeration:
    """What an enumeration found.

    Attributes:
        verdict: solvable (it stopped at the first win), unsolvable (all states were reached, none is won) or undecided
            (there are more states than the limit).
        states: distinct states reached.
        state_limit: the limit that it ran under.
    """

    verdict: Verdict
    states: int
    state_limit: int


# A walk between two steps, but for its path and the states seen. One record, whose parts compiled functions reach
# without counting references: a tuple of arrays made the walk fifty times slower.
_WALK = np.dtype(
    [
        ("columns", np.uint8, (FREECELL_COLUMNS, DECK_SIZE)),  # cards from bottom to top
        ("lengths", np.int64, FREECELL_COLUMNS),  # cards in each column
        ("folds", np.uint64, (FREECELL_COLUMNS, DECK_SIZE + 1, 2)),  # keys of each column's lowest n cards
        ("cells", np.uint8, MAX_CELLS),  # the first ``cells_in_use`` hold a card
        ("cells_in_use", np.int64),
        ("home", np.int64, 4),  # cards home of each suit
        ("homeward", np.int64, (DECK_SIZE, 3)),  # cards gone home along the path: at which depth, from where, which
        ("homeward_count", np.int64),
        ("key", np.uint64, 2),  # the state's key, the sum over its columns and cells
        ("tags", np.uint64, (DECK_SIZE, 2)),  # random numbers of each card
        ("depth", np.int64),  # moves on the path
        ("cursor", np.int64),  # the first move to try next
        ("states", np.int64),
        ("state_limit", np.int64),
        ("cell_count", np.int64),
        ("is_autoplay", np.int64),
    ],
    align=True,
)


def enumerate_states(
    board: Board, cells: int, state_limit: int, is_autoplay: bool = True, slice_steps: int = SLICE_STEPS
) -> Enumeration:
    """Reach every state from a board with 0 to 4 cells, up to the first win or the limit.

    ``slice_steps`` is how many moves one compiled call makes or takes back at most; it changes no count.

    Raises:
        ValueError: the cells are not 0 to 4 or fewer than the board's cells hold, or the limit is below 1.
    """
    if not len(board.cells) <= cells <= MAX_CELLS:
        held = len(board.cells)
        raise ValueError(f"{cells} cells for a board with {held} cards in cells (0 to {MAX_CELLS} are played)")
    if state_limit < 1:
        raise ValueError(f"a limit of {state_limit} states leaves no room for the first")
    walks = _start(board, cells, state_limit, is_autoplay)
    path = np.zeros(_FIRST_PATH, np.uint8)
    table = np.zeros((_FIRST_SLOTS, 2), np.uint64)
    status = _open(walks, table)
    while status in (_RUNNING, _TABLE_FULL, _PATH_FULL):
        if status == _TABLE_FULL:
            table = _doubled(table)
        elif status == _PATH_FULL:
            path = np.concatenate((path, np.zeros_like(path)))
        status = _run(walks, path, table, slice_steps)
    verdict = {_WON: Verdict.SOLVABLE, _EXHAUSTED: Verdict.UNSOLVABLE, _LIMIT: Verdict.UNDECIDED}[status]
    return Enumeration(verdict, int(walks["states"][0]), state_limit)


def _start(board: Board, cells: int, state_limit: int, is_autoplay: bool) -> NDArray[Any]:
    """Return an array of one walk, at the board."""
    walks = np.zeros(1, _WALK)
    walks["home"] = board.foundations
    walks["tags"] = np.random.default_rng(0).integers(0, 2**64, (DECK_SIZE, 2), np.uint64)
    walks["cell_count"] = cells
    walks["state_limit"] = state_limit
    walks["is_autoplay"] = is_autoplay
    for place, column in enumerate(board.columns):
        for card in column:
            _lay(walks, place, card)
    for card in board.cells:
        _lay(walks, FREECELL_COLUMNS, card)
    return walks


@njit(cache=True, nogil=True)
def _lay(walks, place, card):
    """Lay a card on a column, or in a cell when the place is no column."""
    if place < FREECELL_COLUMNS:
        _push(walks[0], place, card)
    else:
        _push_cell(walks[0], card)


@njit(cache=True, nogil=True)
def _open(walks, table):
    """Autoplay the board and note it as the first state; return the status."""
    walk = walks[0]
    if walk.is_autoplay:
        _autoplay(walk)
        walk.homeward_count = 0  # never to be taken back
    _note(walk, table, _find(table, walk.key[0], walk.key[1] | _IN_USE))
    return _WON if _is_won(walk) else _RUNNING


@njit(cache=True, nogil=True)
def _run(walks, path, table, slice_steps):
    """Walk on for so many steps, or until the walk ends or an array must grow; return the status."""
    walk = walks[0]
    for _ in range(slice_steps):
        if walk.depth == path.size:
            return _PATH_FULL
        if 4 * walk.states >= 3 * table.shape[0]:
            return _TABLE_FULL
        move = _next_move(walk)
        if move != _NO_MOVE:
            status = _step(walk, path, table, move)
            if status != _RUNNING:
                return status
        elif walk.depth > 0:
            walk.depth -= 1
            _undo(walk, np.int64(path[walk.depth]))
        else:
            return _EXHAUSTED
    return _RUNNING


@njit(cache=True, nogil=True)
def _step(walk, path, table, move):
    """Make a move and stay if it leads to a new state, else take it back; return the status."""
    _make(walk, move)
    slot = _find(table, walk.key[0], walk.key[1] | _IN_USE)
    if table[slot, 1] != 0:
        _undo(walk, move)
        return _RUNNING
    if walk.states == walk.state_limit:
        return _LIMIT
    _note(walk, table, slot)
    path[walk.depth] = move
    walk.depth += 1
    walk.cursor = 0
    return _WON if _is_won(walk) else _RUNNING


@njit(cache=True, nogil=True)
def _next_move(walk):
    """Return the first legal move not yet tried here, ``_NO_MOVE`` if there is none."""
    sources = FREECELL_COLUMNS + walk.cells_in_use
    source = walk.cursor % _SOURCES
    for target in range(walk.cursor // _SOURCES, _TO_CELL + 1):
        while source < sources:
            if _is_legal(walk, source, target):
                return _SOURCES * target + source
            source += 1
        source = 0
    return _NO_MOVE


@njit(cache=True, nogil=True)
def _is_legal(walk, source, target):
    """Tell whether a source has a card and the target takes it.

    The only card of a column goes into no empty one, for that leads to the same state.
    """
    if source < FREECELL_COLUMNS and walk.lengths[source] == 0:
        return False
    card = _top(walk, source)
    if target == _TO_HOME:
        return walk.home[card & 3] == card >> 2
    if target == _TO_CELL:
        return source < FREECELL_COLUMNS and walk.cells_in_use < walk.cell_count
    place = target - _TO_COLUMN
    if walk.lengths[place] == 0:
        return _is_first_empty(walk, place) and (source >= FREECELL_COLUMNS or walk.lengths[source] > 1)
    parent = _top(walk, place)
    return parent >> 2 == (card >> 2) + 1 and _colour(parent) != _colour(card)


@njit(cache=True, nogil=True)
def _is_first_empty(walk, place):
    """Tell whether no column before an empty one is empty: empty columns are alike, so only the first is a target."""
    earlier = 0
    while walk.lengths[earlier] > 0:
        earlier += 1
    return earlier == place


@njit(cache=True, nogil=True)
def _make(walk, move):
    """Make a move and the autoplay that follows."""
    source, target = move % _SOURCES, move // _SOURCES
    if target == _TO_HOME:
        _send_home(walk, source)
    elif target == _TO_CELL:
        _push_cell(walk, _take(walk, source))
    else:
        _push(walk, target - _TO_COLUMN, _take(walk, source))
    if walk.is_autoplay:
        _autoplay(walk)


@njit(cache=True, nogil=True)
def _undo(walk, move):
    """Take back a move made at the present depth, its autoplay first; the next move to try is the one after it."""
    source, target = move % _SOURCES, move // _SOURCES
    while walk.homeward_count > 0 and walk.homeward[walk.homeward_count - 1, 0] == walk.depth:
        walk.homeward_count -= 1
        card = walk.homeward[walk.homeward_count, 2]
        walk.home[card & 3] -= 1
        _put_back(walk, walk.homeward[walk.homeward_count, 1], card)
    if target == _TO_CELL:
        _put_back(walk, source, _take(walk, FREECELL_COLUMNS + walk.cells_in_use - 1))
    elif target != _TO_HOME:
        _put_back(walk, source, _take(walk, target - _TO_COLUMN))
    walk.cursor = move + 1


@njit(cache=True, nogil=True)
def _autoplay(walk):
    """Send safe cards home until there are none."""
    source = 0
    while source < FREECELL_COLUMNS + walk.cells_in_use:
        if _is_legal(walk, source, _TO_HOME) and _is_safe(walk.home, _top(walk, source)):
            _send_home(walk, source)
            source = 0
        else:
            source += 1


@njit(cache=True, nogil=True)
def _is_safe(home, card):
    """Tell whether a card that fits its foundation can go up without ever changing what can be won.

    These are aces and twos, a card whose two foundations of the other colour are both up to its rank - 1, and one
    where they are both up to its rank - 2 and the other foundation of its own colour is up to its rank - 3.
    """
    number = (card >> 2) + 1
    suit = card & 3
    others = min(home[0], home[3]) if _colour(card) else min(home[1], home[2])
    return number <= 2 or others >= number - 1 or (others >= number - 2 and home[3 - suit] >= number - 3)


@njit(cache=True, nogil=True)
def _send_home(walk, source):
    """Move a source's card to its foundation, and note it."""
    card = _take(walk, source)
    walk.home[card & 3] += 1
    walk.homeward[walk.homeward_count, 0] = walk.depth
    walk.homeward[walk.homeward_count, 1] = source
    walk.homeward[walk.homeward_count, 2] = card
    walk.homeward_count += 1


@njit(cache=True, nogil=True)
def _is_won(walk):
    """Tell whether all cards are home."""
    return walk.home[0] + walk.home[1] + walk.home[2] + walk.home[3] == DECK_SIZE


@njit(cache=True, nogil=True)
def _colour(card):
    """Return 1 for diamonds (1) and hearts (2), 0 for clubs (0) and spades (3)."""
    return (card ^ (card >> 1)) & 1


@njit(cache=True, nogil=True)
def _top(walk, source):
    """Return the free card of a source that has one."""
    if source < FREECELL_COLUMNS:
        return np.int64(walk.columns[source, walk.lengths[source] - 1])
    return np.int64(walk.cells[source - FREECELL_COLUMNS])


@njit(cache=True, nogil=True)
def _take(walk, source):
    """Take the free card off a source and return it; the last cell in use fills the gap that a cell leaves."""
    card = _top(walk, source)
    if source < FREECELL_COLUMNS:
        length = walk.lengths[source]
        for half in range(2):
            walk.key[half] += walk.folds[source, length - 1, half] - walk.folds[source, length, half]
        walk.lengths[source] = length - 1
    else:
        last = walk.cells_in_use - 1
        for half in range(2):
            walk.key[half] -= walk.tags[card, half]
        walk.cells[source - FREECELL_COLUMNS] = walk.cells[last]
        walk.cells_in_use = last
    return card


@njit(cache=True, nogil=True)
def _put_back(walk, source, card):
    """Undo :func:`_take`, to the same place."""
    if source < FREECELL_COLUMNS:
        _push(walk, source, card)
    else:
        for half in range(2):
            walk.key[half] += walk.tags[card, half]
        walk.cells[walk.cells_in_use] = walk.cells[source - FREECELL_COLUMNS]
        walk.cells[source - FREECELL_COLUMNS] = card
        walk.cells_in_use += 1


@njit(cache=True, nogil=True)
def _push(walk, place, card):
    """Lay a card on a column."""
    length = walk.lengths[place]
    for half in range(2):
        fold = (walk.folds[place, length, half] + walk.tags[card, half]) * _FOLD[half]
        fold = (fold ^ (fold >> _SHIFT)) * _SPREAD[half]
        fold ^= fold >> _SHIFT
        walk.folds[place, length + 1, half] = fold
        walk.key[half] += fold - walk.folds[place, length, half]
    walk.columns[place, length] = card
    walk.lengths[place] = length + 1


@njit(cache=True, nogil=True)
def _push_cell(walk, card):
    """Lay a card in the next cell."""
    for half in range(2):
        walk.key[half] += walk.tags[card, half]
    walk.cells[walk.cells_in_use] = card
    walk.cells_in_use += 1


@njit(cache=True, nogil=True)
def _find(table, key0, key1):
    """Return the slot of a key, or the free one where it belongs; the table is never full."""
    mask = np.uint64(table.shape[0] - 1)
    slot = key0 & mask
    while table[slot, 1] != 0 and (table[slot, 0] != key0 or table[slot, 1] != key1):
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True, nogil=True)
def _note(walk, table, slot):
    """Store the present state's key in a free slot and count the state."""
    table[slot, 0] = walk.key[0]
    table[slot, 1] = walk.key[1] | _IN_USE
    walk.states += 1


@njit(cache=True, nogil=True)
def _doubled(table):
    """Return a table twice as large with the same keys."""
    larger = np.zeros((2 * table.shape[0], 2), np.uint64)
    for old in range(table.shape[0]):
        if table[old, 1] != 0:
            new = _find(larger, table[old, 0], table[old, 1])
            larger[new, 0] = table[old, 0]
            larger[new, 1] = table[old, 1]
    return larger
