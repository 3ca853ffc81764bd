"""The order in which a dense layer finds its features: an NHWC flatten has another than NCHW."""

from __future__ import annotations

import numpy as np

from modeldocs.normal import values
from modeldocs.parity.layout import fitted
from modeldocs.parity.route import Route, Shape
from modeldocs.parity.side import Side

DENSE = ("Gemm", "MatMul")


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


def told(a: Side, b: Side, ours: str, theirs: str) -> str:
    """A sentence on the two orders."""
    shapes = ["x".join(map(str, _flattened(one))) for one in (_data(a, ours), _data(b, theirs))]
    name = a.layers[ours].name
    return f"{name} reads its features as {shapes[0]} in A, {shapes[1]} in B: weights permuted"


def columns(array: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The columns of a weight in another order; whole rows are moved where it is kept turned."""
    flat = array.reshape(len(array), -1)
    if flat.T.flags.c_contiguous:
        return np.take(flat.T, places, axis=0).T
    return np.take(flat, places, axis=1)


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
