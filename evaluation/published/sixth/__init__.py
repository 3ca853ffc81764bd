"""The sixth set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published
from . import convolving, hearing, seeing, segmenting, writing

PAIRS: Final[tuple[Published, ...]] = (
    *writing.PAIRS,
    *seeing.PAIRS,
    *convolving.PAIRS,
    *segmenting.PAIRS,
    *hearing.PAIRS,
)
