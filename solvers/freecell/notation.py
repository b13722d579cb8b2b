"""Solutions as people write them: the standard notation of FreeCell programs and forums.

A move is from and to, as in ``3a`` or ``a7``: columns 1 to 8, cells a to d, h for home. Where a run of more than one
card goes into an empty column, ``v`` and the number of cards follow, one hexadecimal digit (``35v4``). Moves home that
autoplay makes are written out in parentheses, ``(5h)``: a program that makes them by itself skips them, one with no
autoplay or another one follows by playing them.
"""

from solvers.deals import Board
from solvers.freecell.referee import Move, Position, parse_moves

MOVES_A_LINE = 10


def expand(board: Board, cells: int, solution: str) -> list[str]:
    """Return a solution in standard notation as lines of ten moves (arguments and errors as :func:`write_moves`)."""
    moves = write_moves(board, cells, solution)
    return [" ".join(moves[start : start + MOVES_A_LINE]) for start in range(0, len(moves), MOVES_A_LINE)]


def write_moves(board: Board, cells: int, solution: str) -> list[str]:
    """Return the moves of a solution text one by one, those that autoplay makes in parentheses where they happen.

    Raises:
        RefereeError: the text holds something that is no move, or an illegal one.
        ValueError: the board does not fit the number of cells.
    """
    position = Position(board, cells)
    written = _automatic(position.autoplay())
    for move in parse_moves(solution):
        position.play(move)
        written.append(str(move))
        written += _automatic(position.autoplay())
    return written


def _automatic(moves: list[Move]) -> list[str]:
    return [f"({move})" for move in moves]
