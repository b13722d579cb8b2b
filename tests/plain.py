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
    piles = columns
    going = True
    while going:
        going = False
        for pile in [*piles, *([card] for card in cells)]:
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
    sources = [*range(len(columns)), *(-1 - index for index in range(len(cells)))]
    for source in sources:
        if source >= 0 and not columns[source]:
            continue
        card = columns[source][-1] if source >= 0 else cells[-1 - source]
        for target in ["home", "cell", *range(len(columns))]:
            new_columns, new_cells, new_home = [list(column) for column in columns], list(cells), list(home)
            if source >= 0:
                new_columns[source].pop()
            else:
                new_cells.remove(card)
            if target == "home":
                if home[card % 4] != card // 4:
                    continue
                new_home[card % 4] += 1
            elif target == "cell":
                if source < 0 or len(cells) == cell_count:
                    continue
                new_cells.append(card)
            else:
                column = columns[int(target)]
                if column and (column[-1] // 4 != card // 4 + 1 or is_red(column[-1]) == is_red(card)):
                    continue
                new_columns[int(target)].append(card)
            yield settle(new_columns, new_cells, new_home, autoplay)


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
