"""Arrays of one side as the other side has them: other axes of one element, or another order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.parity.route import Route, Shape, squeezed

_ORDERS: dict[int, tuple[Shape, ...]] = {
    3: ((0, 2, 1),),
    4: ((0, 2, 3, 1), (0, 3, 1, 2)),
    5: ((0, 2, 3, 4, 1), (0, 4, 1, 2, 3)),
}
"""Channels first to last, and back."""


def fitted(array: np.ndarray, shape: Shape) -> np.ndarray | None:
    """An array in another shape that holds the same: axes of one, rows or channels elsewhere."""
    if squeezed(array.shape) == squeezed(shape) or _in_rows(array.shape, shape):
        return array.reshape(shape)
    for order in _ORDERS.get(array.ndim, ()):
        if len(shape) == array.ndim and tuple(array.shape[axis] for axis in order) == shape:
            return np.transpose(array, order)
    return None


def _in_rows(ours: Shape, theirs: Shape) -> bool:
    """Whether one has rows and columns as one axis, between its first and its last."""
    ends = [{math.prod(shape[axis:]) for axis in range(len(shape))} for shape in (ours, theirs)]
    inside = min(len(ours), len(theirs)) > 2
    return inside and ours[-1] == theirs[-1] and (ends[0] <= ends[1] or ends[1] <= ends[0])


def turned(array: np.ndarray, order: Arrangement, shape: Shape) -> np.ndarray | None:
    """What A computes in the order and the shape in which B does; None where it does not fit."""
    sizes = order.sizes or array.shape
    if math.prod(sizes) != array.size or math.prod(shape) != array.size:
        return None
    return array.reshape(sizes).transpose(order.order or range(len(sizes))).reshape(shape)


def alike(
    ours: np.ndarray,
    theirs: np.ndarray,
    seen: tuple[Route, Route] | None,
    order: Arrangement = KEPT,
) -> tuple[np.ndarray, np.ndarray] | None:
    """What both sides compute, in one shape: as it is, or as layers that correspond read it.

    `seen` are the ways to these, `order` that of B's elements. None where it has no shape in
    common.
    """
    if order != KEPT:
        found = turned(theirs, order.inverse(), ours.shape)
        return None if found is None else (ours, found)
    found = fitted(theirs, ours.shape)
    if found is not None:
        return ours, found
    if seen is None or not all(_fits(*pair) for pair in zip((ours, theirs), seen, strict=True)):
        return None
    here, there = seen[0].forward(ours), seen[1].forward(theirs)
    found = fitted(there, here.shape)
    return (here, found) if found is not None else None


def _fits(array: np.ndarray, route: Route) -> bool:
    """Whether an array can go a way: it is of the shape that was inferred."""
    return route.steps is not None and (not route.steps or route.steps[0].before == array.shape)


def carried(array: np.ndarray, ours: Sequence[Route], theirs: Sequence[Route]) -> np.ndarray | None:
    """What one side computes, as the other side has to compute it to read the same.

    `ours` are the routes from the array to its readers, `theirs` those of their counterparts.
    None where nothing that the other side could read is the same.
    """
    both = [pair for pair in zip(ours, theirs, strict=False) if _known(*pair)]
    plain = [pair for pair in both if not pair[0].flattens and not pair[1].flattens]
    shape = _shape(theirs[0])
    found = _through(array, plain)
    if found is None and shape is not None:
        found = fitted(array, shape)
    return _through(array, both) if found is None else found


def _through(array: np.ndarray, routes: Sequence[tuple[Route, Route]]) -> np.ndarray | None:
    """What is read as the array is, over the first routes that end in the same shape."""
    for here, there in routes:
        seen, shape = here.forward(array), _seen(there)
        if squeezed(seen.shape) == squeezed(shape):
            return there.backward(seen.reshape(shape))
    return None


def _known(here: Route, there: Route) -> bool:
    return here.steps is not None and there.steps is not None


def _shape(route: Route) -> Shape | None:
    return route.steps[0].before if route.steps else _dims(route)


def _seen(route: Route) -> Shape:
    return route.steps[-1].after if route.steps else (_dims(route) or ())


def _dims(route: Route) -> Shape | None:
    held = route.root.shape
    dims = tuple(dim for dim in held or () if isinstance(dim, int))
    return dims if held is not None and len(dims) == len(held) else None
