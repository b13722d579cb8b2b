"""Random FreeCell positions for comparing fast code with slow code: the same seed gives the same position."""

from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from solvers.deals import FREECELL_COLUMNS, FREECELL_HIGHEST, Board, freecell_deal
from solvers.freecell.referee import CELL_NAMES, Position


class Game(NamedTuple):
    """A position and the number of cells it is played with."""

    board: Board
    cells: int


def midgame(seed: int) -> Game:
    """Deal a random number and play up to 60 random moves, into cells when nothing else goes."""
    rng = Random(f"midgame {seed}")
    position = Position(freecell_deal(rng.randint(1, FREECELL_HIGHEST)), rng.randint(0, 4))
    for _ in range(rng.randint(0, 60)):
        position.autoplay()
        moves = list(position.single_moves())
        if not moves:
            break
        following = position.copy()
        following.play(rng.choice([move for move in moves if move.target not in CELL_NAMES] or moves))
        if not any(following.single_moves()):
            break
        position = following
    return Game(position.board(), len(position.cells))


def endgame(seed: int, lowest_home: int = 0, highest_home: int = 6) -> Game:
    """Put cards of each suit home, about as many of each, and spread the rest at random over columns and cells."""
    rng = Random(f"endgame {seed}")
    level = rng.randint(lowest_home, highest_home)
    home = [min(13, level + rng.randint(0, 3)) for _ in range(4)]
    rest = [card for card in range(52) if card // 4 >= home[card % 4]]
    rng.shuffle(rest)
    cells = rng.choice((0, 0, 0, 0, 0, 1, 1, 2, 3, 4))
    held = [rest.pop() for _ in range(rng.randint(0, min(cells, len(rest))))]
    columns: list[list[int]] = [[] for _ in range(FREECELL_COLUMNS)]
    open_columns = rng.sample(columns, rng.choice((5, 6, 7, 8, 8, 8)))
    for index, card in enumerate(rest):
        open_columns[index % len(open_columns)].append(card)
    clubs, diamonds, hearts, spades = home
    return Game(Board(tuple(map(tuple, columns)), tuple(held), (clubs, diamonds, hearts, spades)), cells)


_SEEDS = st.integers(0, 2**32 - 1)
midgames = _SEEDS.map(midgame)
endgames = _SEEDS.map(endgame)
games = st.one_of(midgames, endgames)
