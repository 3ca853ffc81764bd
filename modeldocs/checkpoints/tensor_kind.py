"""The kind of a difference of two tensors, where it can be told: what somebody has done wrong."""

from __future__ import annotations

from typing import Final

import ml_dtypes
import numpy as np

from modeldocs.checkpoints.precision import Precision
from modeldocs.checkpoints.rearrangement import rearrangement
from modeldocs.struct import Struct

_ROLES: Final = {
    "scale": "scale",
    "bias": "bias",
    "mean": "running mean",
    "var": "running variance",
}
"""Words for the roles of a norm's tensors."""

_STARTS: Final = {"scale": 1.0, "bias": 0.0, "mean": 0.0, "var": 1.0}
"""What these are in a new network."""

_COARSE: Final = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))

_LEAST_SCALED: Final = 4
"""Elements of the smallest tensor that is told to be another one times a factor."""


class TensorKind(Struct, frozen=True):
    """The kind of a difference, and what it is, in words.

    `kind` is one of `not finite`, `initial` (as in a new network), `zero`, `constant`, `swapped`
    (with another tensor), `other tensor`, `axes`, `flipped`, `permuted`, `order`, `rounded`,
    `scaled` and `values`, which is none of these.
    """

    kind: str
    text: str


def role_name(role: str) -> str:
    """What a tensor of that role is called; empty where its name says enough."""
    return _ROLES.get(role, "")


def alone(expected: np.ndarray, actual: np.ndarray, role: str) -> TensorKind | None:
    """What one of two tensors is by itself: not finite, or one number everywhere."""
    for array, other, owner in ((actual, expected, ""), (expected, actual, "in A ")):
        if not np.isfinite(array).all() and np.isfinite(other).all():
            return TensorKind("not finite", f"{owner}not finite")
    for array, other, owner in ((actual, expected, ""), (expected, actual, "in A ")):
        if is_constant(array) and not is_constant(other):
            return _constant(float(array.reshape(-1)[0]), role, owner)
    if is_constant(actual) and actual.size > 1 and _is_start(float(actual.flat[0]), role):
        return _constant(float(actual.flat[0]), role, "")
    return None


def of_pair(expected: np.ndarray, actual: np.ndarray, precision: Precision) -> TensorKind:
    """What the second of two tensors has become, by their values alone."""
    ours, theirs = precision.rounded(expected), precision.rounded(actual)
    moved = rearrangement(ours, theirs, precision.close)
    if moved is not None:
        return TensorKind(moved.kind, moved.text)
    return _rounded(expected, actual) or _scaled(ours, theirs, precision) or _VALUES


def is_constant(array: np.ndarray) -> bool:
    """Whether a tensor is one number everywhere."""
    return array.size > 0 and bool((array == array.reshape(-1)[0]).all())


_VALUES: Final = TensorKind("values", "other values")


def _is_start(value: float, role: str) -> bool:
    return _STARTS.get(role) == value


def _constant(value: float, role: str, owner: str) -> TensorKind:
    if _is_start(value, role):
        name = role_name(role)
        return TensorKind("initial", f"{owner}{name} left at its start, all {value:g}")
    if value == 0:
        return TensorKind("zero", f"{owner}all 0")
    return TensorKind("constant", f"{owner}all {value:g}")


def _rounded(expected: np.ndarray, actual: np.ndarray) -> TensorKind | None:
    """The kind of a tensor that went through a coarser type than both are stored in."""
    for dtype in _COARSE:
        coarse = Precision([dtype])
        for array, owner in ((actual, ""), (expected, "in A ")):
            kept = array.astype(dtype).astype(array.dtype)
            if np.array_equal(kept, array) and coarse.close(expected, actual):
                return TensorKind("rounded", f"{owner}rounded to {dtype.name}")
    return None


def _scaled(ours: np.ndarray, theirs: np.ndarray, precision: Precision) -> TensorKind | None:
    if ours.size < _LEAST_SCALED:
        return None
    a, b = (one.astype(np.float64, copy=False).reshape(-1) for one in (ours, theirs))
    square = float(a @ a)
    factor = float(a @ b) / square if np.isfinite(square) and square else 0.0
    if factor and Precision([precision.dtype], computed=True).close(a * factor, b):
        return TensorKind("scaled", f"times {factor:.6g}")
    return None
