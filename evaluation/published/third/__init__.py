"""The third set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published
from . import decoders, hearing, seeing

PAIRS: Final[tuple[Published, ...]] = (*decoders.PAIRS, *hearing.PAIRS, *seeing.PAIRS)
