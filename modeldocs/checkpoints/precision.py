"""Arrays of different types compared: equal but for the rounding of the coarser of the two."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

import ml_dtypes
import numpy as np

from modeldocs.struct import Struct

_CHUNK: Final = 1 << 20
"""Elements that are compared at a time, as float64."""

_ARITHMETIC: Final = 16
"""Roundings of the largest element that computing an array may be off by."""


class Measured(Struct, frozen=True):
    """How far two arrays are apart: max |a − b|, that over max |a|, and how many elements differ
    by more than rounding. The largest differences are infinite where one is not finite.
    """

    absolute: float
    relative: float
    differing: int


class Precision:
    """The type to whose rounding arrays are compared.

    `computed` tells that one was computed, not only copied.
    """

    def __init__(self, types: Collection[np.dtype], *, computed: bool = False) -> None:
        self.dtype = max(sorted(types, key=str), key=_epsilon)
        self.computed = computed

    def rounded(self, array: np.ndarray) -> np.ndarray:
        """An array in that type, as numbers to compute with."""
        if array.dtype == self.dtype and array.dtype in (np.float32, np.float64):
            return array
        return array.astype(self.dtype).astype(np.float64)

    def close(self, expected: np.ndarray, actual: np.ndarray) -> bool:
        """Whether two arrays of one shape are equal but for rounding."""
        largest = self._largest(expected)
        return all(not one.any() for one, _ in self._differences(expected, actual, largest))

    def measured(self, expected: np.ndarray, actual: np.ndarray) -> Measured:
        """How far two arrays of one shape are apart."""
        largest, absolute, count = self._largest(expected), 0.0, 0
        for differs, apart in self._differences(expected, actual, largest):
            count += int(differs.sum())
            if differs.any():
                absolute = max(absolute, float(np.nan_to_num(apart, nan=np.inf).max()))
        relative = absolute / largest if largest else (np.inf if absolute else 0.0)
        return Measured(absolute, float(relative), count)

    def _differences(
        self, expected: np.ndarray, actual: np.ndarray, largest: float
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """By parts: which elements differ, and how much."""
        epsilon = _epsilon(self.dtype)
        least = _ARITHMETIC * epsilon * largest if self.computed else _tiny(self.dtype)
        for ours, theirs in zip(_chunks(expected), _chunks(actual), strict=True):
            a, b = (self.rounded(one).astype(np.float64, copy=False) for one in (ours, theirs))
            with np.errstate(invalid="ignore"):
                apart = np.where(a == b, 0.0, np.abs(a - b))
            same = np.isnan(a) & np.isnan(b)
            yield ~(same | (apart <= epsilon * np.abs(a) + least)), np.where(same, 0.0, apart)

    def _largest(self, array: np.ndarray) -> float:
        sizes = (np.abs(self.rounded(one)) for one in _chunks(array) if one.size)
        finite = (float(np.max(one, initial=0.0, where=np.isfinite(one))) for one in sizes)
        return max(finite, default=0.0)


def _chunks(array: np.ndarray) -> Iterator[np.ndarray]:
    flat = np.ascontiguousarray(array).reshape(-1)
    for start in range(0, flat.size, _CHUNK):
        yield flat[start : start + _CHUNK]


def _epsilon(dtype: np.dtype) -> float:
    """The distance of 1 and the next number; 0 for whole numbers."""
    return float(_limits(dtype).eps) if _is_float(dtype) else 0.0


def _tiny(dtype: np.dtype) -> float:
    return float(_limits(dtype).smallest_subnormal) if _is_float(dtype) else 0.0


def _is_float(dtype: np.dtype) -> bool:
    return np.issubdtype(dtype, np.floating) or dtype.name.startswith(("bfloat", "float"))


def _limits(dtype: np.dtype) -> Any:
    """`np.finfo`, also of the types that numpy lacks."""
    return ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
