"""How far two arrays of numbers are apart, and whether that is rounding alone."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from modeldocs.struct import Struct

TOLERANCE = 1e-4
"""Largest relative error that is rounding, in float32 through a whole network."""

LAYER = 2e-5
"""The same of one layer.

Dense layers of 25,088 features in another order are 2.4e-6 apart; the smallest fault of those that
ports have, the form of a GELU, makes 1.2e-4.
"""

COARSE = 5e-3
"""The same, of a layer or a network, in a float type of 16 bits."""

_SMALLEST = 1e-30
"""Probabilities below this have lost digits in float32."""


class Difference(Struct, frozen=True):
    """How far two arrays are apart: max |a − b|, and that over max |a| of the same array.

    None where they cannot be compared: their shapes differ, one is missing or not finite. Up to
    `tolerance` the relative error is rounding.
    """

    absolute: float | None = None
    relative: float | None = None
    tolerance: float = TOLERANCE

    @property
    def small(self) -> bool:
        """Whether it is rounding alone."""
        return self.relative is not None and self.relative <= self.tolerance

    def within(self, tolerance: float) -> Difference:
        """The same with another tolerance."""
        return msgspec.structs.replace(self, tolerance=tolerance)

    def size(self) -> float:
        """The relative error, infinite where there is none."""
        return math.inf if self.relative is None else self.relative


def apart(a: np.ndarray, b: np.ndarray) -> Difference:
    """How far two arrays are apart; probabilities, how far their logarithms are.

    A softmax of random weights is often all but one-hot: whatever came before it, the largest
    probability is 1. Its logarithms still tell what the layer read.
    """
    if a.shape != b.shape:
        return Difference()
    plain = distance(a, b)
    if not _are_probabilities(a):
        return plain
    if is_one_hot(a):
        return Difference()
    held = a > _SMALLEST
    logs = distance(
        np.log(a[held].astype(np.float64)),
        np.log(np.maximum(b[held].astype(np.float64), _SMALLEST)),
    )
    return max(plain, logs, key=Difference.size)


def is_one_hot(a: np.ndarray) -> bool:
    """Whether an output is of probabilities, of which only the largest of each can be told."""
    return _are_probabilities(a) and (a > _SMALLEST).sum() <= a.size / a.shape[1]


def _are_probabilities(a: np.ndarray) -> bool:
    """Whether an output is a softmax over axis 1, or over its last."""
    if a.dtype.kind != "f" or a.ndim < 2 or a.shape[1] < 2 or a.min() < 0 or a.max() > 1.001:
        return False
    return any(bool(np.allclose(a.sum(axis=axis), 1, atol=1e-3)) for axis in (1, -1))


def distance(a: np.ndarray, b: np.ndarray) -> Difference:
    """How far two arrays of one shape are apart, whatever their numbers stand for."""
    if not a.size:
        return Difference(absolute=0.0, relative=0.0)
    a, b = _precise(a), _precise(b)
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.abs(a - b)
        if np.isnan(gaps).any():  # equal infinities, and what is no number on both sides
            gaps[(a == b) | (np.isnan(a) & np.isnan(b))] = 0
        sizes = np.abs(a)
        if not np.isfinite(sizes).all():  # where both have the same infinity, the others tell
            sizes = np.where(np.isfinite(sizes), sizes, 0)
        absolute, size = float(np.max(gaps)), float(np.max(sizes))
    if absolute == 0.0:
        return Difference(absolute=0.0, relative=0.0)
    if not np.isfinite(absolute) or not np.isfinite(size) or size == 0.0:
        return Difference()
    return Difference(absolute=absolute, relative=absolute / size)


def _precise(array: np.ndarray) -> np.ndarray:
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
