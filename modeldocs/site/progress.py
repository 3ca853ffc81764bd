"""The progress of tasks on the error stream, where that is a terminal."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Iterator

from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from modeldocs import formatting
from modeldocs.tasks import pool
from modeldocs.tasks.pool import Status

SLOW = 10.0
"""Seconds after which the time of a running task is coloured."""

LINES = 8
"""Running tasks that are shown, the longest of them."""

LOG_SECONDS = 5.0
"""Seconds between two lines of a log."""


@contextlib.contextmanager
def shown_progress(log: logging.Logger | None = None) -> Iterator[pool.Progress]:
    """A progress callback that shows what is done, what runs, and for how long.

    Without a terminal it writes lines to `log`, and without that it does nothing.
    """
    if sys.stderr.isatty():
        with drawn_progress(Console(stderr=True)) as progress:
            yield progress
    else:
        yield _ProgressLog(log).tell if log is not None else pool.silent


@contextlib.contextmanager
def drawn_progress(console: Console) -> Iterator[pool.Progress]:
    """A progress callback that draws on a terminal; nothing is left there when the block ends."""
    drawing = _ProgressBar()
    with Live(drawing.group, console=console, transient=True, refresh_per_second=4):
        yield drawing.tell


class _Seconds(ProgressColumn):
    """The time since a task started, in whole seconds."""

    def render(self, task: Task) -> Text:
        seconds = task.elapsed or 0.0
        return Text(f"{seconds:4.0f} s", style="yellow" if seconds >= SLOW else "dim")


class _ProgressBar:
    """A bar of the tasks that are done, and a line for each task that runs."""

    def __init__(self) -> None:
        self.done = Progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.running = Progress(_Seconds(), TextColumn("{task.description}", markup=False))
        self.group = Group(self.done, self.running)
        self.bar: TaskID | None = None
        self.lines: dict[str, TaskID] = {}

    def tell(self, status: Status) -> None:
        """Show a state."""
        if self.bar is None:
            self.bar = self.done.add_task("", total=status.total)
        self.done.update(self.bar, completed=status.done, total=status.total)
        for name in self.lines.keys() - set(status.running):
            self.running.remove_task(self.lines.pop(name))
        for number, name in enumerate(status.running):
            if name not in self.lines:
                self.lines[name] = self.running.add_task(formatting.visible(name), total=None)
            self.running.update(self.lines[name], visible=number < LINES)


class _ProgressLog:
    """Lines of a log, at most one in some seconds."""

    def __init__(self, log: logging.Logger) -> None:
        self.log = log
        self.last = float("-inf")

    def tell(self, status: Status) -> None:
        """Log a state, unless another was logged just before."""
        now = time.monotonic()
        if status.running and now - self.last >= LOG_SECONDS:
            self.last = now
            names = ", ".join(status.running[:LINES])
            self.log.info(f"modeldocs: {status.done} of {status.total} done; running: {names}")
