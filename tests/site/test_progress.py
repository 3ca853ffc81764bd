"""The progress: what is done and what runs for how long, on a terminal or in a log."""

from __future__ import annotations

import io
import logging
import re
import sys

import pytest
from rich.console import Console

from modeldocs.site import progress
from modeldocs.tasks.pool import Status


@pytest.fixture
def terminal():
    return Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)


def lines(console: Console) -> list[str]:
    """All that was drawn, as text."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", console.file.getvalue())
    return [line.strip() for line in text.replace("\r", "\n").splitlines() if line.strip()]


def test_a_terminal_shows_what_runs_and_how_many_are_done(terminal):
    with progress.drawn_progress(terminal) as tell:
        tell(Status(0, 3, ("load net/keras", "load net/[red]caffe")))
        tell(Status(1, 3, ("load net/[red]caffe", "load net/\x1bonnx")))
    drawn = lines(terminal)
    assert any(re.fullmatch(r"[━╸╺ ]+ 1/3 .*", line) for line in drawn)
    assert re.fullmatch(r"\d+ s load net/\[red\]caffe", drawn[-2])
    assert re.fullmatch(r"\d+ s load net/\S+onnx", drawn[-1])


def test_of_many_that_run_the_longest_are_shown(terminal):
    names = tuple(f"load net/{number:02}" for number in range(30))
    with progress.drawn_progress(terminal) as tell:
        tell(Status(0, 30, names))
    shown = {line.split()[-1] for line in lines(terminal) if "load" in line}
    assert shown == {f"net/{number:02}" for number in range(progress.LINES)}


def test_without_a_terminal_nothing_is_drawn(capsys):
    with progress.shown_progress() as tell:
        tell(Status(0, 1, ("load net/caffe",)))
    assert capsys.readouterr() == ("", "")


def test_or_a_log_tells_it_now_and_then(caplog, monkeypatch):
    now = iter([0.0, 1.0, 6.0, 20.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    assert not sys.stderr.isatty()
    with (
        caplog.at_level(logging.INFO),
        progress.shown_progress(logging.getLogger("test")) as tell,
    ):
        tell(Status(0, 2, ("load a/b", "load a/c")))
        tell(Status(1, 2, ("load a/c",)))
        tell(Status(1, 2, ("load a/c",)))
        tell(Status(2, 2, ()))
    assert caplog.messages == [
        "modeldocs: 0 of 2 done; running: load a/b, load a/c",
        "modeldocs: 1 of 2 done; running: load a/c",
    ]
