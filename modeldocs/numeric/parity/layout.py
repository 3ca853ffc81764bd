"""Conversion of arrays between the layouts of A and B."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.normal import values
from modeldocs.numeric.parity.edge_path import EdgePath, Shape, squeezed

_CHANNEL_ORDERS: dict[int, tuple[Shape, ...]] = {
    3: ((0, 2, 1),),
    4: ((0, 2, 3, 1), (0, 3, 1, 2)),
    5: ((0, 2, 3, 4, 1), (0, 4, 1, 2, 3)),
}
"""Permutations from channels first to last, and back, by rank."""


def fit(array: np.ndarray, shape: Shape) -> np.ndarray | None:
    """An array in another shape with the same content; None where there is none.

    Axes of size one may come and go, inner axes may be merged, channels may be first or last.
    """
    if array.size != math.prod(shape):
        return None
    if squeezed(array.shape) == squeezed(shape) or _merges_axes(array.shape, shape):
        return array.reshape(shape)
    for order in _CHANNEL_ORDERS.get(array.ndim, ()):
        if len(shape) == array.ndim and tuple(array.shape[axis] for axis in order) == shape:
            return np.transpose(array, order)
    return None


def _merges_axes(ours: Shape, theirs: Shape) -> bool:
    """Whether one shape has some inner axes of the other merged, with the same last axis."""
    ends = [{math.prod(shape[axis:]) for axis in range(len(shape))} for shape in (ours, theirs)]
    inside = min(len(ours), len(theirs)) > 2
    return inside and ours[-1] == theirs[-1] and (ends[0] <= ends[1] or ends[1] <= ends[0])


Batches = tuple[int, int]
"""The sizes of the batch in A and in B."""


def batched(array: np.ndarray, shape: Shape, batches: Batches) -> np.ndarray | None:
    """A's array for B's batch: its samples over and over; None where the shapes do not fit."""
    ours, theirs = batches
    if ours == theirs or len(shape) != array.ndim or shape[1:] != array.shape[1:] or not shape:
        return None
    if array.shape[0] * theirs != shape[0] * ours or array.shape[0] % ours:
        return None
    rows = array.reshape(ours, -1, *array.shape[1:])
    places = np.arange(theirs) % ours
    return rows[places].reshape(shape)


def carried(
    array: np.ndarray,
    shape: Shape,
    paths: tuple[Sequence[EdgePath], Sequence[EdgePath]],
    batches: Batches,
) -> np.ndarray | None:
    """A's array in B's shape, as B has it: see `convert`, `fit` and `batched`; None for others.

    `paths` are those to readers that correspond, `batches` the sizes of the batch in A and in B.
    """
    found = convert(array, *paths) if paths[0] else None
    found = fit(array, shape) if found is None else found
    found = batched(array, shape, batches) if found is None else found
    return found if found is not None and found.shape == shape else None


def reordered(array: np.ndarray, arrangement: Arrangement, shape: Shape) -> np.ndarray | None:
    """A's array in the order and shape in which B computes it; None where it does not fit."""
    sizes = arrangement.sizes or array.shape
    if math.prod(sizes) != array.size or math.prod(shape) != array.size:
        return None
    return array.reshape(sizes).transpose(arrangement.order or range(len(sizes))).reshape(shape)


def comparable(
    ours: np.ndarray,
    theirs: np.ndarray,
    reader_paths: tuple[EdgePath, EdgePath] | None,
    arrangement: Arrangement = KEPT,
) -> tuple[np.ndarray, np.ndarray] | None:
    """The outputs of both sides in one shape: as they are, or as corresponding layers read them.

    `reader_paths` lead to these layers; `order` is that of B's elements. None where there is no
    shape in common.
    """
    if arrangement != KEPT:
        converted = reordered(theirs, arrangement.inverse(), ours.shape)
        return None if converted is None else (ours, converted)
    converted = fit(theirs, ours.shape)
    if converted is not None:
        return ours, converted
    if reader_paths is None or not all(
        _fits(*pair) for pair in zip((ours, theirs), reader_paths, strict=True)
    ):
        return None
    read_a, read_b = reader_paths[0].forward(ours), reader_paths[1].forward(theirs)
    converted = fit(read_b, read_a.shape)
    return (read_a, converted) if converted is not None else None


def _fits(array: np.ndarray, path: EdgePath) -> bool:
    """Whether an array has the shape from which a path starts."""
    return path.steps is not None and (not path.steps or values.shape(path.root) == array.shape)


def convert(
    array: np.ndarray, ours: Sequence[EdgePath], theirs: Sequence[EdgePath]
) -> np.ndarray | None:
    """A's array as B must have it, so that corresponding layers read the same.

    `ours` are the paths from the array to its readers, `theirs` those of their counterparts. Paths
    that flatten are tried last. None where B can read nothing that is the same.
    """
    pairs = [pair for pair in zip(ours, theirs, strict=False) if _are_known(*pair)]
    unflattened = [pair for pair in pairs if not pair[0].flattens and not pair[1].flattens]
    shape = values.shape(theirs[0].root)
    converted = _through_readers(array, unflattened)
    if converted is None and shape is not None:
        converted = fit(array, shape)
    return _through_readers(array, pairs) if converted is None else converted


def _through_readers(
    array: np.ndarray, paths: Sequence[tuple[EdgePath, EdgePath]]
) -> np.ndarray | None:
    """The array converted through the first paths that end in the same shape."""
    for path_a, path_b in paths:
        read, shape = path_a.forward(array), values.shape(path_b.target) or ()
        if path_a.features is not None and path_b.features is not None:
            read = np.moveaxis(read, path_a.features, path_b.features)
        if squeezed(read.shape) == squeezed(shape):
            return path_b.backward(read.reshape(shape))
    return None


def _are_known(path_a: EdgePath, path_b: EdgePath) -> bool:
    """Whether all shapes on two paths are known."""
    return path_a.steps is not None and path_b.steps is not None
