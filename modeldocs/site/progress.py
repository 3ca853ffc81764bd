"""A progress bar on the terminal's error stream, and silence where there is no terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from modeldocs.build import Progress as Report


@contextlib.contextmanager
def shown_progress() -> Iterator[Report]:
    """A report for `build` that draws a bar while tasks run."""
    console = Console(stderr=True)
    if not sys.stderr.isatty():
        yield lambda done, total, name: None
        return
    columns = (TextColumn("{task.description:40}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        line = bar.add_task("starting", total=None)
        yield lambda done, total, name: bar.update(
            line, completed=done, total=total, description=name[:40]
        )
