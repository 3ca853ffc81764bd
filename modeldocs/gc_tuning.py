"""The garbage collector of processes that hold graphs, which are many objects that stay."""

from __future__ import annotations

import gc


def collect_rarely() -> None:
    """Let it look for garbage at every 50,000 new objects, not at every 700."""
    gc.set_threshold(50_000, 20, 20)


def spare_what_is_there() -> None:
    """Collect what is garbage now, and never again look at the rest, nearly all of which stays.

    To look at all objects of a large catalog in the midst of a rebuild would take a second.
    """
    gc.collect()
    gc.freeze()
