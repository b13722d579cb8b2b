import pytest

from solvers.cards import format_card, parse_card
from solvers.deals import Board, freecell_deal
from solvers.freecell.referee import Move, Position, RefereeError, is_safe, parse_moves, replay


def position(columns: str, held: str = "", cells: int = 4, home: str = "0 0 0 0") -> Position:
    """Set up columns written as ``KD QS / 9C``; column 8 takes the cards neither named nor home, kings on top."""
    piles = [tuple(parse_card(word) for word in pile.split()) for pile in columns.split("/")]
    in_cells = tuple(parse_card(word) for word in held.split())
    clubs, diamonds, hearts, spades = heights = [int(height) for height in home.split()]
    named = {card for pile in (*piles, in_cells) for card in pile}
    rest = tuple(card for card in range(52) if card not in named and card // 4 >= heights[card % 4])
    piles += [()] * (7 - len(piles))
    return Position(Board((*piles, rest), in_cells, (clubs, diamonds, hearts, spades)), cells)


@pytest.mark.parametrize(
    ("card", "home", "is_taken"),
    [
        ("AC", "0 0 0 0", True),
        ("2H", "0 0 1 0", True),
        ("3H", "2 0 2 2", True),  # the black twos are home: nothing can want the three of hearts
        ("3H", "1 0 2 1", True),  # a black two may want it, but can go home itself
        ("3H", "1 0 2 0", False),
        ("3H", "0 9 2 1", False),
        ("4H", "2 0 3 2", False),  # a black three may be wanted by a red two that is not home
        ("4H", "2 1 3 2", True),
        ("4H", "2 1 3 1", False),
        ("4H", "3 0 3 3", True),
        ("KS", "12 11 11 12", True),
        ("KS", "10 11 11 12", True),
        ("KS", "9 11 11 12", False),
        ("KS", "9 12 12 12", True),
        ("7C", "6 5 5 4", True),
        ("7C", "6 5 5 3", False),
        ("7C", "6 5 4 9", False),
    ],
)
def test_safe_cards(card: str, home: str, is_taken: bool) -> None:
    assert is_safe(parse_card(card), [int(height) for height in home.split()]) == is_taken


def test_autoplay_goes_on_until_nothing_is_safe() -> None:
    game = position("KD 2C / KH 3C AD", held="AC")
    assert [str(move) for move in game.autoplay()] == ["2h", "ah", "1h"]
    assert game.foundations == [2, 1, 0, 0]
    assert game.top("2") == parse_card("3C")  # fits, but a red two may want it


LEGAL = [
    # position, move, cards of the target column afterwards
    (position("9H 8S / TC", cells=1), "12", "TC 9H 8S"),
    (position("9H 8S 7D / TC 9D", cells=1), "12", "TC 9D 8S 7D"),
    (position("9H 8S 7D / TC"), "13", "7D"),
    (position("9H 8S 7D / TC"), "13v2", "8S 7D"),
    (position("KH QS JH TS 9H 8S 7D 6C 5D 4C 3D 2C AD"), "12vd", "KH QS JH TS 9H 8S 7D 6C 5D 4C 3D 2C AD"),
    (position("TC", held="9D"), "a1", "TC 9D"),
    (position("TC", held="9D 7S"), "b5", "7S"),
]


@pytest.mark.parametrize(("game", "text", "cards"), LEGAL, ids=[text for _, text, _ in LEGAL])
def test_legal_moves_to_columns(game: Position, text: str, cards: str) -> None:
    (move,) = parse_moves(text)
    game = game.copy()
    game.play(move)
    assert " ".join(map(format_card, game.columns[int(move.target) - 1])) == cards


def test_a_card_goes_into_the_cell_that_is_named() -> None:
    game = position("9H 8S / TC", held="2D")
    game.play(Move("1", "c"))
    assert game.cells == [parse_card("2D"), None, parse_card("8S"), None]
    game.play(Move("c", "3"))
    assert game.columns[2] == [parse_card("8S")]


ILLEGAL = [
    (
        position("9H 8S / TC / KH / KD / KC / QD / QH", cells=0),
        "12",
        "2 cards are too many to move at once: the limit is 1",
    ),
    (position("9H 8S 7D / TC"), "12v3", "a count of cards belongs to a run that goes into an empty column"),
    (position("9H 8S 7D"), "1av2", "a count of cards belongs to a run that goes into an empty column"),
    (position("9H 8S 7D"), "13v4", "the run of column 1 has length 3, not 4"),
    (position("TC 9H 7S"), "13v2", "the run of column 1 has length 1, not 2"),
    (
        position("9H 8S 7D / KH / KD / KC / QD / QH", cells=1),
        "17v3",
        "3 cards are too many to move at once: the limit is 2",
    ),
    (position("9H 8S 7D / QC"), "12", "no card of 9H 8S 7D goes onto QC"),
    (position("9H / TD"), "12", "no card of 9H goes onto TD"),
    (position("TC", held="8D"), "a1", "no card of 8D goes onto TC"),
    (position("9H"), "11", "a column does not move onto itself"),
    (position("9H"), "21", "there is no card in column 2"),
    (position("9H", held="2C"), "b1", "there is no card in cell b"),
    (position("9H", cells=3), "d1", "there is no card in cell d"),
    (position("9H", held="2C"), "1a", "cell a holds 2C"),
    (position("9H", cells=3), "1d", "there is no cell d in a game of 3 cells"),
    (position("9H", held="2C"), "ab", "a card in a cell goes to a column or home"),
    (position("9H", home="0 0 6 0"), "1h", "9H does not go home before 7H"),
]


@pytest.mark.parametrize(("game", "text", "message"), ILLEGAL, ids=[text for _, text, _ in ILLEGAL])
def test_illegal_moves_change_nothing_and_say_why(game: Position, text: str, message: str) -> None:
    before = game.copy()
    (move,) = parse_moves(text)
    with pytest.raises(RefereeError) as error:
        game.play(move)
    assert str(error.value) == message
    assert vars(game) == vars(before)


@pytest.mark.parametrize(
    ("empty_cells", "empty_columns", "onto_card", "into_column"),
    [(0, 0, 1, None), (1, 0, 2, None), (4, 0, 5, None), (2, 1, 6, 3), (0, 1, 2, 1), (0, 2, 4, 2), (4, 2, 20, 10)],
)
def test_run_limits(empty_cells: int, empty_columns: int, onto_card: int, into_column: int | None) -> None:
    kings_and_queens = ["KD", "KH", "KC", "KS", "QD", "QH", "QC"]
    held = ["2C", "3D", "4C", "5D"]
    game = position("/".join(kings_and_queens[: 7 - empty_columns]), " ".join(held[: 4 - empty_cells]))
    assert game.run_limit("1") == onto_card
    if into_column is not None:
        assert game.run_limit("7") == into_column


def test_a_solution_text_has_one_reading() -> None:
    assert parse_moves("12v3ahb75c") == [Move("1", "2", 3), Move("a", "h"), Move("b", "7"), Move("5", "c")]
    assert [str(move) for move in parse_moves("12vd4a")] == ["12vd", "4a"]


@pytest.mark.parametrize("text", ["1", "12 34", "12v", "12v1", "12vD", "1H", "90", "h1", "12\n"])
def test_a_solution_text_that_is_none(text: str) -> None:
    with pytest.raises(RefereeError, match=r"move \d: .* does not start with a move"):
        parse_moves("1a" + text)


# Wins with no cells.
GOLDEN = {
    1529: (
        "5484141565651h3h7131816136323h8348458548468648464h42471474717h1718474814134314258h2h258h6h3h6h3h6h3h3h237851"
    ),
    5300: (
        "7817131565368683181h634324232324216264862472575717121268616h3h2h816126218252383h618683387168767h8734847437873"
        "83h3173784743483878171634136373171272474h1h62464h54"
    ),
}


@pytest.mark.parametrize(("number", "moves"), [(1529, 54), (5300, 80)])
def test_replay_counts_the_moves_of_a_win(number: int, moves: int) -> None:
    assert replay(freecell_deal(number), 0, GOLDEN[number]) == moves
    assert replay(freecell_deal(number), 4, GOLDEN[number]) == moves


def test_autoplay_alone_may_win() -> None:
    assert replay(Board(((51, 50, 47), (49,), (48,), *[()] * 5), (), (12, 12, 12, 11)), 4, "") == 0


def test_replay_wants_a_win() -> None:
    with pytest.raises(RefereeError, match="the solution ends with 52 cards not home"):
        replay(freecell_deal(1), 4, "1a")
    with pytest.raises(RefereeError, match="the solution ends with"):
        replay(freecell_deal(1529), 0, GOLDEN[1529][:-2])


def test_replay_names_the_move() -> None:
    with pytest.raises(RefereeError, match=r"move 2 \(1a\): cell a holds 6S"):
        replay(freecell_deal(1), 4, "1a1a")
    with pytest.raises(RefereeError, match=r"move 2: '\?' does not start with a move"):
        replay(freecell_deal(1), 4, "1a?")


@pytest.mark.parametrize("cells", [-1, 0, 5])
def test_a_board_needs_its_cells(cells: int) -> None:
    with pytest.raises(ValueError, match=f"{cells} cells for a board with 1 cards in cells"):
        replay(Board(((),) * 8, (0,)), cells, "")
