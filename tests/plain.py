"""The slow twin: FreeCell's states counted by the plainest Python, with any rule of autoplay.

It shares nothing with the package but the numbers of the cards (``4 * rank + suit``; clubs, diamonds, hearts, spades).
"""

from collections.abc import Callable, Iterator

from solvers.deals import Board

# Told a card that fits its foundation and the foundations' heights; whether the card goes up by itself.
Autoplay = Callable[[int, tuple[int, ...]], bool]
State = tuple[tuple[tuple[int, ...], ...], tuple[int, ...], tuple[int, ...]]


def is_red(card: int) -> bool:
    return card % 4 in (1, 2)


def never(card: int, home: tuple[int, ...]) -> bool:
    """Autoplay off."""
    return False


def always(card: int, home: tuple[int, ...]) -> bool:
    """Wrong: every card that fits goes home."""
    return True


def without_same_colour(card: int, home: tuple[int, ...]) -> bool:
    """Wrong: both foundations of the other colour at rank - 2 are taken to be enough."""
    rank = card // 4 + 1
    return rank <= 2 or all(home[suit] >= rank - 2 for suit in range(4) if is_red(suit) != is_red(card))


def safe(card: int, home: tuple[int, ...]) -> bool:
    """The rule: nothing that may still lie on the card needs it, and what could is free to go home."""
    rank = card // 4 + 1
    other_colour = [home[suit] for suit in range(4) if is_red(suit) != is_red(card)]
    twin = next(home[suit] for suit in range(4) if is_red(suit) == is_red(card) and suit != card % 4)
    if rank <= 2 or all(height >= rank - 1 for height in other_colour):
        return True
    return all(height >= rank - 2 for height in other_colour) and twin >= rank - 3


def settle(columns: list[list[int]], cells: list[int], home: list[int], autoplay: Autoplay) -> State:
    """Let autoplay happen, then put columns and cells into one order."""
    going = True
    while going:
        going = False
        for pile in [*columns, *([card] for card in cells)]:
            if pile and home[pile[-1] % 4] == pile[-1] // 4 and autoplay(pile[-1], tuple(home)):
                card = pile.pop()
                if card in cells:
                    cells.remove(card)
                home[card % 4] += 1
                going = True
    return tuple(sorted(map(tuple, columns))), tuple(sorted(cells)), tuple(home)


def successors(state: State, cell_count: int, autoplay: Autoplay) -> Iterator[State]:
    """Yield the states that one card's move leads to."""
    columns, cells, home = state
    free = [(column[-1], index) for index, column in enumerate(columns) if column] + [(card, None) for card in cells]
    for card, source in free:
        for target in ["home", "cell", *range(len(columns))]:
            if target == "home":
                is_legal = home[card % 4] == card // 4
            elif target == "cell":
                is_legal = source is not None and len(cells) < cell_count
            else:
                is_legal = is_taken(card, columns[int(target)])
            if is_legal:
                yield settle(*moved(state, card, source, target), autoplay)


def is_taken(card: int, column: tuple[int, ...]) -> bool:
    """Tell whether a card goes onto a column: an empty one, or a card one rank higher of the other colour."""
    return not column or (column[-1] // 4 == card // 4 + 1 and is_red(column[-1]) != is_red(card))


def moved(
    state: State, card: int, source: int | None, target: str | int
) -> tuple[list[list[int]], list[int], list[int]]:
    """Return columns, cells and foundations after a move from a column, or from a cell where ``source`` is none."""
    columns, cells, home = [list(column) for column in state[0]], list(state[1]), list(state[2])
    if source is None:
        cells.remove(card)
    else:
        columns[source].pop()
    if target == "home":
        home[card % 4] += 1
    elif target == "cell":
        cells.append(card)
    else:
        columns[int(target)].append(card)
    return columns, cells, home


def enumerate_plainly(board: Board, cell_count: int, state_limit: int, autoplay: Autoplay) -> tuple[str, set[State]]:
    """Return the verdict and the states reached: all of them, unless one is won or there are more than the limit."""
    start = settle([list(c) for c in board.columns], list(board.cells), list(board.foundations), autoplay)
    seen = {start}
    waiting = [start]
    if sum(start[2]) == 52:
        return "solvable", seen
    while waiting:
        for state in successors(waiting.pop(), cell_count, autoplay):
            if state in seen:
                continue
            if len(seen) == state_limit:
                return "undecided", seen
            seen.add(state)
            waiting.append(state)
            if sum(state[2]) == 52:
                return "solvable", seen
    return "unsolvable", seen
