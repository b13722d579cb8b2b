"""Tasks farmed out to workers: in-line, local processes, or any other executor.

Workers compute and return; whoever calls commits. Tasks and results are handed over one by one in the order they
finish, so whatever is made of them must not depend on that order.
"""

import importlib
import logging
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from pipeline.interrupts import interrupt_blocked, interrupt_held
from pipeline.logs import START_METHOD, LogQueue, hand_in, log_to_parent, worker_records

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")
MakeExecutor = Callable[[int], AbstractContextManager[Executor]]

# Enough that no worker waits for the driver, few enough that little is lost when a run ends early.
TASKS_A_WORKER = 2
# How long the driver sleeps at most before it looks for Ctrl-C, on systems whose waits cannot be interrupted.
WAIT_SECONDS = 1.0

_log = logging.getLogger(__name__)


class TaskError(Exception):
    """A task failed, by an exception (then its cause) or by killing its worker; the message names the task."""


def run_tasks(
    function: Callable[[TaskT], ResultT],
    tasks: Iterable[TaskT],
    jobs: int,
    on_result: Callable[[TaskT, ResultT], None],
    *,
    preload: Sequence[str] = (),
    make_executor: MakeExecutor | None = None,
) -> None:
    """Compute ``function(task)`` for each task and hand both to ``on_result``, in the order they finish.

    The first task that raises ends the run; what is finished by then is still handed over. When a worker process dies,
    the tasks that were in flight are run again, one at a time in a pool of one worker; only a task that kills its
    worker there is blamed. Ctrl-C (``KeyboardInterrupt``) stops the workers and is raised.

    Args:
        function: pure and importable by name; it and the tasks and results are pickled.
        jobs: worker processes; 0 runs everything in this process.
        preload: modules that each worker has imported before its first task.
        make_executor: a context manager for an executor of so many workers, in place of local processes.

    Raises:
        TaskError: a task failed.
    """
    waiting = deque(tasks)
    if jobs == 0:
        _run_in_line(function, waiting, on_result)
        return
    make = make_executor or partial(local_processes, preload=preload)
    while waiting:
        suspects = deque(_run_until_broken(function, waiting, TASKS_A_WORKER * jobs, on_result, make(jobs)))
        while suspects:
            _log.warning("a worker process died: %d tasks are run again, one at a time", len(suspects))
            killers = _run_until_broken(function, suspects, 1, on_result, make(1))
            if killers:
                raise TaskError(f"{killers[0]} killed its worker process, also when it ran alone (out of memory?)")


def _run_in_line(
    function: Callable[[TaskT], ResultT], tasks: Iterable[TaskT], on_result: Callable[[TaskT, ResultT], None]
) -> None:
    """Run the tasks one after another in this process."""
    for task in tasks:
        try:
            result = function(task)
        except Exception as error:
            raise _failure(task, error) from error
        on_result(task, result)


def _run_until_broken(
    function: Callable[[TaskT], ResultT],
    waiting: deque[TaskT],
    most_in_flight: int,
    on_result: Callable[[TaskT, ResultT], None],
    executor_context: AbstractContextManager[Executor],
) -> list[TaskT]:
    """Run waiting tasks until none is left, or until a worker dies; return those that were in flight then."""
    in_flight: dict[Future[ResultT], TaskT] = {}
    try:
        with executor_context as executor:
            while waiting or in_flight:
                _submit(executor, function, waiting, in_flight, most_in_flight)
                wait(in_flight, timeout=WAIT_SECONDS, return_when=FIRST_COMPLETED)
                _hand_over(in_flight, on_result)
    except BrokenExecutor:
        with suppress(BrokenExecutor):
            _hand_over(in_flight, on_result)
    return list(in_flight.values())


def _submit(
    executor: Executor,
    function: Callable[[TaskT], ResultT],
    waiting: deque[TaskT],
    in_flight: dict[Future[ResultT], TaskT],
    most_in_flight: int,
) -> None:
    """Bring tasks into flight up to the limit; a task that a broken executor refuses stays waiting."""
    while waiting and len(in_flight) < most_in_flight:
        future = executor.submit(function, waiting[0])
        in_flight[future] = waiting.popleft()


def _hand_over(in_flight: dict[Future[ResultT], TaskT], on_result: Callable[[TaskT, ResultT], None]) -> None:
    """Take finished tasks out of flight: results are handed over, then the first failure is raised.

    Raises:
        BrokenExecutor: a worker died; the tasks that may have killed it stay in flight.
        TaskError: a task failed.
    """
    failures: list[BaseException] = []
    for future in [future for future in in_flight if future.done()]:
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            failures.append(error)
            continue
        task = in_flight.pop(future)
        if error is None:
            on_result(task, future.result())
        else:
            failures.insert(0, _failure(task, error))
    if failures:
        raise failures[0] from failures[0].__cause__


def _failure(task: object, cause: BaseException) -> TaskError:
    """Return the error of a task that raised; the log file gets the whole story."""
    _log.info("%s failed", task, exc_info=cause)
    error = TaskError(f"{task} failed: {type(cause).__name__}: {cause}")
    error.__cause__ = cause
    return error


@contextmanager
def local_processes(jobs: int, preload: Sequence[str] = ()) -> Iterator[Executor]:
    """Give an executor of ``jobs`` worker processes that log through this process and end with it, however it ends."""
    with worker_records() as records:
        context = multiprocessing.get_context(START_METHOD)
        lifeline, hold = context.Pipe(duplex=False)
        level = logging.getLogger().getEffectiveLevel()
        _start_server(preload)
        executor = _Pool(
            jobs, mp_context=context, initializer=_start_worker, initargs=(lifeline, records, level, tuple(preload))
        )
        try:
            yield executor
        except BaseException:
            hold.close()  # the workers end at once, in the middle of their tasks
            raise
        finally:
            executor.shutdown(wait=True, cancel_futures=True)
            hold.close()
            lifeline.close()


class _Pool(ProcessPoolExecutor):
    """Starts its processes out of reach of Ctrl-C, which goes to the whole process group but is the driver's alone."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a task, which may start a process."""
        with interrupt_held(), interrupt_blocked():
            return super().submit(fn, *args, **kwargs)


def _start_server(preload: Sequence[str]) -> None:
    """Start the fork server with the modules that its workers share; only the first start in a process counts.

    The modules are imported here first: what they compile is then in the cache, and Ctrl-C and errors show here.
    """
    _import_all(preload)
    if START_METHOD == "forkserver":
        multiprocessing.set_forkserver_preload([__name__, *preload])
        with interrupt_held(), interrupt_blocked():
            forkserver.ensure_running()


def _import_all(names: Sequence[str]) -> None:
    """Import modules for what importing them prepares."""
    for name in names:
        importlib.import_module(name)


def _start_worker(lifeline: Connection, records: LogQueue, level: int, preload: Sequence[str]) -> None:
    """Prepare a worker process: it ends when its task queue or its lifeline does, and by no polite signal."""
    # A broken pool sends SIGTERM to the workers that live; they are to hand in their log records first.
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)
    log_to_parent(records, level)
    threading.Thread(target=_end_with_driver, args=(lifeline, records), name="lifeline", daemon=True).start()
    _import_all(preload)


def _end_with_driver(lifeline: Connection, records: LogQueue) -> None:
    """Wait until the driver lets go of the line or dies, then end this process, whatever it is doing."""
    try:
        with suppress(EOFError, OSError):
            lifeline.recv_bytes()
        hand_in(records)
    finally:
        os._exit(1)
