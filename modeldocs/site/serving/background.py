"""Tasks that a page need not wait for: they run beside the server, in a process of their own.

The process leaves their results in the store, where the next build finds them. It holds a pipe of
this one: when this one ends, however it does, it ends as well.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

from modeldocs.errors import Failure
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.pool import Done, Pool, PooledTask, silent
from modeldocs.tasks.results import Results
from modeldocs.tasks.work import work

log = logging.getLogger("mkdocs.plugins.modeldocs")

_NICER = 10
"""How much lower than the server's its priority is, which must not slow down a rebuild."""

_QUIET = ("-W", "ignore::UserWarning:multiprocessing.resource_tracker")
"""Options of its Python: one that was killed would warn of locks that it had not released."""

_LOST = Failure(
    reason="the run left no result; the next change tries again",
    fix="run `modeldocs build`, which tells the reason",
)


class Background:
    """The tasks that builds postponed; `ended` is called when those that were started have ended.

    Tasks are compared as a whole: one whose inputs have changed is another.
    """

    def __init__(self, jobs: int | None, ended: Callable[[], None]) -> None:
        self._jobs, self._ended = jobs, ended
        self._wanted: list[PooledTask] = []
        self._running: list[PooledTask] = []
        self._tried: list[PooledTask] = []
        self.process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def adopt(self, results: Results) -> None:
        """Take over the tasks that a build has postponed, but those that have left no result.

        The build after that takes these over, too: the machine may have failed them.
        """
        with self._lock:
            lost = [task for task in results.postponed if task in self._tried]
            self._wanted = [task for task in results.postponed if task not in lost]
            self._tried = []
        for task in lost:
            results.finish(Done(task=task, failure=_LOST))

    def start(self, place: TaskFolders) -> None:
        """Run the tasks, unless some of them run already; stop those that no build wants now."""
        with self._lock:
            if any(task not in self._wanted for task in self._running):
                self._stop()
            if self.process is not None or not self._wanted:
                return
            self._running = self._wanted
            self.process = _started(place, self._jobs, self._running)
            threading.Thread(target=self._wait, args=(self.process,), daemon=True).start()

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        count, start = len(self._running), time.monotonic()
        what = "a pair of ports is" if count == 1 else f"{count} pairs of ports are"
        log.info(f"modeldocs: {what} run with the same weights; the site is served meanwhile")
        process.wait()
        with self._lock:
            if process is not self.process:
                return
            self._tried += self._running
            self.process, self._running = None, []
        log.info(f"modeldocs: they were run, in {time.monotonic() - start:.1f} s")
        self._ended()

    def close(self) -> None:
        """Stop what runs."""
        with self._lock:
            self._wanted = []
            self._stop()

    def _stop(self) -> None:
        process, self.process, self._running = self.process, None, []
        if process is not None:
            process.kill()
            process.wait()


def _started(
    place: TaskFolders, jobs: int | None, tasks: list[PooledTask]
) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, *_QUIET, "-P", "-m", __name__],
        stdin=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the server, which then stops it
    )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        pickle.dump((place, jobs, tasks), process.stdin)
        process.stdin.flush()
    return process


def main() -> None:
    """Run the tasks that come on the standard input, until that is closed."""
    os.nice(_NICER)
    place, jobs, tasks = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_input, daemon=True).start()
    with place.objects.in_use(), Pool(None, jobs, silent) as pool:
        for _ in pool.run(partial(work, place), tasks):
            pass


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1024):  # Python's own buffer would be locked when it exits
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
