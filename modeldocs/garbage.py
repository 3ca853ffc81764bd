"""The garbage collector of processes that hold graphs, which are many objects that stay."""

from __future__ import annotations

import gc
import threading

_PAUSE = 1.0
"""Seconds after which a server has sent what a reader asked for first."""


def collect_rarely() -> None:
    """Let it look for garbage at every 50,000 new objects, not at every 700."""
    gc.set_threshold(50_000, 20, 20)


def spare_in_pause() -> None:
    """Let the collector never again look at what is there in the pause after the first build.

    Nearly all of it stays; to look at it in the midst of a later build takes a second.
    """
    timer = threading.Timer(_PAUSE, _spare)
    timer.daemon = True
    timer.start()


def _spare() -> None:
    gc.collect()
    gc.freeze()
