"""The fifth set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published
from . import convolving, listening, locating, reading, seeing, writing

PAIRS: Final[tuple[Published, ...]] = (
    *seeing.PAIRS,
    *convolving.PAIRS,
    *locating.PAIRS,
    *listening.PAIRS,
    *reading.PAIRS,
    *writing.PAIRS,
)
