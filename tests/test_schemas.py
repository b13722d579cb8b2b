import json
import random
from functools import partial

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from thieves_evidence import searches

from pipeline import schemas
from pipeline.forty_thieves.tables import winnable_tables
from pipeline.schemas import (
    FORTY_THIEVES_DEALS,
    FORTY_THIEVES_SEARCHES,
    FORTY_THIEVES_SOLUTIONS,
    FORTY_THIEVES_TABLES,
    FORTY_THIEVES_WINNABLE,
    FREECELL_AUDIT,
    FREECELL_DIFFICULTY,
    FREECELL_EVIDENCE,
    FREECELL_SEARCHES,
    FREECELL_SOLUTIONS,
    FREECELL_WINNABLE,
    PUBLISHED,
    Table,
)
from pipeline.table_files import SchemaError, check_rows, content_hash, read_metadata, read_table, write_table

METADATA = {"search_version": "1", "budgets": "1000,20000"}
DEALS = 32_000
MEGABYTE = 1_000_000


def difficulty_rows(deals: int) -> pa.Table:
    """Return rows with shares like the real ones."""
    draw = random.Random(7)
    cells = [draw.choices([0, 1, 2, 3, 4, None], [2, 6170, 18989, 6700, 50, 1])[0] for _ in range(deals)]
    names = {0: "easy", 1: "easy", 2: "normal", 3: "hard", 4: "hard", None: "unsolvable"}
    return pa.table(
        [
            pa.array(range(1, deals + 1), pa.int32()),
            pa.array(cells, pa.int8()),
            pa.array([names[count] for count in cells]),
            pa.array([True] * deals),
            pa.array([None if count is None else draw.randint(40, 130) for count in cells], pa.int16()),
        ],
        schema=FREECELL_DIFFICULTY.schema,
    )


def evidence_rows(deals: int) -> pa.Table:
    draw = random.Random(8)
    states = [draw.choice([0, int(draw.lognormvariate(7, 2))]) for _ in range(5 * deals)]
    return pa.table(
        [
            pa.array([deal for deal in range(1, deals + 1) for _ in range(5)], pa.int32()),
            pa.array(list(range(5)) * deals, pa.int8()),
            pa.array(["unsolvable", "unsolvable", "solvable", "solvable", "solvable"] * deals),
            pa.array(states, pa.int64()),
            pa.array([1_000_000] * 5 * deals, pa.int64()),
            pa.array(["searched" if count else "implied by 2" for count in states]),
        ],
        schema=FREECELL_EVIDENCE.schema,
    )


def solution_rows(deals: int) -> pa.Table:
    draw = random.Random(9)
    moves = [draw.randint(70, 120) for _ in range(deals)]
    lines = ["".join(draw.choice("12345678abcd") + draw.choice("12345678abcdh") for _ in range(n)) for n in moves]
    return pa.table(
        [
            pa.array(range(1, deals + 1), pa.int32()),
            pa.array([2] * deals, pa.int8()),
            pa.array(moves, pa.int16()),
            pa.array(lines),
        ],
        schema=FREECELL_SOLUTIONS.schema,
    )


def audit_rows() -> pa.Table:
    return pa.table(
        [
            pa.array([617, 11982, 11982], pa.int32()),
            pa.array([4, 4, 4], pa.int8()),
            pa.array([True, False, True]),
            pa.array([None, 83239, 61643], pa.int64()),
            pa.array(["solvable", "unsolvable", "unsolvable"]),
            pa.array(["solvable", "unsolvable", "unsolvable"]),
            pa.array([10**7] * 3, pa.int64()),
        ],
        schema=FREECELL_AUDIT.schema,
    )


def forty_thieves_tables(deals: int) -> dict[str, pa.Table]:
    draw = random.Random(10)
    return winnable_tables(searches({deal: draw.choice(["SS", "?S", "US", "??"]) for deal in range(1, deals + 1)}))


FORTY_THIEVES = forty_thieves_tables(50)
ROWS = {
    **{table: partial(FORTY_THIEVES.get, table.name) for table in FORTY_THIEVES_TABLES},
    FREECELL_WINNABLE: lambda: difficulty_rows(50).select(["deal"]),
    FREECELL_DIFFICULTY: lambda: difficulty_rows(50),
    FREECELL_EVIDENCE: lambda: evidence_rows(50),
    FREECELL_SOLUTIONS: lambda: solution_rows(50),
    FREECELL_AUDIT: audit_rows,
}
EACH_TABLE = pytest.mark.parametrize(
    ("table", "rows"), [(table, ROWS[table]()) for table in PUBLISHED], ids=[table.name for table in PUBLISHED]
)


@EACH_TABLE
def test_reads_what_it_wrote(tmp_path, table: Table, rows: pa.Table) -> None:
    path = tmp_path / table.file_name
    write_table(rows, table, path, METADATA)
    assert read_table(path, table).equals(rows)
    assert read_table(path, table).schema.equals(table.schema, check_metadata=True)
    assert read_metadata(path) == {"schema_version": schemas.SCHEMA_VERSION, **table.game, **METADATA}


@EACH_TABLE
def test_other_readers_see_the_same(tmp_path, table: Table, rows: pa.Table) -> None:
    path = tmp_path / table.file_name
    write_table(rows, table, path, METADATA)
    assert pl.read_parquet(path).to_dicts() == rows.to_pylist()
    seen = duckdb.sql(f"select * from read_parquet('{path}')")
    assert seen.fetchall() == [tuple(row.values()) for row in rows.to_pylist()]
    kinds = {"int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT", "string": "VARCHAR"}
    assert [str(kind) for kind in seen.types] == [kinds.get(str(kind), "BOOLEAN") for kind in table.schema.types]


@EACH_TABLE
def test_file_holds_what_browsers_read(tmp_path, table: Table, rows: pa.Table) -> None:
    path = tmp_path / table.file_name
    write_table(rows, table, path, METADATA)
    group = pq.read_metadata(path).row_group(0)
    for index, name in enumerate(table.schema.names):
        column = group.column(index)
        assert column.compression == "SNAPPY"
        if name in table.encodings:
            assert table.encodings[name] in column.encodings
            assert not column.has_dictionary_page
        elif table.schema.field(name).type != pa.bool_():
            assert column.has_dictionary_page


@EACH_TABLE
def test_bytes_do_not_depend_on_chunks(tmp_path, table: Table, rows: pa.Table) -> None:
    chunked = pa.concat_tables([rows.slice(0, 1), rows.slice(1, 1), rows.slice(2)])
    write_table(rows, table, tmp_path / "whole", METADATA)
    write_table(chunked, table, tmp_path / "chunked", METADATA)
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "chunked").read_bytes()
    assert content_hash(rows) == content_hash(chunked)


def test_full_size_tables_are_small(tmp_path) -> None:
    write_table(difficulty_rows(DEALS), FREECELL_DIFFICULTY, tmp_path / "difficulty", METADATA)
    assert (tmp_path / "difficulty").stat().st_size < 100_000
    write_table(evidence_rows(DEALS), FREECELL_EVIDENCE, tmp_path / "evidence", METADATA)
    write_table(solution_rows(DEALS), FREECELL_SOLUTIONS, tmp_path / "solutions", METADATA)
    for name, groups in (("difficulty", 1), ("evidence", 1), ("solutions", 11)):
        found = pq.read_metadata(tmp_path / name)
        sizes = [
            sum(found.row_group(index).column(column).total_compressed_size for column in range(found.num_columns))
            for index in range(found.num_row_groups)
        ]
        assert len(sizes) == groups
        assert max(sizes) < MEGABYTE


def test_tables_that_games_read_have_no_64_bit_integers() -> None:
    for_games = (FREECELL_DIFFICULTY, FREECELL_SOLUTIONS, FORTY_THIEVES_SOLUTIONS, *FORTY_THIEVES_DEALS.values())
    for table in (*for_games, FREECELL_WINNABLE, *FORTY_THIEVES_WINNABLE.values()):
        assert pa.int64() not in table.schema.types


@pytest.mark.parametrize("table", [*PUBLISHED, FREECELL_SEARCHES, FORTY_THIEVES_SEARCHES], ids=lambda table: table.name)
def test_every_column_has_a_meaning(table: Table) -> None:
    assert all(column.metadata[b"description"] for column in table.schema)
    assert table.schema.names[0] == "deal"


def test_content_hash_is_pinned() -> None:
    assert content_hash(audit_rows()) == "290c2a778bfc899228f78cc992e06c2a23f791b6c78a6a7e04172dc53b60ef58"


def test_content_hash_tells_tables_apart() -> None:
    one = pa.table({"a": pa.array([1, None], pa.int8())})
    others = [
        pa.table({"a": pa.array([1, 0], pa.int8())}),
        pa.table({"a": pa.array([1, None], pa.int16())}),
        pa.table({"b": pa.array([1, None], pa.int8())}),
        pa.table({"a": pa.array(["1", None])}),
        pa.table({"a": pa.array(["1", ""])}),
        pa.table({"a": pa.array(["", "1"])}),
        pa.table({"a": pa.array([], pa.int8())}),
    ]
    assert len({content_hash(table) for table in [one, *others]}) == 1 + len(others)


def test_empty_tables_are_fine(tmp_path) -> None:
    empty = FREECELL_AUDIT.schema.empty_table()
    write_table(empty, FREECELL_AUDIT, tmp_path / "empty", METADATA)
    assert read_table(tmp_path / "empty", FREECELL_AUDIT).num_rows == 0


def test_a_list_has_the_same_numbers_as_json(tmp_path) -> None:
    rows = difficulty_rows(12).select(["deal"])
    write_table(rows, FREECELL_WINNABLE, tmp_path / FREECELL_WINNABLE.file_name, METADATA)
    assert json.loads((tmp_path / "freecell_winnable.json").read_text()) == list(range(1, 13))


def test_keys_with_text_are_held_to_their_order() -> None:
    rows = searches({1: "SS", 2: "?S"})
    assert check_rows(rows, FORTY_THIEVES_SEARCHES).num_rows == 4
    with pytest.raises(SchemaError, match="the row of deal 1, rules classic is double or out of order"):
        check_rows(rows.take([1, 0, 2, 3]), FORTY_THIEVES_SEARCHES)


def replaced(rows: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return rows.set_column(rows.schema.names.index(name), name, values)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.drop_columns(["moves"]), "columns are"),
        (lambda rows: rows.select(["cells", "deal", "moves", "solution"]), "columns are"),
        (lambda rows: replaced(rows, "deal", rows["deal"].cast(pa.int64())), "columns are deal int64"),
        (lambda rows: replaced(rows, "cells", pa.nulls(3, pa.int8())), "column cells has nulls"),
        (lambda rows: rows.take([0, 2, 1]), "the row of deal 2, cells 2 is double or out of order"),
        (lambda rows: rows.take([0, 1, 1]), "the row of deal 2, cells 2 is double or out of order"),
    ],
)
def test_refuses_other_rows(tmp_path, change, message: str) -> None:
    rows = change(solution_rows(3))
    with pytest.raises(SchemaError, match=message):
        check_rows(rows, FREECELL_SOLUTIONS)
    with pytest.raises(SchemaError, match=message):
        write_table(rows, FREECELL_SOLUTIONS, tmp_path / "table", METADATA)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("metadata", [{}, {"budgets": "1"}, {**METADATA, "host": "h"}])
def test_refuses_other_metadata(tmp_path, metadata: dict[str, str]) -> None:
    with pytest.raises(SchemaError, match="metadata has keys"):
        write_table(solution_rows(3), FREECELL_SOLUTIONS, tmp_path / "table", metadata)


def test_damaged_files_are_refused_or_read(tmp_path) -> None:
    """A Parquet file has no checksums, so damage to values can pass here; the manifest's hash finds it."""
    path = tmp_path / "table"
    write_table(audit_rows(), FREECELL_AUDIT, path, METADATA)
    whole = path.read_bytes()
    messages = []
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xD5]) + whole[place + 1 :])
        try:
            content_hash(read_table(path, FREECELL_AUDIT))
        except SchemaError as error:
            messages.append(str(error))
    assert len(messages) > len(whole) // 6
    assert all(message.startswith(str(path)) and "\n" not in message for message in messages)


def test_refuses_other_files(tmp_path) -> None:
    path = tmp_path / "table"
    path.write_bytes(b"no parquet")
    with pytest.raises(SchemaError, match="no readable Parquet file"):
        read_table(path, FREECELL_AUDIT)
    with pytest.raises(SchemaError, match="no readable Parquet file"):
        read_metadata(path)
    pq.write_table(audit_rows(), path)
    with pytest.raises(SchemaError, match=r"deals.schema_version is None, not '1'"):
        read_table(path, FREECELL_AUDIT)
    write_table(audit_rows(), FREECELL_AUDIT, path, METADATA)
    with pytest.raises(SchemaError, match="columns are"):
        read_table(path, FREECELL_EVIDENCE)
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "absent", FREECELL_AUDIT)
