"""How an array has the elements of another in another order: axes, directions, rows, or any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from typing import Final

import numpy as np

from modeldocs.struct import Struct

_MOST_AXES: Final = 5
"""Axes of the arrays of which all orders are tried."""

_BLOCKS: Final = (2, 3, 4, 6)
"""Numbers of gates, or of projections, that one array holds."""

_SAMPLE: Final = 64
"""Elements that are compared before all are."""

Close = Callable[[np.ndarray, np.ndarray], bool]
"""Whether two arrays of one shape are equal but for rounding."""


class Rearrangement(Struct, frozen=True):
    """The kind of a rearrangement (`axes`, `flipped`, `permuted`, `order`), and what it is."""

    kind: str
    text: str


def rearrangement(expected: np.ndarray, actual: np.ndarray, close: Close) -> Rearrangement | None:
    """How `actual` has the elements of `expected`, of the same shape; None where it has others."""
    if not _same_elements(expected, actual, close):
        return None
    tries = (_axes(expected), _flips(expected), _axes_read_on(expected))
    for made, found in (one for each in tries for one in each):
        if _alike(made, actual, close):
            return found
    for axis in range(expected.ndim):
        permuted = _permuted(expected, actual, axis, close)
        if permuted is not None:
            return permuted
    return Rearrangement("order", "the same numbers in another order")


def _same_elements(expected: np.ndarray, actual: np.ndarray, close: Close) -> bool:
    ends = [np.array([one.min(), one.max()]) for one in (expected, actual)]
    return close(*ends) and close(np.sort(expected, axis=None), np.sort(actual, axis=None))


def _axes(array: np.ndarray) -> Iterator[tuple[np.ndarray, Rearrangement]]:
    """The array with axes of one size exchanged."""
    if array.ndim > _MOST_AXES:
        return
    for order in permutations(range(array.ndim)):
        moved = [axis for axis, other in enumerate(order) if axis != other]
        if moved and tuple(array.shape[axis] for axis in order) == array.shape:
            names = " and ".join(map(str, moved)) if len(moved) == 2 else f"in the order {order}"
            text = "transposed" if array.ndim == 2 else f"transposed: axes {names}"
            text += " are exchanged" if len(moved) == 2 and array.ndim > 2 else ""
            yield array.transpose(order), Rearrangement("axes", text)


def _flips(array: np.ndarray) -> Iterator[tuple[np.ndarray, Rearrangement]]:
    """The array with some axes in the opposite direction."""
    wide = [axis for axis, size in enumerate(array.shape) if size > 1]
    for count in (1, 2):
        for axes in combinations(wide[:_MOST_AXES], count):
            text = f"in the opposite direction along axis {' and '.join(map(str, axes))}"
            yield np.flip(array, axes), Rearrangement("flipped", text)


def _axes_read_on(array: np.ndarray) -> Iterator[tuple[np.ndarray, Rearrangement]]:
    """The array with its axes in another order, then read on as if they were in this one."""
    if array.ndim > _MOST_AXES:
        return
    for order in permutations(range(array.ndim)):
        moved = array.transpose(order)
        if moved.shape != array.shape:
            text = f"reshaped where it had to be transposed: its axes are in the order {order}"
            yield moved.reshape(array.shape), Rearrangement("axes", text)


def _alike(made: np.ndarray, actual: np.ndarray, close: Close) -> bool:
    """Whether two arrays are equal; most others are told by a few of their elements."""
    places = np.linspace(0, actual.size - 1, min(_SAMPLE, actual.size)).astype(np.int64)
    where = np.unravel_index(places, actual.shape)
    return close(made[where], actual[where]) and close(made, actual)


def _permuted(
    expected: np.ndarray, actual: np.ndarray, axis: int, close: Close
) -> Rearrangement | None:
    """The rearrangement where the rows along an axis are in another order."""
    size = expected.shape[axis]
    if size < 2:
        return None
    ours, theirs = (np.argsort(_marks(one, axis), kind="stable") for one in (expected, actual))
    order = np.empty(size, np.int64)
    order[theirs] = ours
    if not _alike(np.take(expected, order, axis), actual, close):
        return None
    rows = f"{size} rows" if expected.ndim > 1 else f"{size} elements"
    blocks = next((one for n in _BLOCKS if (one := _blocks(order, n))), None)
    if blocks is not None and size > len(blocks):
        text = f"its {len(blocks)} blocks along axis {axis} are in the order {_listed(blocks)}"
    else:
        text = f"its {rows} along axis {axis} are in another order: {_listed(order.tolist())}"
    return Rearrangement("permuted", text)


def _marks(array: np.ndarray, axis: int) -> np.ndarray:
    """A number for each row along an axis, other for other rows: a product with fixed weights."""
    rows = np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1)
    weights = np.random.default_rng(0).uniform(0.5, 1.5, rows.shape[1])
    return np.asarray(rows.astype(np.float64, copy=False) @ weights)


def _blocks(order: np.ndarray, count: int) -> list[int] | None:
    """The order of equal blocks, where an order moves these as a whole."""
    if order.size % count:
        return None
    width = order.size // count
    starts = order[::width]
    whole = (starts[:, None] + np.arange(width)).reshape(-1)
    return (starts // width).tolist() if np.array_equal(whole, order) else None


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    return shown if len(numbers) <= 8 else f"{shown} …"
