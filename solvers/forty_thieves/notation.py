"""Solutions for people: each move by itself, and the moves that autoplay makes, in parentheses, where they happen.

The moves are those of :mod:`solvers.forty_thieves.referee`. A program that makes the ones in parentheses by itself
skips them, one with no autoplay or another one follows by playing them.
"""

from solvers.forty_thieves.deals import Board, Rules
from solvers.forty_thieves.referee import Move, Position, parse_moves

MOVES_A_LINE = 10


def expand(board: Board, rules: Rules, solution: str) -> list[str]:
    """Return a solution as lines of ten moves (arguments and errors as :func:`write_moves`)."""
    moves = write_moves(board, rules, solution)
    return [" ".join(moves[start : start + MOVES_A_LINE]) for start in range(0, len(moves), MOVES_A_LINE)]


def write_moves(board: Board, rules: Rules, solution: str) -> list[str]:
    """Return the moves of a solution text one by one, those that autoplay makes in parentheses where they happen.

    Raises:
        RefereeError: the text holds something that is no move, or an illegal one.
        ValueError: the board does not fit the rules.
    """
    position = Position(board, rules)
    written = _automatic(position.autoplay())
    for move in parse_moves(solution):
        position.play(move)
        written.append(str(move))
        written += _automatic(position.autoplay())
    return written


def _automatic(moves: list[Move]) -> list[str]:
    return [f"({move})" for move in moves]
