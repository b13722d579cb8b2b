"""The README of the data folder, made from the schemas."""

from collections.abc import Iterator

from pipeline.schemas import FORTY_THIEVES_TABLES, FREECELL_TABLES, METADATA_PREFIX, SCHEMA_VERSION, Table

_TYPES = {"string": "string", "bool": "boolean"}

_INTRODUCTION = """\
# Tables of numbered solitaire deals

Every verdict is exact: *solvable* rests on a line of moves that an independent referee has replayed, *unsolvable* on
a search that ended because nothing was left to search, and *undecided* says that the state limit ran out first.
Limits are counts of states, never seconds, so the same program makes the same tables anywhere.

This file is generated; `deals publish` writes the folder, `deals verify` checks it.
"""

_FREECELL_FORM = """\
### The form of a solution of FreeCell

The moves stand one after another, each `<from><to>`, two characters, and in one case two more:

- *from* is a column, `1` to `8` as dealt from the left, or a cell, `a` to `d`; *to* is a column, a cell, or `h` for
  home (the foundation). A column keeps its number when it runs empty.
- Onto a column that holds cards goes the run whose deepest card fits the column's top card; only one number of cards
  does, so none is written. Into an empty column goes one card, or, where `v` and a hexadecimal digit follow (`2` to
  `d`), that many.
- A run moves in one move if `(empty cells + 1) * 2 ** (empty columns)` cards are enough for it; an empty column that is
  the target does not count.
- After the deal and after each move, cards go home by themselves; they are neither written nor counted. A card goes if
  it fits its foundation and is an ace or a two; or both foundations of the other colour are up to its rank - 1; or both
  are up to its rank - 2 and the other foundation of its own colour is up to its rank - 3. It is repeated until no card
  goes.

`3a` puts the top card of column 3 into cell a; `57` moves a card or a run from column 5 to column 7; `12v4` moves four
cards from column 1 into the empty column 2; `bh` sends the card in cell b home. `deals freecell show N` prints a
solution in the standard notation, with all that goes by itself written out.
"""

_FORTY_THIEVES_FORM = """\
### The grade of a deal of Forty Thieves

A winnable deal's grade says how many of twelve quick attempts at it won, each a narrow search that values positions in
another way: *easy* if nine or more did, *normal* if three or more, *hard* if fewer. All attempts at all deals are the
same for a rule set, but not those of the two rule sets, so a grade compares deals under one rule set alone.

### The form of a solution of Forty Thieves

The moves stand one after another:

- `t` turns a card of the stock onto the waste, `r` turns the waste over (relaxed rules, once, when the stock is empty).
- `<from><to>` moves cards. *From* is a column, `1` to `9` as dealt from the left and `0` for the tenth, or `w` for the
  waste; *to* is a column, or `h` for home (a foundation). A column keeps its number when it runs empty.
- Onto a column that holds cards goes the run whose deepest card fits the column's top card; only one number of cards
  does, so none is written. Into an empty column goes one card, or, where `v` and a hexadecimal digit follow (`2` to
  `d`), that many.
- After the deal and after each move, cards go home by themselves, from columns and waste; they are neither written nor
  counted. A card goes if both foundations of its suit are up to its rank - 1. It is repeated until no card goes.

`t` turns a card; `wh` sends the waste's card home; `w0` puts it onto column 10; `57` moves a card or a run from column
5 to column 7; `12v4` moves four cards from column 1 into the empty column 2; `3h` sends the top card of column 3 home.
`deals forty-thieves show N` prints a solution with all that goes by itself written out, in parentheses.
"""

_GAMES = (
    ("FreeCell", FREECELL_TABLES, _FREECELL_FORM),
    ("Forty Thieves", FORTY_THIEVES_TABLES, _FORTY_THIEVES_FORM),
)

_FILES = """\
## The files

Parquet, snappy, sorted by the columns of the key. Each file says under its metadata's keys:

{metadata}

A list of winnable deals has a JSON file beside it: one array of the same numbers. `manifest.json` has for each file its
size in bytes and its SHA-256, and for a table its rows and `content_sha256`, a SHA-256 of names, types and values that
does not depend on the version of the Parquet writer.
"""

_MEANINGS = {
    "schema_version": SCHEMA_VERSION,
    "game": "freecell or forty_thieves",
    "rules": "the rules in a few words",
    "deal_numbering": "what the deals' numbers mean",
    "search_version": "version of the search, raised whenever a verdict, a solution or a count of states can change;"
    " several where rows of an earlier one were kept",
    "budgets": "the state limits of the run's passes",
}


def describe() -> str:
    """Return the data folder's README as Markdown: each table, column, type, unit and meaning."""
    metadata = "\n".join(f"- `{METADATA_PREFIX}{key}`: {meaning}" for key, meaning in _MEANINGS.items())
    games = [section for title, tables, form in _GAMES for section in _game(title, tables, form)]
    return "\n".join([_INTRODUCTION, *games, _FILES.format(metadata=metadata)])


def _game(title: str, tables: tuple[Table, ...], form: str) -> Iterator[str]:
    """Yield the sections on a game."""
    shared = tables[0].game["deal_numbering"]
    yield f"## {title}\n\nDeals: {shared}.\n"
    for table in tables:
        yield "\n".join(_section(table)) + "\n"
    yield form


def _section(table: Table) -> Iterator[str]:
    """Yield the lines that describe a table."""
    yield f"### {table.file_name}"
    yield ""
    yield f"{table.title} Key: {', '.join(table.key)}."
    yield ""
    yield "| column | type | meaning |"
    yield "|---|---|---|"
    for column in table.schema:
        kind = _TYPES.get(str(column.type), str(column.type)) + (", may be null" if column.nullable else "")
        yield f"| {column.name} | {kind} | {column.metadata[b'description'].decode()} |"
