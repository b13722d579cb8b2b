"""A driver of a small made-up run, for tests to kill: ``run_driver.py RUN DATA JOBS KILL_AFTER``.

With ``KILL_AFTER`` it kills itself by SIGKILL after so many commits (0: never).
"""

import os
import signal
import sys
from pathlib import Path

import pyarrow as pa

from pipeline.publish import publish
from pipeline.ranges import parse_deals, split
from pipeline.schemas import FREECELL_EVIDENCE, FREECELL_SEARCHES
from pipeline.shards import RunDirectory, Task, plan
from pipeline.workers import run_tasks

CONFIG = {"deals": "1-90,617", "shard_size": 4}


def evidence(task: Task) -> pa.Table:
    """Return made-up rows that follow from the task alone."""
    deals = [deal for deal in parse_deals(CONFIG["deals"], 1, 1000) if task.first <= deal <= task.last]
    rows = [
        {
            "deal": deal,
            "cells": 4,
            "verdict": "solvable",
            "states": deal**3 % 101,
            "state_limit": 1000,
            "basis": "searched",
            "solution": "1ah" * (deal % 7),
        }
        for deal in deals
    ]
    return pa.Table.from_pylist(rows, schema=FREECELL_SEARCHES.schema)


def main(path: Path, data: Path, jobs: int, kill_after: int) -> None:
    """Finish the run, then publish it."""
    tasks = plan(split(parse_deals(CONFIG["deals"], 1, 1000), CONFIG["shard_size"]), 0)
    commits = 0

    def keep(task: Task, rows: pa.Table) -> None:
        nonlocal commits
        run.commit(task, rows)
        commits += 1
        if commits == kill_after:
            os.kill(os.getpid(), signal.SIGKILL)

    with RunDirectory.open(path, CONFIG, FREECELL_SEARCHES) as run:
        run_tasks(evidence, run.missing(tasks), jobs, keep)
        rows = run.read_all(tasks)
    print(commits, "commits")
    metadata = {"search_version": "1", "budgets": "1000"}
    publish({FREECELL_EVIDENCE.name: rows.select(FREECELL_EVIDENCE.schema.names)}, metadata, data)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
