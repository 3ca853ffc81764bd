"""Differences between arrays of numbers, and the tolerances up to which they are rounding."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from modeldocs.struct import Struct

TOLERANCE = 1e-4
"""Largest relative error that counts as rounding, in float32 through a whole network."""

LAYER_TOLERANCE = 2e-5
"""The same for one layer.

The sums of a dense layer of 25,088 features in another order differ by 2.4e-6; the smallest mistake
found in ports, the other form of GELU, makes 1.2e-4.
"""

HALF_TOLERANCE = 5e-3
"""The same for a layer or a network with values of a 16-bit float type."""

_LEAST_PROBABILITY = 1e-30
"""Smaller probabilities have lost digits in float32."""


class Difference(Struct, frozen=True):
    """The difference of two arrays: max |a − b|, and that over max |a|.

    Both are None where the arrays cannot be compared: their shapes differ, one is missing or not
    finite. The relative one alone is None where both have the same NaN and infinities and nothing
    else, which shows nothing. A relative error up to `tolerance` is rounding.
    """

    absolute: float | None = None
    relative: float | None = None
    tolerance: float = TOLERANCE

    @property
    def small(self) -> bool:
        """Whether it is rounding alone."""
        return self.relative is not None and self.relative <= self.tolerance

    @property
    def shows_nothing(self) -> bool:
        """Whether the arrays have no finite number, in which they could differ."""
        return self.absolute == 0 and self.relative is None

    def within(self, tolerance: float) -> Difference:
        """The same difference with another tolerance."""
        return msgspec.structs.replace(self, tolerance=tolerance)

    def size(self) -> float:
        """The relative error; infinite where the arrays cannot be compared."""
        return math.inf if self.relative is None else self.relative


def output_distance(a: np.ndarray, b: np.ndarray) -> Difference:
    """The difference of two outputs; of probabilities, the larger of that and their logarithms'.

    A softmax of random weights is often nearly one-hot: the largest probability is 1 whatever came
    before it, but the logarithms of the others still depend on that.
    """
    if a.shape != b.shape:
        return Difference()
    difference = distance(a, b)
    if not _are_probabilities(a):
        return difference
    if is_one_hot(a):
        return Difference()
    precise = a > _LEAST_PROBABILITY
    of_logarithms = distance(
        np.log(a[precise].astype(np.float64)),
        np.log(np.maximum(b[precise].astype(np.float64), _LEAST_PROBABILITY)),
    )
    return max(difference, of_logarithms, key=Difference.size)


def is_one_hot(a: np.ndarray) -> bool:
    """Whether an output is probabilities of which only the largest of each row is above zero."""
    return _are_probabilities(a) and (a > _LEAST_PROBABILITY).sum() <= a.size / a.shape[1]


def _are_probabilities(a: np.ndarray) -> bool:
    """Whether an output is like that of a softmax over axis 1 or over the last."""
    if a.dtype.kind != "f" or a.ndim < 2 or a.shape[1] < 2 or not a.size:
        return False
    if a.min() < 0 or a.max() > 1.001:
        return False
    return any(bool(np.allclose(a.sum(axis=axis), 1, atol=1e-3)) for axis in (1, -1))


def distance(a: np.ndarray, b: np.ndarray) -> Difference:
    """The difference of two arrays of one shape."""
    if not a.size or np.array_equal(a, b):
        return Difference(absolute=0.0, relative=0.0)
    a, b = _precise(a), _precise(b)
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.abs(a - b)
        if np.isnan(gaps).any():  # equal infinities, and NaN in both
            gaps = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, gaps)
        sizes = np.abs(a)
        if not np.isfinite(sizes).all():  # the same infinities in both: others decide
            sizes = np.where(np.isfinite(sizes), sizes, 0)
        absolute, size = float(np.max(gaps)), float(np.max(sizes))
    if absolute == 0.0:
        return Difference(absolute=0.0, relative=0.0 if np.isfinite(a).any() else None)
    if not np.isfinite(absolute) or not np.isfinite(size) or size == 0.0:
        return Difference()
    return Difference(absolute=absolute, relative=absolute / size)


def _precise(array: np.ndarray) -> np.ndarray:
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
