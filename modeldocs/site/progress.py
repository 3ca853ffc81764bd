"""A progress bar on the error stream, where that is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from modeldocs.tasks import pool


@contextlib.contextmanager
def shown_progress() -> Iterator[pool.Progress]:
    """A progress callback for `build` that draws a bar; it does nothing without a terminal."""
    if not sys.stderr.isatty():
        yield pool.silent
        return
    name = TextColumn("{task.description:40}")
    columns = (name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        line = bar.add_task("starting", total=None)
        yield lambda done, total, name: bar.update(
            line, completed=done, total=total, description=name[:40]
        )
