"""Random Forty Thieves positions for comparing fast code with slow code, and fast words as the referee sees them."""

from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.forty_thieves import rules as fast
from solvers.forty_thieves.deals import COLUMNS, FOUNDATIONS, HIGHEST, PASSES, Board, Rules, forty_thieves_deal
from solvers.forty_thieves.referee import Position, PositionKey


class Game(NamedTuple):
    """A position and the rules it is played by."""

    board: Board
    rules: Rules


def midgame(seed: int) -> Game:
    """Deal a random number and play up to 150 random moves, most of them moves of cards."""
    rng = Random(f"midgame {seed}")
    position = Position(forty_thieves_deal(rng.randint(1, HIGHEST)), rng.choice(list(Rules)))
    position.autoplay()
    for _ in range(rng.randint(0, 150)):
        moves = list(position.moves())
        if not moves:
            break
        stays = [move for move in moves if move.target]
        position.play(rng.choice(stays if stays and rng.random() < 0.7 else moves))
        position.autoplay()
    return Game(position.board(), position.rules)


def small_deal(seed: int, lowest: int = 6, highest: int = 11, columns: int = 4) -> Game:
    """Spread the cards of both decks from some rank up over a few columns, the waste and the stock.

    The cards below, and some suits altogether, are home. A rank is as good as another one: such a game is a two-deck
    deal of few ranks and suits.
    """
    rng = Random(f"small {seed}")
    rules = rng.choice(list(Rules))
    suits = rng.sample(range(4), rng.choice((1, 2, 2, 3)))
    home = [rng.randint(lowest, highest) if suit // 2 in suits else 13 for suit in range(FOUNDATIONS)]
    cards = [4 * rank + suit // 2 for suit in range(FOUNDATIONS) for rank in range(home[suit], 13)]
    rng.shuffle(cards)
    width = rng.randint(1, columns)
    tableau = rng.randint(0, min(len(cards), 4 * width))
    turned = rng.choice((0, 0, rng.randint(tableau, len(cards)) - tableau))
    return Game(
        Board(
            tuple(tuple(cards[first:tableau:width]) for first in range(width)),
            tuple(cards[tableau : tableau + turned]),
            tuple(cards[tableau + turned :]),
            tuple(home),
            rng.randint(1, PASSES[rules]),
        ),
        rules,
    )


class Fast:
    """The fast rules at a game: words in, words out, as tuples."""

    def __init__(self, game: Game) -> None:
        self.deal, first = fast.encode(game.board, game.rules)
        self.first = tuple(map(int, first))
        self.longest = fast.longest_moves(game.rules)
        self.passes = PASSES[game.rules]
        self.here, self.there = np.zeros(2, dtype=fast.TABLE)
        self.successors = np.empty((fast.MAX_MOVES, fast.WORDS), dtype=np.uint64)
        self.moves = np.empty(fast.MAX_MOVES, dtype=np.int64)

    def following(self, words: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the words that each move leads to."""
        first = np.array([words], dtype=np.uint64)
        count = fast.card_moves(self.deal, first, 0, self.longest, self.here, self.there, self.successors, self.moves)
        count = fast.stock_move(self.deal, first, 0, self.passes, self.there, self.successors, self.moves, count)
        return [tuple(row) for row in self.successors[:count].tolist()]

    def key(self, words: tuple[int, ...]) -> PositionKey:
        """Return the position of words as the referee's key."""
        codes = [words[0] >> 10 * i & 1023 for i in range(6)] + [words[1] >> 10 * i & 1023 for i in range(4)]
        columns = sorted(column_of(self.deal, code) for code in codes if code != fast.NO_COLUMN)
        place = words[1] >> 40 & 127
        there = [i for i in range(64) if words[2] >> i & 1]
        waste = tuple(int(self.deal["sequence"][i]) for i in there if i < place)
        stock = tuple(int(self.deal["sequence"][i]) for i in there if i >= place)
        foundations = tuple(words[3] >> 4 * i & 15 for i in range(FOUNDATIONS))
        return tuple(columns), waste, stock, foundations, (words[1] >> 47) + 1


def column_of(deal: np.void, code: int) -> tuple[int, ...]:
    """Return the cards of a column's code."""
    if code == fast.EMPTY:
        return ()
    top, length = int(deal["top"][code]), int(deal["length"][code])
    return (*column_of(deal, int(deal["beneath"][code])), *range(top + 4 * (length - 1), top - 1, -4))


def words_array(words: tuple[int, ...]) -> NDArray[np.uint64]:
    return np.array([words], dtype=np.uint64)


def empty_board(*columns: tuple[int, ...], foundations: tuple[int, ...] = (0,) * FOUNDATIONS) -> Board:
    """Return a board of these columns, the others empty."""
    return Board((*columns, *((),) * (COLUMNS - len(columns))), foundations=foundations)
