"""The law that a table follows, of those that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from modeldocs.numeric.parity.regions.laws.band import band
from modeldocs.numeric.parity.regions.laws.geometric import geometric
from modeldocs.numeric.parity.regions.laws.law import ConstantLaw
from modeldocs.numeric.parity.regions.laws.shifted_windows import shifted_windows
from modeldocs.numeric.parity.regions.laws.slopes import slopes
from modeldocs.numeric.parity.regions.laws.turns import turns

_KINDS: Final[tuple[Callable[[np.ndarray], ConstantLaw | None], ...]] = (
    band,
    shifted_windows,
    slopes,
    geometric,
    turns,
)
_LARGEST: Final = 2**22
"""Elements of the largest table that is read."""


def law_of(array: np.ndarray) -> ConstantLaw | None:
    """The law of a table; None where none is known."""
    if array.size > _LARGEST:
        return None
    found = (kind(array) for kind in _KINDS)
    return next((one for one in found if one is not None), None)
