"""The slow twin: Forty Thieves' states counted by the plainest Python, with any rule of autoplay.

It shares nothing with the package but the numbers of the cards (``4 * rank + suit``) and the form of a board. Cards
move one at a time under Classic rules, so that the limits on runs follow from the walk itself; under Relaxed rules runs
move as they are.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

from solvers.forty_thieves.deals import Board, Rules

# Told a card that fits a foundation and the heights of its suit's two; whether the card goes up by itself.
Autoplay = Callable[[int, tuple[int, int]], bool]
Columns = tuple[tuple[int, ...], ...]
Home = tuple[tuple[int, int], ...]
# Columns, waste, stock (next card first), the two foundations of each suit, the number of redeals left.
State = tuple[Columns, tuple[int, ...], tuple[int, ...], Home, int]


def never(card: int, home: tuple[int, int]) -> bool:
    """Autoplay off."""
    return False


def safe(card: int, home: tuple[int, int]) -> bool:
    """The rule: both foundations have all the lower cards."""
    return min(home) >= card // 4


def too_eager(card: int, home: tuple[int, int]) -> bool:
    """Wrong: one card less on the lower foundation is taken to be enough."""
    return min(home) >= card // 4 - 1


def raised(home: Home, card: int) -> Home | None:
    """Return the foundations with one more card, None where it does not fit."""
    low, high = home[card % 4]
    if card // 4 not in (low, high):
        return None
    pair = (low, high + 1) if high == card // 4 else (low + 1, high)
    return (*home[: card % 4], pair, *home[card % 4 + 1 :])


def settle(state: State, autoplay: Autoplay) -> State:
    """Let autoplay happen, then put columns into one order."""
    columns, waste, stock, home, redeals = state
    for index, pile in enumerate((*columns, waste)):
        higher = raised(home, pile[-1]) if pile and autoplay(pile[-1], home[pile[-1] % 4]) else None
        if higher is not None:
            if index < len(columns):
                return settle((replaced(columns, {index: pile[:-1]}), waste, stock, higher, redeals), autoplay)
            return settle((columns, waste[:-1], stock, higher, redeals), autoplay)
    return tuple(sorted(columns)), waste, stock, home, redeals


def replaced(columns: Columns, changes: dict[int, tuple[int, ...]]) -> Columns:
    return tuple(changes.get(index, column) for index, column in enumerate(columns))


def successors(state: State, rules: Rules) -> Iterator[State]:
    """Yield the states that one move leads to, before autoplay."""
    columns, waste, stock, home, redeals = state
    if stock:
        yield columns, (*waste, stock[0]), stock[1:], home, redeals
    elif redeals and waste:
        yield columns, (), waste, home, redeals - 1
    for source, column in enumerate(columns):
        runs = [column[-1:]] if column and rules == Rules.CLASSIC else runs_of(column)
        for run, cards, higher in moves_of(runs, columns, home, source):
            left = replaced(cards, {source: column[: -len(run)]})
            yield left, waste, stock, higher, redeals
    if waste:
        for _, cards, higher in moves_of([waste[-1:]], columns, home, None):
            yield cards, waste[:-1], stock, higher, redeals


def runs_of(column: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the parts of a column that may move together, the shortest first."""
    lengths = range(1, len(column) + 1)
    return [run for run in (column[-n:] for n in lengths) if all(a - 4 == b for a, b in pairwise(run))]


def moves_of(
    runs: list[tuple[int, ...]], columns: Columns, home: Home, source: int | None
) -> Iterator[tuple[tuple[int, ...], Columns, Home]]:
    """Yield the runs that go somewhere, with the columns (not yet without the run) and the foundations afterwards."""
    for run in runs:
        if len(run) == 1 and (higher := raised(home, run[0])):
            yield run, columns, higher
        for target, onto in enumerate(columns):
            if target != source and takes(onto, run[0]):
                yield run, replaced(columns, {target: onto + run}), home


def takes(column: tuple[int, ...], card: int) -> bool:
    """Tell whether a column takes a card: an empty one, or one whose top card is the next rank of the suit."""
    return not column or column[-1] == card + 4


def enumerate_plainly(
    board: Board, rules: Rules, state_limit: int, autoplay: Autoplay, is_enough: Callable[[State], bool] | None = None
) -> tuple[str, set[State]]:
    """Return the verdict and the states reached: all of them, unless one is enough or there are more than the limit.

    A win is enough if nothing else is.
    """
    is_enough = is_enough or is_won
    piles = board.foundations
    home: Home = tuple((min(piles[i : i + 2]), max(piles[i : i + 2])) for i in range(0, 8, 2))
    redeals = (1 if rules == Rules.RELAXED else 0) + 1 - board.pass_number
    start = settle((board.columns, board.waste, board.stock, home, redeals), autoplay)
    seen = {start}
    waiting = [start]
    if is_enough(start):
        return "solvable", seen
    while waiting:
        for raw in successors(waiting.pop(), rules):
            state = settle(raw, autoplay)
            if state in seen:
                continue
            if len(seen) == state_limit:
                return "undecided", seen
            seen.add(state)
            waiting.append(state)
            if is_enough(state):
                return "solvable", seen
    return "unsolvable", seen


def is_won(state: State) -> bool:
    """Tell whether no card is left."""
    columns, waste, stock, *_ = state
    return not (any(columns) or waste or stock)
