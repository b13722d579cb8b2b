"""Tasks for worker processes to run in tests; importable there without pytest."""

import logging
import logging.handlers
import os
import signal
import sys
import time
from pathlib import Path


def square(number: int) -> int:
    return number * number


def log_and_square(number: int) -> int:
    logging.getLogger("tests.tasks").info("task %d", number)
    return number * number


def refuse_three(number: int) -> int:
    if number == 3:
        raise ValueError("three is right out")
    return number


def log_then_raise(number: int) -> int:
    for line in range(500):
        logging.getLogger("tests.tasks").info("line %d of %d", line, number)
    raise ValueError(f"no {number}")


def log_then_exit(number: int) -> int:
    for line in range(500):
        logging.getLogger("tests.tasks").info("line %d of %d", line, number)
    sys.exit(7)


def die_once(task: tuple[int, str]) -> int:
    """Kill this process unless the marker file is there already."""
    number, marker = task
    path = Path(marker)
    if number == 5 and not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_at_five(number: int) -> int:
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def report_pid_and_hang(folder: str) -> None:
    """Leave a file named by this process's id, then never come back."""
    (Path(folder) / str(os.getpid())).touch()
    while True:
        time.sleep(60)


def imported_modules(_: int) -> list[str]:
    return sorted(sys.modules)


def process_id(_: int) -> int:
    return os.getpid()


def note_pid(task: tuple[int, str]) -> int:
    """Leave a file named by this process's id."""
    (Path(task[1]) / str(os.getpid())).touch()
    return task[0]


def warn(number: int) -> None:
    logger = logging.getLogger("tests.tasks")
    logger.debug("not even in the log")
    logger.info("task %d is even not", number)
    logger.warning("task %d is odd", number)


def die_sending_once(task: tuple[int, str]) -> int:
    """Log, or kill this process with the log queue's lock in its hands unless the marker file is there already."""
    number, marker = task
    if number == 5 and not Path(marker).exists():
        Path(marker).touch()
        for handler in logging.getLogger().handlers:
            if isinstance(handler, logging.handlers.QueueHandler):
                handler.queue._wlock.acquire()
        os.kill(os.getpid(), signal.SIGKILL)
    logging.getLogger("tests.tasks").info("task %d", number)
    return number
