"""The pool of processes that runs tasks; when a process dies, only its task fails."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    as_completed,
)
from functools import partial
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from modeldocs import gc_tuning, isolation, lazy_import, machine
from modeldocs.errors import Failure, ModeldocsError, first_line
from modeldocs.isolation.confinement import die_with_parent
from modeldocs.machine import FailureCause
from modeldocs.struct import Struct

T = TypeVar("T")


class Status(NamedTuple):
    """The state of some tasks: how many ended, of how many, and which run, the longest first."""

    done: int
    total: int
    running: tuple[str, ...]


Progress = Callable[[Status], None]
"""Called when tasks start and when one of them ended."""


def silent(_status: Status) -> None:
    """A progress callback that does nothing."""


class PooledTask(Struct, frozen=True):
    """A task: the name of its kind, its own name, and its inputs."""

    kind: str
    name: str
    inputs: Any

    @property
    def title(self) -> str:
        """Its kind and its name: `load lenet/caffe`."""
        return f"{self.kind} {self.name}"


class Done(Struct, Generic[T], frozen=True):
    """A task that ended, with its result or its failure."""

    task: PooledTask
    result: T | None = None
    failure: Failure | None = None


class Pool:
    """Runs tasks on a given executor, else on processes of its own, started when needed."""

    def __init__(self, executor: Executor | None, jobs: int | None, progress: Progress) -> None:
        self.given, self.progress = executor, progress
        self.jobs = jobs or len(os.sched_getaffinity(0))
        self.own: ProcessPoolExecutor | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if error is not None:
            isolation.stop()  # else the threads of an executor would be waited for
        self.close()

    def close(self) -> None:
        """End its processes, when they are done; others are started when they are needed."""
        if self.own is not None:
            self.own.shutdown(cancel_futures=True)
            self.own = None

    def prepare(self, function: Callable[[], None]) -> None:
        """Start a process, where none waits, and let it call a function; do not wait for it."""
        self._executor().submit(_interruptible, function)

    def run(
        self, function: Callable[[PooledTask], T], tasks: list[PooledTask]
    ) -> Iterator[Done[T]]:
        """Run tasks; yields each when it ends.

        When a process of the pool dies, the tasks left run again, each in a process of its own, so
        that only the task that kills its process fails.

        Raises:
            ModeldocsError: a process of the given executor died.
        """
        pending = {id(task): task for task in tasks}
        self._report(pending, len(tasks), self.jobs)
        for done in self._together(function, tasks):
            del pending[id(done.task)]
            self._report(pending, len(tasks), self.jobs)
            yield done
        for task in list(pending.values()):
            self._report(pending, len(tasks), 1)
            done = _alone(function, task)
            del pending[id(task)]
            self._report(pending, len(tasks), 1)
            yield done

    def _together(
        self, function: Callable[[PooledTask], T], tasks: list[PooledTask]
    ) -> Iterator[Done[T]]:
        """Run tasks on one executor; yields those that end before it breaks, if it does."""
        if not tasks:
            return
        executor = self._executor()
        if self.given is None:
            function = partial(_interruptible, function)
        futures: dict[Future[T], PooledTask] = {}
        try:
            for task in tasks:
                futures[executor.submit(function, task)] = task
        except BrokenExecutor:
            self._broken()
        for future in as_completed(futures):
            error = _error(future)
            if isinstance(error, BrokenExecutor | CancelledError):
                self._broken()
            elif error is not None:
                yield Done(task=futures[future], failure=_failure(futures[future], error))
            else:
                yield Done(task=futures[future], result=future.result())

    def _executor(self) -> Executor:
        if self.given is not None:
            return self.given
        if self.own is None:
            self.own = _processes(self.jobs)
        return self.own

    def _broken(self) -> None:
        if self.given is not None:
            raise ModeldocsError.of_machine(
                FailureCause(
                    "the executor lost a process before its tasks were done",
                    "start it again, with more memory for each process",
                )
            )
        if self.own is not None:
            self.own.shutdown(wait=False, cancel_futures=True)
            self.own = None

    def _report(self, pending: dict[int, PooledTask], total: int, processes: int) -> None:
        """Tell the progress; tasks start in their order, so that the first of those left run."""
        running = tuple(task.title for task in islice(pending.values(), processes))
        if total:
            self.progress(Status(total - len(pending), total, running))


def _processes(count: int) -> ProcessPoolExecutor:
    """Processes that end with this one, even where it is killed: else they would wait forever."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, context, initializer=_begin)


def _begin() -> None:
    """The beginning of a process of the pool."""
    die_with_parent()
    parent = multiprocessing.parent_process()
    if parent is not None and os.getppid() != parent.pid:
        os._exit(1)  # the parent was killed before this process could ask to end with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # else Ctrl-C would end it while it waits, loudly
    lazy_import.defer_symbolic()  # before a task imports what would import sympy
    gc_tuning.collect_rarely()


def _interruptible(function: Callable[..., T], *inputs: object) -> T:
    """Call a function in a process of the pool; Ctrl-C ends the call."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return function(*inputs)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _alone(function: Callable[[PooledTask], T], task: PooledTask) -> Done[T]:
    with _processes(1) as process:
        future = process.submit(_interruptible, function, task)
        error = _error(future)
        if isinstance(error, BrokenExecutor):
            return Done(task=task, failure=_died(task))
        if error is not None:
            return Done(task=task, failure=_failure(task, error))
        return Done(task=task, result=future.result())


def _died(task: PooledTask) -> Failure:
    cause = FailureCause(
        f"the process that was to {task.kind} it died, most often since memory ran out",
        "end other programs, or use --jobs 1",
    )
    return Failure.of(ModeldocsError.of_machine(cause))


def _error(future: Future[Any]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as error:
        return error


def _failure(task: PooledTask, error: BaseException) -> Failure:
    if isinstance(error, ModeldocsError):
        return Failure.of(error)
    if not isinstance(error, Exception):
        raise error
    if type(error).__name__ == "KilledWorker":  # Dask's, after some tries
        return _died(task)
    cause = machine.cause_in_ours(error)
    if cause is not None:
        return Failure.of(ModeldocsError.of_machine(cause))
    return Failure(
        reason=f"modeldocs failed to {task.kind} it with {type(error).__name__}: "
        f"{first_line(error)}",
        fix="this is a defect of modeldocs; report it with the file",
    )
