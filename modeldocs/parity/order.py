"""The order in which a dense layer finds its features: an NHWC flatten has another than NCHW."""

from __future__ import annotations

import itertools
import math

import numpy as np

from modeldocs.normal import values
from modeldocs.parity.layout import fitted
from modeldocs.parity.recipe import Recipe
from modeldocs.parity.route import Route, Shape
from modeldocs.parity.side import Side

DENSE = ("Gemm", "MatMul")

_AXES = 5
"""Axes of which every order is tried."""


def permutation(a: Side, b: Side, ours: str, theirs: str) -> np.ndarray | None:
    """Where each feature that a layer of B reads stands among those of its counterpart in A.

    None where both have the same order, or their features are not the same.
    """
    left, right = _data(a, ours), _data(b, theirs)
    if left is None or right is None or not (left.flattens or right.flattens):
        return None
    start = values.shape(left.root)
    end = values.shape(right.root)
    if start is None or end is None or left.steps is None or right.steps is None:
        return None
    index = np.arange(int(np.prod(start))).reshape(start)
    other = fitted(index, end)
    if other is None:
        return None
    before = _features(a, ours, left.forward(index))
    return _places(before, _features(b, theirs, right.forward(other)))


def rearranged(a: Side, layer: str, weight: Recipe, places: np.ndarray) -> Recipe:
    """A weight of a layer of A, outputs first, its columns in another order.

    Told by the axes of what was flattened where that gives the order, else place by place.
    """
    shape = _flattened(_data(a, layer))
    rows, count = weight.shape[0], len(places)
    if math.prod(shape) == count and len(shape) <= _AXES:
        index = np.arange(count).reshape(shape)
        for axes in itertools.permutations(range(len(shape))):
            if np.array_equal(index.transpose(axes).reshape(-1), places):
                turned = (0, *(axis + 1 for axis in axes))
                return weight.reshape(rows, *shape).transpose(turned).reshape(weight.shape)
    return weight.reshape(rows, count).take(places.tolist(), 1).reshape(weight.shape)


def _data(side: Side, layer: str) -> Route | None:
    found = [edge.route for edge in side.edges[layer] if edge.slot == 0]
    return found[0] if found else None


def _features(side: Side, layer: str, seen: np.ndarray) -> np.ndarray:
    """Indices of the features of a dense layer's first row, or of a convolution's first window."""
    dense = side.layers[layer].operator in DENSE
    return seen.reshape(-1, seen.shape[-1])[0] if dense else seen[:1].reshape(-1)


def _places(before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    sorter = np.argsort(before)
    if not np.array_equal(before[sorter], np.sort(after)):
        return None
    places = sorter[np.searchsorted(before, after, sorter=sorter)]
    return None if np.array_equal(places, np.arange(len(places))) else places


def _flattened(route: Route | None) -> Shape:
    """The shape that was flattened, without the batch."""
    steps = route.steps if route is not None and route.steps else ()
    shaped = [step.before[1:] for step in steps if step.permutation is None]
    if shaped:
        return shaped[-1]
    return (values.shape(route.seen) or ())[1:] if route is not None else ()
