"""The sixth set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published
from . import convolving, hearing, seeing, writing

PAIRS: Final[tuple[Published, ...]] = (
    *writing.PAIRS,
    *seeing.PAIRS,
    *convolving.PAIRS,
    *hearing.PAIRS,
)
