"""The order in which a dense layer reads its features: that of an NHWC or an NCHW flatten."""

from __future__ import annotations

import itertools
import math

import numpy as np

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.numeric.parity.edge_path import EdgePath, Shape
from modeldocs.numeric.parity.expression import Expression
from modeldocs.numeric.parity.layout import fit
from modeldocs.numeric.parity.runnable_graph import RunnableGraph

DENSE = operators.named(projection=True, channels_first=False)

_MAX_AXES = 5
"""Axes up to which every permutation is tried: 120 at most."""


def feature_permutation(
    a: RunnableGraph, b: RunnableGraph, ours: str, theirs: str
) -> np.ndarray | None:
    """For each feature that a layer of B reads, its index among those of its counterpart in A.

    None where both have the same order, or read different features.
    """
    left, right = _input_path(a, ours), _input_path(b, theirs)
    if left is None or right is None or not (left.flattens or right.flattens):
        return None
    shape_a = values.shape(left.root)
    shape_b = values.shape(right.root)
    if shape_a is None or shape_b is None or left.steps is None or right.steps is None:
        return None
    numbered = np.arange(int(np.prod(shape_a))).reshape(shape_a)
    renumbered = fit(numbered, shape_b)
    if renumbered is None:
        return None
    features_a = _features(a, ours, left.forward(numbered))
    return _positions(features_a, _features(b, theirs, right.forward(renumbered)))


def permute_columns(
    a: RunnableGraph, layer: str, weight: Expression, positions: np.ndarray
) -> Expression:
    """A weight of a layer of A, outputs first, with its columns in another order.

    As a permutation of the axes that were flattened where there is one, else index by index.
    """
    shape = _flattened_shape(_input_path(a, layer))
    rows, count = weight.shape[0], len(positions)
    if math.prod(shape) == count and len(shape) <= _MAX_AXES:
        numbered = np.arange(count).reshape(shape)
        for axes in itertools.permutations(range(len(shape))):
            if np.array_equal(numbered.transpose(axes).reshape(-1), positions):
                axes_order = (0, *(axis + 1 for axis in axes))
                return weight.reshape(rows, *shape).transpose(axes_order).reshape(weight.shape)
    return weight.reshape(rows, count).take(positions.tolist(), 1).reshape(weight.shape)


def _input_path(graph: RunnableGraph, layer: str) -> EdgePath | None:
    """The path to a layer's first operand."""
    paths = [edge.path for edge in graph.edges[layer] if edge.slot == 0]
    return paths[0] if paths else None


def _features(graph: RunnableGraph, layer: str, read: np.ndarray) -> np.ndarray:
    """Indices of the features in a dense layer's first row, or in a convolution's first window."""
    dense = graph.layers[layer].operator in DENSE
    return read.reshape(-1, read.shape[-1])[0] if dense else read[:1].reshape(-1)


def _positions(before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    """The index in `before` of each element of `after`; None where they are equal, or others."""
    sorter = np.argsort(before)
    if not np.array_equal(before[sorter], np.sort(after)):
        return None
    positions = sorter[np.searchsorted(before, after, sorter=sorter)]
    return None if np.array_equal(positions, np.arange(len(positions))) else positions


def _flattened_shape(path: EdgePath | None) -> Shape:
    """The shape that was flattened, without the batch."""
    reshapes = path.reshapes() if path is not None else []
    if reshapes:
        return reshapes[-1][0][1:]
    return (values.shape(path.target) or ())[1:] if path is not None else ()
