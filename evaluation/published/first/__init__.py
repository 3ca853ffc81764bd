"""The first set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published
from . import audio, generating, images, text

PAIRS: Final[tuple[Published, ...]] = (
    *images.PAIRS,
    *text.PAIRS,
    *audio.PAIRS,
    *generating.PAIRS,
)
