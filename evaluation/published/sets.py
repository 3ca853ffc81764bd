"""The sets of pairs. modeldocs was developed before it saw the second, and again the third,
the fourth, the fifth, the sixth and the seventh.
"""

from __future__ import annotations

from typing import Final

from . import fifth, first, fourth, second, seventh, sixth, third
from .pairs import Published

SETS: Final[dict[str, tuple[Published, ...]]] = {
    "1": first.PAIRS,
    "2": second.PAIRS,
    "3": third.PAIRS,
    "4": fourth.PAIRS,
    "5": fifth.PAIRS,
    "6": sixth.PAIRS,
    "7": seventh.PAIRS,
}


def chosen(name: str) -> tuple[Published, ...]:
    """The pairs of a set, or of `all`."""
    return tuple(pair for pairs in SETS.values() for pair in pairs) if name == "all" else SETS[name]
