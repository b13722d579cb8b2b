import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ranges import RangeError, format_deals, parse_deals, split


@pytest.mark.parametrize(
    ("text", "deals"),
    [
        ("617", (617,)),
        ("1-3", (1, 2, 3)),
        ("5-5", (5,)),
        ("617,1-3", (1, 2, 3, 617)),
        ("1-3, 2-4 ,3", (1, 2, 3, 4)),
        ("007", (7,)),
    ],
)
def test_reads_numbers_and_ranges(text: str, deals: tuple[int, ...]) -> None:
    assert parse_deals(text, 1, 1000) == deals


@pytest.mark.parametrize("text", ["", " ", "x", "1-", "-1", "1--2", "1,,2", "1-2-3", "1.5", "1;2", "٣", "@"])
def test_says_what_is_no_range(text: str) -> None:
    with pytest.raises(RangeError) as caught:
        parse_deals(text, 1, 1000)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["0", "1001", "0-5", "999-1001", "1-99999999999999999999999", "9" * 5000])
def test_says_what_is_outside(text: str) -> None:
    with pytest.raises(RangeError, match="outside the deals 1-1000"):
        parse_deals(text, 1, 1000)


def test_says_that_a_range_runs_backwards() -> None:
    with pytest.raises(RangeError, match=r"'9-3' runs backwards; write 3-9"):
        parse_deals("9-3", 1, 1000)


def test_says_that_a_range_is_too_long() -> None:
    assert len(parse_deals("1-1000000", 1, 2**31 - 1)) == 1_000_000
    with pytest.raises(RangeError, match=r"'1-1000001' is more than 1000000 deals at once"):
        parse_deals("1-1000001", 1, 2**31 - 1)


def test_reads_a_file(tmp_path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text("# hard ones\n982, 617\n\n1-3 5 # and easy ones\n3\n")
    assert parse_deals(f"@{path}", 1, 1000) == (1, 2, 3, 5, 617, 982)


def test_names_file_and_line(tmp_path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text("1\n2 x3\n")
    with pytest.raises(RangeError, match=r"deals.txt, line 2: 'x3' is no deal number"):
        parse_deals(f"@{path}", 1, 1000)


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "No such file"), (b"# nothing\n", "lists no deals"), (b"\xff\xfe1", "not UTF-8")],
)
def test_says_why_a_file_cannot_serve(tmp_path, content: bytes | None, message: str) -> None:
    path = tmp_path / "deals.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RangeError, match=message):
        parse_deals(f"@{path}", 1, 1000)


def test_splits_neighbours_in_the_sequence() -> None:
    assert split((1, 2, 5, 9, 11), 2) == [(1, 2), (5, 9), (11,)]
    assert split((), 2) == []


@given(st.sets(st.integers(1, 300), min_size=1))
def test_formats_what_it_reads(deals: set[int]) -> None:
    assert parse_deals(format_deals(deals), 1, 300) == tuple(sorted(deals))


def test_formats_compactly() -> None:
    assert format_deals([617, *range(1, 101), 618]) == "1-100,617-618"
