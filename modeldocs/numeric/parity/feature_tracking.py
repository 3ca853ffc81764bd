"""Tracking of the outputs of projections that one port packs and the other does not.

Each output is numbered, and the numbers follow the operators that only move elements, on both
sides, to a reader. That gives the rows of a packed weight, however its heads are interleaved.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.numeric.parity.expression import Expression, concatenate
from modeldocs.numeric.parity.matched_group import GroupSide, MatchedGroup
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.weight_slices import slices

_ELEMENTWISE = operators.named(affine="scale") | operators.named(affine="shift")
"""Operators that keep every element in its place, where the other operand is a weight."""

_MAX_BLOCKS = 4
"""Blocks of rows up to which an order is told block by block: halves, and gates."""


def row_permutation(
    a: RunnableGraph, b: RunnableGraph, group: MatchedGroup, left: list[str], right: list[str]
) -> np.ndarray | None:
    """For each of the concatenated outputs of B's pieces, its index among those of A's pieces.

    None where they cannot be tracked.
    """
    ours, theirs = _track(a, group.a, left), _track(b, group.b, right)
    if ours is None or theirs is None or ours[1] != theirs[1]:
        return None
    positions = np.full(ours[1], -1)
    for i, j in group.output_pairs:
        indices = _indices_read(a, b, group, (i, j), ours[0], theirs[0])
        if indices is None:
            return None
        positions[indices[1].reshape(-1)] = indices[0].reshape(-1)
    return positions if sorted(positions.tolist()) == list(range(len(positions))) else None


def _indices_read(
    a: RunnableGraph,
    b: RunnableGraph,
    group: MatchedGroup,
    pair: tuple[int, int],
    ours: dict[str, np.ndarray],
    theirs: dict[str, np.ndarray],
) -> tuple[np.ndarray, np.ndarray] | None:
    """The indices that two corresponding readers read in the same slot, of A and of B."""
    output_a, output_b = str(group.a.outputs[pair[0]].name), str(group.b.outputs[pair[1]].name)
    if output_a not in ours or output_b not in theirs:
        return None
    for edge, other in itertools.product(a.readers.get(output_a, []), b.readers.get(output_b, [])):
        is_same = a.layers[edge.layer].operator == b.layers[other.layer].operator
        if is_same and edge.slot == other.slot and edge.path.steps is not None:
            read = edge.path.forward(ours[output_a]), other.path.forward(theirs[output_b])
            if read[0].shape == read[1].shape:
                return read
    return None


def _track(
    graph: RunnableGraph, side: GroupSide, pieces: list[str]
) -> tuple[dict[str, np.ndarray], int] | None:
    """The indices in each value of a side, by name, and how many there are."""
    indices: dict[str, np.ndarray] = {}
    count = 0
    for name in pieces:
        output = graph.nodes[name].outputs[0]
        shape = values.shape(output)
        if shape is None or not shape:
            return None
        numbers = np.arange(count, count + shape[-1])
        indices[str(output.name)] = np.broadcast_to(numbers, shape)
        count += shape[-1]
    for name in side.ids:
        edges = [edge for edge in graph.edges[name] if str(edge.path.root.name) in indices]
        if name in pieces or not edges:
            continue
        root = str(edges[0].path.root.name)
        found = moved(graph.nodes[name], edges[0].path.forward(indices[root]))
        if found is None:
            return None
        indices |= {str(value.name): array for value, array in found}
    return indices, count


def moved(node: ir.Node, numbers: np.ndarray) -> list[tuple[ir.Value, np.ndarray]] | None:
    """The indices in each output of a node that only moves elements; None for another node."""
    if values.is_operator(node, *_ELEMENTWISE):
        same = values.shape(node.outputs[0]) == numbers.shape
        return [(node.outputs[0], numbers)] if same else None
    if values.is_operator(node, "Gather"):
        indices = values.constant(values.operand(node, 1))
        axis = int(values.attribute(node, "axis", 0))
        return [(node.outputs[0], np.take(numbers, indices, axis))] if indices is not None else None
    pieces_read: list[tuple[ir.Value, np.ndarray]] = []
    for value in node.outputs:
        pieces = slices(node, value, numbers.shape)
        if pieces is None:
            return None
        piece = numbers
        for axis, start, stop, flipped in pieces:
            piece = np.take(piece, range(start, stop)[:: -1 if flipped else 1], axis)
        pieces_read.append((value, piece))
    return pieces_read


def permute_rows(weight: Expression, positions: np.ndarray) -> Expression:
    """A weight with its rows permuted: as blocks or a permutation of axes where they are such."""
    if np.array_equal(positions, np.arange(len(positions))):
        return weight
    blocks = np.split(positions, np.flatnonzero(np.diff(positions) != 1) + 1)
    if len(blocks) <= _MAX_BLOCKS:
        bounds = [(int(block[0]), int(block[-1]) + 1) for block in blocks]
        return concatenate([weight.slice(0, *each) for each in bounds])
    axes = _as_axes(positions)
    if axes is None:
        return weight.take(positions.tolist(), 0)
    sizes, order = axes
    rest = weight.shape[1:]
    parts = weight.reshape(*sizes, *rest)
    axes_order = (*order, *range(len(sizes), len(sizes) + len(rest)))
    return parts.transpose(axes_order).reshape(weight.shape)


def _as_axes(positions: np.ndarray) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The sizes and the order of axes that give a permutation of elements; None where none do."""
    strides: list[tuple[int, int]] = []
    rest = positions
    while len(rest) > 1:
        stride = int(rest[1] - rest[0])
        steps = np.flatnonzero(rest - rest[0] != stride * np.arange(len(rest)))
        size = int(steps[0]) if len(steps) else len(rest)
        if stride <= 0 or len(rest) % size:
            return None
        strides.insert(0, (stride, size))
        rest = rest[::size]
    by_stride = sorted(range(len(strides)), key=lambda axis: -strides[axis][0])
    sizes = tuple(strides[axis][1] for axis in by_stride)
    order = tuple(by_stride.index(axis) for axis in range(len(strides)))
    if math.prod(sizes) != len(positions):
        return None
    indices = np.arange(len(positions)).reshape(sizes).transpose(order).reshape(-1)
    return (sizes, order) if np.array_equal(indices, positions) else None
