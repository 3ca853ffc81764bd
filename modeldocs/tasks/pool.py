"""The pool: runs tasks on an executor, and loses none of them when a process dies."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    as_completed,
)
from typing import Any, Generic, TypeVar

from modeldocs.errors import Failure, ModeldocsError, first_line
from modeldocs.struct import Struct

T = TypeVar("T")

Progress = Callable[[int, int, str], None]
"""Called with tasks done, tasks in all, and the name of the last one done."""


def silent(_done: int, _total: int, _name: str) -> None:
    """Progress that nobody is told."""


class Task(Struct, frozen=True):
    """One thing to do: the kind of work, the name it is known by, and what it takes."""

    kind: str
    name: str
    inputs: Any


class Done(Struct, Generic[T], frozen=True):
    """A task that came to its end: what was made, or the failure that says why nothing was."""

    task: Task
    made: T | None = None
    failure: Failure | None = None


class Pool:
    """Runs tasks on the executor given, else on processes of its own, started when needed."""

    def __init__(self, executor: Executor | None, jobs: int | None, progress: Progress) -> None:
        self.given, self.jobs, self.progress = executor, jobs, progress
        self.own: ProcessPoolExecutor | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        if self.own is not None:
            self.own.shutdown(cancel_futures=True)

    def run(self, function: Callable[[Task], T], tasks: list[Task]) -> Iterator[Done[T]]:
        """Tasks as they come to their end.

        When a process of our own dies, what it leaves undone runs again, each task in a process
        of its own, so that only the one that kills its process fails.

        Raises:
            ModeldocsError: the executor given is broken.
        """
        waiting = {id(task): task for task in tasks}
        for done in self._all(function, tasks):
            del waiting[id(done.task)]
            self._tell(done.task, len(tasks) - len(waiting), len(tasks))
            yield done
        for number, task in enumerate(list(waiting.values()), start=1):
            done = _alone(function, task)
            self._tell(task, len(tasks) - len(waiting) + number, len(tasks))
            yield done

    def _all(self, function: Callable[[Task], T], tasks: list[Task]) -> Iterator[Done[T]]:
        """Those that end before the executor breaks, if it does."""
        if not tasks:
            return
        executor = self._executor()
        futures: dict[Future[T], Task] = {}
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
                yield Done(task=futures[future], made=future.result())

    def _executor(self) -> Executor:
        if self.given is not None:
            return self.given
        if self.own is None:
            self.own = _processes(self.jobs or len(os.sched_getaffinity(0)))
        return self.own

    def _broken(self) -> None:
        if self.given is not None:
            raise ModeldocsError(
                "the executor lost a process before its tasks were done",
                fix="start it again, with more memory for each process, and build again",
            )
        if self.own is not None:
            self.own.shutdown(wait=False, cancel_futures=True)
            self.own = None

    def _tell(self, task: Task, done: int, total: int) -> None:
        self.progress(done, total, f"{task.kind} {task.name}")


def _processes(count: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))


def _alone(function: Callable[[Task], T], task: Task) -> Done[T]:
    with _processes(1) as process:
        future = process.submit(function, task)
        error = _error(future)
        if isinstance(error, BrokenExecutor):
            reason = f"the process that was to {task.kind} it died"
            fix = "it may have run out of memory; build again with more, or with --jobs 1"
            return Done(task=task, failure=Failure(reason=reason, fix=fix))
        if error is not None:
            return Done(task=task, failure=_failure(task, error))
        return Done(task=task, made=future.result())


def _error(future: Future[Any]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as error:
        return error


def _failure(task: Task, error: BaseException) -> Failure:
    if isinstance(error, ModeldocsError):
        return Failure.of(error)
    if not isinstance(error, Exception):
        raise error
    said = first_line(error)
    return Failure(
        reason=f"modeldocs failed to {task.kind} it with {type(error).__name__}: {said}",
        fix="this is a defect of modeldocs; report it with the file",
    )
