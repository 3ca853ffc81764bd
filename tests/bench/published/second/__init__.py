"""The second set."""

from __future__ import annotations

from typing import Final

from ..pairs import Published

PAIRS: Final[tuple[Published, ...]] = ()
