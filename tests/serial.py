"""Tasks of builds in the process of the tests, which has imported what they need."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from modeldocs.tasks.pool import Pool, Progress


class Serial(Executor):
    """The simplest executor: a task runs when it is submitted."""

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextlib.contextmanager
def tasks_here() -> Iterator[None]:
    """Within this block a pool starts no processes, unless it is asked for several: its tasks run
    in this one.

    Ports still load in processes of their own, which the fork servers of this one fork: these
    import a framework once for all tests, where each pool would import it for each build.
    """
    begin = Pool.__init__

    def begin_here(pool: Pool, executor: Executor | None, jobs: int | None, progress: Progress):
        several = jobs is not None and jobs > 1
        begin(pool, executor or (None if several else Serial()), jobs, progress)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pool, "__init__", begin_here)
        yield
