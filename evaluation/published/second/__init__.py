"""The second set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published
from . import convolutional, hearing, images, reading

PAIRS: Final[tuple[Published, ...]] = (
    *convolutional.PAIRS,
    *images.PAIRS,
    *hearing.PAIRS,
    *reading.PAIRS,
)
