"""Every pair that is compared."""

from __future__ import annotations

from typing import Final

from . import convolutional
from .pairs import Pair

PAIRS: Final[tuple[Pair, ...]] = (
    *convolutional.RESIDUAL,
    *convolutional.DENSE,
    *convolutional.MOBILE,
    *convolutional.PLAIN,
    *convolutional.BRANCHES,
)
"""Networks that are one model."""

DIFFERENT: Final[tuple[Pair, ...]] = ()
"""Networks that are not: what is said of them is printed, and nothing scored."""
