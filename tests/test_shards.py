import subprocess
import sys

import pyarrow as pa
import pytest

from pipeline.schemas import FREECELL_AUDIT, FREECELL_SEARCHES
from pipeline.shards import RunDirectory, RunError, Task, plan, read_config
from pipeline.table_files import SchemaError

CONFIG = {"command": "difficulty", "deals": "1-6", "shard_size": 2, "budgets": [1000, 20000]}
TASKS = [Task(0, 1, 2), Task(0, 3, 4), Task(0, 5, 6)]


def rows_of(*deals: int) -> pa.Table:
    return pa.Table.from_pylist(
        [
            {
                "deal": deal,
                "cells": cells,
                "verdict": "solvable",
                "states": 17 * deal,
                "state_limit": 1000,
                "basis": "searched",
                "solution": "1a2h" * deal if cells else None,
            }
            for deal in deals
            for cells in range(2)
        ],
        schema=FREECELL_SEARCHES.schema,
    )


def open_run(path, **changes) -> RunDirectory:
    return RunDirectory.open(path, {**CONFIG, **changes}, FREECELL_SEARCHES)


def shard_files(path) -> list[str]:
    return sorted(file.name for file in (path / "shards").iterdir())


def test_names_tasks() -> None:
    assert plan([(1, 2, 5), (617,)], 3) == [Task(3, 1, 5), Task(3, 617, 617)]
    assert Task(0, 1, 100).name == "p0-0000001-0000100"
    assert str(Task(0, 1, 100)) == "deals 1-100, pass 0"
    assert str(Task(2, 617, 617)) == "deal 617, pass 2"


def test_keeps_what_was_committed(tmp_path) -> None:
    with open_run(tmp_path / "run") as run:
        assert run.missing(TASKS) == TASKS
        run.commit(TASKS[2], rows_of(5, 6))
        run.commit(TASKS[0], rows_of(1, 2))
        assert run.missing(TASKS) == [TASKS[1]]
    with open_run(tmp_path / "run") as run:
        assert run.missing(TASKS) == [TASKS[1]]
        with pytest.raises(RunError, match="deals 3-4, pass 0 is missing"):
            run.read_all(TASKS)
        run.commit(TASKS[1], rows_of(3, 4))
        assert run.read_all(TASKS).equals(rows_of(1, 2, 3, 4, 5, 6))
        assert run.read_all([]).num_rows == 0
    assert shard_files(tmp_path / "run") == [
        "p0-0000001-0000002.arrow",
        "p0-0000003-0000004.arrow",
        "p0-0000005-0000006.arrow",
    ]
    assert read_config(tmp_path / "run") == CONFIG


def test_bytes_do_not_depend_on_the_order(tmp_path) -> None:
    for name, tasks in (("one", TASKS), ("two", TASKS[::-1])):
        with open_run(tmp_path / name) as run:
            for task in tasks:
                run.commit(task, rows_of(task.first, task.last))
    for file in shard_files(tmp_path / "one"):
        assert (tmp_path / "one/shards" / file).read_bytes() == (tmp_path / "two/shards" / file).read_bytes()


@pytest.mark.parametrize("keep", [0, 1, 100, -1])
def test_makes_torn_shards_again(tmp_path, keep: int) -> None:
    with open_run(tmp_path / "run") as run:
        run.commit(TASKS[0], rows_of(1, 2))
        path = tmp_path / "run/shards/p0-0000001-0000002.arrow"
        path.write_bytes(path.read_bytes()[:keep])
        assert run.missing(TASKS) == TASKS
        run.commit(TASKS[0], rows_of(1, 2))
        assert run.missing(TASKS) == TASKS[1:]


def test_makes_shards_with_any_changed_byte_of_data_again(tmp_path) -> None:
    with open_run(tmp_path / "run") as run:
        run.commit(TASKS[0], rows_of(1, 2))
        path = tmp_path / "run/shards/p0-0000001-0000002.arrow"
        whole = path.read_bytes()
        for place in range(0, len(whole), 7):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
            if run.missing(TASKS[:1]) == []:
                assert run.read_all(TASKS[:1]).equals(rows_of(1, 2))


def test_makes_foreign_shards_again(tmp_path) -> None:
    with open_run(tmp_path / "other", budgets=[5]) as run:
        run.commit(TASKS[0], rows_of(1, 2))
        run.commit(TASKS[1], rows_of(3, 4))
    with open_run(tmp_path / "run") as run:
        run.commit(TASKS[1], rows_of(3, 4))
        folder = tmp_path / "run/shards"
        (folder / "p0-0000001-0000002.arrow").write_bytes(
            (tmp_path / "other/shards/p0-0000001-0000002.arrow").read_bytes()
        )
        (folder / "p0-0000005-0000006.arrow").write_bytes((folder / "p0-0000003-0000004.arrow").read_bytes())
        assert run.missing(TASKS) == [TASKS[0], TASKS[2]]


def test_removes_what_killed_writers_left(tmp_path) -> None:
    open_run(tmp_path / "run").close()
    leftovers = [tmp_path / "run/.run.json.77.tmp", tmp_path / "run/shards/.p0-0000001-0000002.arrow.77.tmp"]
    for leftover in leftovers:
        leftover.write_bytes(b"half")
    open_run(tmp_path / "run").close()
    assert not any(leftover.exists() for leftover in leftovers)


def test_refuses_wrong_rows(tmp_path) -> None:
    with open_run(tmp_path / "run") as run:
        with pytest.raises(SchemaError, match=r"rows of deals 1-3 returned for deals 1-2, pass 0"):
            run.commit(TASKS[0], rows_of(1, 3))
        with pytest.raises(SchemaError, match="columns are"):
            run.commit(TASKS[0], FREECELL_AUDIT.schema.empty_table())
        assert run.missing(TASKS) == TASKS
    assert shard_files(tmp_path / "run") == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shard_size": 3}, "was started with shard_size 2, not 3"),
        ({"budgets": [1000]}, r"was started with budgets \[1000, 20000\], not \[1000\]"),
        ({"search_version": 2}, "was started with search_version unset, not 2"),
        (
            {"deals": "1-6," + ",".join(map(str, range(10, 90, 2)))},
            r"started with deals \"1-6\", not \"1-6,10.*\.\.\.: give",
        ),
    ],
)
def test_refuses_another_configuration(tmp_path, changes: dict, message: str) -> None:
    open_run(tmp_path / "run").close()
    with pytest.raises(RunError, match=message) as caught:
        open_run(tmp_path / "run", **changes)
    assert "\n" not in str(caught.value)
    open_run(tmp_path / "run").close()


def test_refuses_places_that_are_no_run(tmp_path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thesis.txt").write_text("x")
    with pytest.raises(RunError, match="cannot make the run directory"):
        open_run(tmp_path / "file")
    with pytest.raises(RunError, match="holds other files"):
        open_run(tmp_path / "full")
    assert [entry.name for entry in (tmp_path / "full").iterdir()] == ["thesis.txt"]
    for place in ("absent", "file", "full"):
        with pytest.raises(RunError, match=r"no run directory"):
            read_config(tmp_path / place)
    (tmp_path / "full/run.json").write_text("{")
    with pytest.raises(RunError, match="cannot be read"):
        read_config(tmp_path / "full")
    (tmp_path / "full/run.json").write_text("[]")
    with pytest.raises(RunError, match="holds no configuration"):
        read_config(tmp_path / "full")


def test_keeps_a_second_driver_out(tmp_path) -> None:
    with open_run(tmp_path / "run"), pytest.raises(RunError, match=r"run .* is in use by process \d+"):
        open_run(tmp_path / "run")
    open_run(tmp_path / "run").close()


HOLDER = """
import sys
from pathlib import Path
from pipeline.schemas import FREECELL_SEARCHES
from pipeline.shards import RunDirectory
run = RunDirectory.open(Path(sys.argv[1]), {}, FREECELL_SEARCHES)
print("open", flush=True)
sys.stdin.read()
"""


def test_a_killed_driver_keeps_nobody_out(tmp_path) -> None:
    path = tmp_path / "run"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(RunError, match=f"is in use by process {holder.pid}"):
            RunDirectory.open(path, {}, FREECELL_SEARCHES)
        holder.kill()
        holder.wait()
        RunDirectory.open(path, {}, FREECELL_SEARCHES).close()
