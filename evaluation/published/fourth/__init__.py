"""The fourth set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published
from . import attending, conformers, listening, reading, seeing, segmenting, writing

PAIRS: Final[tuple[Published, ...]] = (
    *writing.PAIRS,
    *reading.PAIRS,
    *conformers.PAIRS,
    *listening.PAIRS,
    *seeing.PAIRS,
    *segmenting.PAIRS,
    *attending.PAIRS,
)
