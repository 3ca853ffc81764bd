"""The order of elements in which two arrays are equal, found by their numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from modeldocs.diff.function.arrangement import KEPT, Arrangement, Sizes

_MAX_AXES = 6
"""Factors up to which every order is tried: 720 at most."""
_SAMPLE = 64
"""Elements that are compared before all of them are."""
_LEAST = 4
"""Elements of the smallest array in which an order means anything."""


def order_of(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> Arrangement | None:
    """The order in which A's elements are those of B's array, whatever the two shapes.

    None where they are equal in no order of axes, or not enough elements differ to tell.
    """
    if ours.size != theirs.size or ours.size < _LEAST or ours.dtype.kind not in "fiu":
        return None
    x, y = (array.astype(np.float64, copy=False) for array in (ours, theirs))
    scale = float(np.max(np.abs(x)))
    if not math.isfinite(scale) or scale == 0 or not np.isfinite(y).all():
        return None
    bound = tolerance * scale
    if abs(x.mean() - y.mean()) > bound or abs(x.std() - y.std()) > bound or x.std() <= bound:
        return None
    flat = y.reshape(-1)
    sample = np.linspace(0, flat.size - 1, min(_SAMPLE, flat.size)).astype(np.int64)
    places = np.arange(flat.size)
    for sizes in _factors(ours.shape, theirs.shape):
        for order in itertools.permutations(range(len(sizes))):
            at = places.reshape(sizes).transpose(order).reshape(-1)
            near = np.abs(x.reshape(-1)[at[sample]] - flat[sample])
            if near.max() <= bound and np.abs(x.reshape(-1)[at] - flat).max() <= bound:
                return Arrangement(sizes, order).simplified()
    return None


def _factors(ours: Sequence[int], theirs: Sequence[int]) -> Iterator[Sizes]:
    """Factors of A's axes that B's may put in another order: A's own, then axes split into B's."""
    own = tuple(dim for dim in ours if dim > 1)
    other = [dim for dim in theirs if dim > 1]
    seen = set[Sizes]()
    for sizes in itertools.product(*(_splits(dim, other) for dim in own)):
        factors = tuple(itertools.chain(*sizes))
        if len(factors) <= _MAX_AXES and factors not in seen:
            seen.add(factors)
            yield factors


def _splits(dim: int, other: Sequence[int]) -> Iterator[Sizes]:
    """An axis whole, and as the product of two of B's."""
    yield (dim,)
    if dim not in other:
        for first, last in itertools.permutations(other, 2):
            if first * last == dim:
                yield first, last


def arranged(array: np.ndarray, order: Arrangement, shape: Sequence[int]) -> np.ndarray:
    """A's array in B's order and shape."""
    if order == KEPT:
        return array.reshape(shape)
    return array.reshape(order.sizes).transpose(order.order).reshape(shape)
