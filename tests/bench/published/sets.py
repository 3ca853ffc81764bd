"""The two sets of pairs. modeldocs was developed before it saw the second."""

from __future__ import annotations

from typing import Final

from . import first, second
from .pairs import Published

SETS: Final[dict[str, tuple[Published, ...]]] = {"1": first.PAIRS, "2": second.PAIRS}


def chosen(name: str) -> tuple[Published, ...]:
    """The pairs of `1`, `2`, or `all`."""
    return (*first.PAIRS, *second.PAIRS) if name == "all" else SETS[name]
