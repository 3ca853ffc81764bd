"""The seventh set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published
from . import attending, convolving, hearing, reading, seeing, writing

PAIRS: Final[tuple[Published, ...]] = (
    *writing.PAIRS,
    *reading.PAIRS,
    *attending.PAIRS,
    *hearing.PAIRS,
    *seeing.PAIRS,
    *convolving.PAIRS,
)
