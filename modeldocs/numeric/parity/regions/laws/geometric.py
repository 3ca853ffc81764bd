"""Geometric rows: frequencies, each by the same factor of the one before."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modeldocs.diff import Law
from modeldocs.numeric.parity.regions.laws.law import same, step

_LEAST = 4
_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Geometric:
    """A row of numbers from `first` on, each `base^(1/count)` times less than the one before."""

    NUMBERS: ClassVar[tuple[str, ...]] = ("first", "base")

    first: float
    base: float
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]

    def array(self) -> np.ndarray:
        """The row."""
        count = math.prod(self.shape)
        made = self.first * self.base ** (-np.arange(count) / count)
        return made.reshape(self.shape).astype(self.dtype)

    def difference(self, other: Geometric) -> Iterator[Law]:
        """Another base or another first number, or the row backwards."""
        if same(self.base * other.base, 1.0):
            yield Law("reversed")
            return
        if not same(self.base, other.base):
            yield step("base", self.base, other.base)
        if not same(self.first, other.first):
            yield step("first", self.first, other.first)


def geometric(array: np.ndarray) -> Geometric | None:
    """The law of a row of numbers; None for others."""
    row = array.reshape(-1).astype(np.float64) if array.dtype.kind == "f" else np.empty(0)
    if row.size < _LEAST or max(array.shape) != row.size or not (row > 0).all():
        return None
    if not np.isfinite(row).all():
        return None
    logs = np.log(row)
    slope = (logs[-1] - logs[0]) / (row.size - 1)
    apart = np.abs(logs - logs[0] - slope * np.arange(row.size)).max()
    if apart > _TOLERANCE or abs(slope) < _TOLERANCE:
        return None
    return Geometric(float(row[0]), math.exp(-slope * row.size), array.shape, array.dtype)
