import pytest
from thieves import empty_board, midgame

from solvers.cards import format_card, parse_card
from solvers.forty_thieves.deals import Board, Rules, forty_thieves_deal
from solvers.forty_thieves.notation import expand, write_moves
from solvers.forty_thieves.referee import Move, Position, RefereeError, parse_moves, replay

CLASSIC, RELAXED = Rules.CLASSIC, Rules.RELAXED


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_card(word) for word in text.split())


def position(columns: str, waste: str = "", stock: str = "", rules: Rules = CLASSIC, pass_number: int = 1) -> Position:
    """Set up columns written as ``KD QD / 9C``, the others empty, nothing home."""
    piles = tuple(cards(pile) for pile in columns.split("/"))
    board = empty_board(*piles)._replace(waste=cards(waste), stock=cards(stock), pass_number=pass_number)
    return Position(board, rules)


FULL = "2C / 2C / 2D / 2D / 2H / 2H / 2S"  # seven columns of cards that nothing goes onto but aces

LEGAL = [
    # position, move, cards of the target column afterwards
    (position(f"9H / TH / 3C / {FULL}"), "12", "TH 9H"),
    (position(f"5C 9H 8H / TH / {FULL}"), "12", "TH 9H 8H"),
    (position("9H 8H 7H / TH"), "12", "TH 9H 8H 7H"),
    (position("9H 8H 7H / TH"), "13", "7H"),
    (position("9H 8H 7H / TH"), "10v2", "8H 7H"),
    (position("9H 8H 7H / 9H"), "12", "9H 8H 7H"),  # part of a run onto the twin of the card it lies on
    (position(f"KH QH JH TH 9H 8H / 2C / {FULL}", rules=RELAXED), "10v6", "KH QH JH TH 9H 8H"),
    (position("TC", waste="2H 9C"), "w1", "TC 9C"),
    (position("TC", waste="2H 9C"), "w0", "9C"),
]


@pytest.mark.parametrize(("game", "text", "expected"), LEGAL, ids=[text for _, text, _ in LEGAL])
def test_legal_moves_to_columns(game: Position, text: str, expected: str) -> None:
    (move,) = parse_moves(text)
    game = game.copy()
    game.play(move)
    assert " ".join(map(format_card, game.pile(move.target))) == expected


ILLEGAL = [
    (position("9H 8S / TH"), "12", "no card of 8S goes onto TH"),
    (position("9H / TD"), "12", "no card of 9H goes onto TD"),
    (position("AH / KH"), "21", "no card of KH goes onto AH"),
    (position("KH / AH"), "12", "no card of KH goes onto AH"),
    (position(f"9H 8H / TH / 3C / {FULL}"), "12", "2 cards are too many to move at once: the limit is 1"),
    (position(f"9H 8H 7H / TH / {FULL}"), "12", "3 cards are too many to move at once: the limit is 2"),
    (position(f"9H 8H 7H / TH / {FULL}"), "10v2", "2 cards are too many to move at once: the limit is 1"),
    (position("9H 8H 7H / TH"), "12v3", "a count of cards belongs to a run that goes into an empty column"),
    (position("9H 8H 7H"), "12v4", "the run of column 1 has length 3, not 4"),
    (position("TC", waste="TH 9H"), "w2v2", "the run of the waste has length 1, not 2"),
    (position("9H"), "11", "a column does not move onto itself"),
    (position("9H"), "21", "there is no card in column 2"),
    (position("9H"), "w1", "there is no card in the waste"),
    (position("9H"), "1h", "9H does not go home: the foundations of H have 0 and 0 cards"),
    (position("9H"), "t", "there is no card in the stock"),
    (position("9H", waste="2C"), "r", "the waste is not turned over again in pass 1 of classic rules"),
    (
        position("9H", "2C", rules=RELAXED, pass_number=2),
        "r",
        "the waste is not turned over again in pass 2 of relaxed rules",
    ),
    (position("9H", "2C", "3C", rules=RELAXED), "r", "the waste is not turned over while 1 cards are in the stock"),
    (position("9H", rules=RELAXED), "r", "there is no card in the waste"),
    (Position(Board(((0,),)), CLASSIC), "12", "there is no column 2 in a game of 1"),
]


@pytest.mark.parametrize(("game", "text", "message"), ILLEGAL, ids=[text for _, text, _ in ILLEGAL])
def test_illegal_moves_change_nothing_and_say_why(game: Position, text: str, message: str) -> None:
    before = game.board()
    (move,) = parse_moves(text)
    with pytest.raises(RefereeError) as error:
        game.play(move)
    assert str(error.value) == message
    assert game.board() == before


@pytest.mark.parametrize(("empty", "onto_card", "into_column"), [(0, 1, None), (1, 2, 1), (2, 4, 2), (3, 8, 4)])
def test_run_limits_of_classic_rules(empty: int, onto_card: int, into_column: int | None) -> None:
    game = position(" / ".join(["KC"] * (10 - empty)))
    assert game.run_limit("1") == onto_card
    if into_column is not None:
        assert game.run_limit("0") == into_column


def test_the_waste_is_gone_through_again_in_the_same_order() -> None:
    game = position("KC", stock="2H 9S 5C", rules=RELAXED)
    turned = []
    for move in parse_moves("tttrttt"):
        game.play(move)
        turned.append(game.waste[-1] if game.waste else None)
    assert turned == [*cards("2H 9S 5C"), None, *cards("2H 9S 5C")]
    assert (game.stock, game.pass_number) == ([], 2)


def test_autoplay_waits_for_both_foundations() -> None:
    game = position("2C AC / 2C / AC", waste="KH AH")
    assert [str(move) for move in game.autoplay()] == ["1h", "3h", "1h", "2h", "wh"]
    game = position("2C AC / 2C")
    assert [str(move) for move in game.autoplay()] == ["1h"]
    game.play(Move("1", "h"))  # by hand it may go
    assert game.foundations[:2] == [2, 0]


def test_a_solution_text_has_one_reading() -> None:
    assert parse_moves("12v3tw0rwh") == [
        Move("1", "2", 3),
        Move("t"),
        Move("w", "0"),
        Move("r"),
        Move("w", "h"),
    ]
    assert [str(move) for move in parse_moves("12vdt")] == ["12vd", "t"]


@pytest.mark.parametrize("text", ["1", "12 34", "12v", "12v1", "12vD", "1H", "h1", "1w", "12\n", "a1"])
def test_a_solution_text_that_is_none(text: str) -> None:
    with pytest.raises(RefereeError, match=r"move \d: .* does not start with a move"):
        parse_moves("1h" + text)


def test_replay_wants_a_win() -> None:
    with pytest.raises(RefereeError, match="the solution ends with 104 cards not home"):
        replay(forty_thieves_deal(1), CLASSIC, "t")


def test_replay_names_the_move() -> None:
    with pytest.raises(RefereeError, match=r"move 2 \(1h\): QD does not go home"):
        replay(forty_thieves_deal(1), CLASSIC, "t1h")


@pytest.mark.parametrize(
    ("board", "rules", "message"),
    [
        (Board(((),), pass_number=2), CLASSIC, "pass 2 .under classic rules the last one is 1."),
        (Board(((),), pass_number=3), RELAXED, "pass 3 .under relaxed rules the last one is 2."),
        (Board(((),) * 11), CLASSIC, "11 columns and 8 foundations .10 and 8 are played."),
        (Board(((),), foundations=(0, 0, 0, 0)), CLASSIC, "1 columns and 4 foundations .10 and 8 are played."),
    ],
)
def test_boards_that_are_refused(board: Board, rules: Rules, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        replay(board, rules, "")


def test_autoplay_alone_may_win() -> None:
    board = empty_board(cards("KC KC QC"), foundations=(11, 12, 13, 13, 13, 13, 13, 13))
    assert replay(board, CLASSIC, "") == 0
    assert expand(board, CLASSIC, "") == ["(1h) (1h) (1h)"]


@pytest.mark.parametrize("seed", range(20))
def test_written_moves_need_no_autoplay(seed: int) -> None:
    game = midgame(seed)
    played = Position(game.board, game.rules)
    solution = ""
    for _ in range(30):
        played.autoplay()
        moves = list(played.moves())
        if not moves:
            break
        played.play(moves[-1])
        solution += str(moves[-1])
    played.autoplay()
    written = write_moves(game.board, game.rules, solution)
    assert "".join(text for text in written if not text.startswith("(")) == solution
    followed = Position(game.board, game.rules)
    for text in written:
        (move,) = parse_moves(text.strip("()"))
        followed.play(move)
    assert followed.board() == played.board()
