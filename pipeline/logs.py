"""One log for a run and all its workers, through multiprocessing-logging.

Workers send their records through a queue to the parent; its loggers write them to the run's log file and, from
warnings on, to the terminal above the progress bar. ``install_mp_handler`` serves forked workers only, so the parent
holds a ``MultiProcessingHandler`` for its queue, and each worker a ``QueueHandler`` on that queue.
"""

import logging
import logging.handlers
import multiprocessing
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.queues import Queue
from pathlib import Path
from typing import TypeAlias

from multiprocessing_logging import MultiProcessingHandler
from tqdm import tqdm

from pipeline.interrupts import interrupt_held

# Forking is not safe beside polars' threads, and only Linux's fork server is well tried.
START_METHOD = "forkserver" if sys.platform == "linux" else "spawn"

FILE_FORMAT = "%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s"
TERMINAL_FORMAT = "%(levelname)s: %(message)s"
# A worker killed while it writes leaves half a record or a held lock; what was sent behind it never arrives.
STALL_SECONDS = 2.0

LogQueue: TypeAlias = "Queue[logging.LogRecord]"


class TerminalHandler(logging.Handler):
    """Writes records to stderr, above a progress bar if there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        try:
            tqdm.write(self.format(record), file=sys.stderr)
        except Exception:
            self.handleError(record)


@contextmanager
def run_log(path: Path | None) -> Iterator[None]:
    """Log to a file (appended, from INFO on) and to the terminal (from WARNING on) while the context lasts.

    Args:
        path: the log file; ``None`` for the terminal alone.
    """
    root = logging.getLogger()
    level = root.level
    terminal = TerminalHandler(logging.WARNING)
    terminal.setFormatter(logging.Formatter(TERMINAL_FORMAT))
    handlers: list[logging.Handler] = [terminal]
    if path is not None:
        file = logging.FileHandler(path, encoding="utf-8")
        file.setFormatter(logging.Formatter(FILE_FORMAT))
        handlers.append(file)
    root.setLevel(logging.INFO)
    for handler in handlers:
        root.addHandler(handler)
    try:
        yield
    finally:
        root.setLevel(level)
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()


class _Forward(logging.Handler):
    """Hands workers' records to the parent's loggers, until the last one comes by."""

    def __init__(self) -> None:
        super().__init__()
        self.last = logging.makeLogRecord({})
        self.last.name = f"{__name__}.last-{id(self)}"
        self.received = 0
        self.is_drained = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        """Take one record from the queue."""
        if record.name == self.last.name:
            self.is_drained.set()
            raise EOFError  # ends the receiving thread, which would otherwise ask for qsize: macOS has none
        self.received += 1
        logger = logging.getLogger(record.name)
        if logger.isEnabledFor(record.levelno):
            logger.handle(record)


@contextmanager
def worker_records() -> Iterator[LogQueue]:
    """Receive the records of one generation of workers while the context lasts.

    Yields:
        the queue that :func:`log_to_parent` takes in each worker. Leave the context after the workers have ended: by
        then all they sent is in the queue, and it is handed on to the last record before this returns. If a killed
        worker has jammed the queue, what was sent behind the jam is lost.
    """
    if multiprocessing.get_start_method(allow_none=True) != START_METHOD:
        multiprocessing.set_start_method(START_METHOD, force=True)  # the handler makes its queue by the global method
    forward = _Forward()
    with interrupt_held():
        receiver = MultiProcessingHandler("worker-records", sub_handler=forward)
    try:
        yield receiver.queue
    finally:
        _drain(receiver.queue, forward)
        receiver.close()


def log_to_parent(queue: LogQueue, level: int) -> None:
    """Make this worker process send all its records from ``level`` on to the parent."""
    root = logging.getLogger()
    root.handlers = [logging.handlers.QueueHandler(queue)]
    root.setLevel(level)
    logging.captureWarnings(True)
    # The first record starts the thread that sends: it is there before hand_in looks for it. Level 0 shows nowhere.
    queue.put(logging.makeLogRecord({"name": __name__, "levelno": logging.NOTSET}))


def hand_in(queue: LogQueue) -> None:
    """Send what a worker process has logged, just before it ends; give up if nobody takes it."""
    logging.raiseExceptions = False  # a task may go on logging meanwhile, in vain
    queue.close()
    # Not queue.join_thread(): it returns at once if the main thread is ending too and waits in its place.
    for thread in threading.enumerate():
        if thread.name == "QueueFeederThread":
            thread.join(STALL_SECONDS / 2)


def _drain(queue: LogQueue, forward: _Forward) -> None:
    """Wait until all that workers have sent has been handed on, or nothing more comes through."""
    queue.put(forward.last)
    received = -1
    try:
        while received != forward.received and not forward.is_drained.is_set():
            received = forward.received
            forward.is_drained.wait(STALL_SECONDS)
    finally:
        if not forward.is_drained.is_set():
            queue.cancel_join_thread()  # a killed worker jammed it: the end of this process must not wait for it
