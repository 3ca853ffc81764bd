"""The fourth set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published
from . import attending, listening, seeing, writing

PAIRS: Final[tuple[Published, ...]] = (
    *writing.PAIRS,
    *listening.PAIRS,
    *seeing.PAIRS,
    *attending.PAIRS,
)
