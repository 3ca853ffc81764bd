"""The fourth set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published
from . import listening, writing

PAIRS: Final[tuple[Published, ...]] = (*writing.PAIRS, *listening.PAIRS)
