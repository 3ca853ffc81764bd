"""How two tables of equal shape are related, whatever they are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from modeldocs.diff import Law
from modeldocs.numeric.parity.regions.laws.law import number
from modeldocs.numeric.parity.regions.laws.slopes import HIDING

_TOLERANCE = 1e-5
_MOST_AXES = 5


def relation(ours: np.ndarray, theirs: np.ndarray) -> Law:
    """What makes B's table of A's; else where the two first part, and in how many elements."""
    found = plain_relation(ours, theirs)
    if found is not None:
        return found
    x, y = _seen(*(_numbers(one) for one in (ours, theirs)))
    apart = np.argwhere(~np.isclose(x, y, rtol=_TOLERANCE, atol=_TOLERANCE))
    where = ",".join(map(str, apart[0])) if len(apart) else ""
    return Law(f"{len(apart):,} of {x.size:,} values, the first at [{where}]")


def plain_relation(ours: np.ndarray, theirs: np.ndarray) -> Law | None:
    """What makes B's array of A's: an order, a sign, a factor, a shift of rows; None where none of
    these does.
    """
    x, y = (_numbers(one) for one in (ours, theirs))
    if x.shape == y.shape:
        x, y = _seen(x, y)
    for name, candidate in _candidates(x):
        if candidate.shape == y.shape and _are_equal(candidate, y):
            return Law(name)
    factor = _factor(x, y) if x.shape == y.shape else None
    if factor is None:
        return None
    return Law("negated") if factor == -1 else Law("factor", "1", number(factor))


def _seen(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two masks that hide the same, by what they do not hide."""
    hidden = x <= -HIDING
    if x.dtype == bool or hidden.all() or not np.array_equal(hidden, y <= -HIDING):
        return x, y
    return np.where(hidden, 0, x), np.where(hidden, 0, y)


def _candidates(x: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """A table in other orders of its elements, by their name."""
    if x.dtype == bool:
        yield "inverted", ~x
    thin = [axis for axis, size in enumerate(x.shape) if size > 1]
    if x.ndim <= _MOST_AXES:
        for one, other in itertools.combinations(reversed(range(x.ndim)), 2):
            if x.shape[one] > 1 or x.shape[other] > 1:
                yield "transposed", x.swapaxes(one, other)
    for axis in reversed(thin):
        yield f"axis {axis} reversed", np.flip(x, axis)
        if x.shape[axis] % 2 == 0:
            yield f"halves of axis {axis} exchanged", np.roll(x, x.shape[axis] // 2, axis)
        for by in (1, -1):
            yield f"axis {axis} shifted by {by}", np.roll(x, by, axis)


def _factor(x: np.ndarray, y: np.ndarray) -> float | None:
    """The number by which all of A's values are multiplied."""
    if x.dtype == bool or not (np.isfinite(x).all() and np.isfinite(y).all()):
        return None
    largest = np.unravel_index(np.argmax(np.abs(x)), x.shape)
    if x[largest] == 0 or y[largest] == 0:
        return None
    factor = float(y[largest] / x[largest])
    return factor if _are_equal(x * factor, y) else None


def _are_equal(x: np.ndarray, y: np.ndarray) -> bool:
    if x.dtype == bool:
        return bool((x == y).all())
    return bool(np.allclose(x, y, rtol=_TOLERANCE, atol=_TOLERANCE))


def _numbers(array: np.ndarray) -> np.ndarray:
    return array if array.dtype == bool else array.astype(np.float64)
