"""Views: a tensor's elements as strided elements of another, its root.

Reshape and Transpose compute nothing: each axis of their output runs over elements of the root in
steps. Only shapes are read here, never elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.data_movement import permutations

Steps = tuple[tuple[int, int], ...]
"""Pairs (stride, size), strides in elements of the root, outermost first; none of size 1."""

RESHAPES = operators.moving("reshape")
MOVES = operators.moving("reshape", "transpose", "identity")


@dataclass(frozen=True)
class View:
    """A value as elements of `root`: the first at `offset`, along each axis in its steps."""

    root: ir.Value
    axes: tuple[Steps, ...]
    offset: int = 0

    @property
    def steps(self) -> Steps:
        """The steps of all axes in the root's order, joined."""
        return joined(sorted((step for axis in self.axes for step in axis), reverse=True))


def joined(steps: Sequence[tuple[int, int]]) -> Steps:
    """The same steps, with contiguous ones merged into one."""
    merged: list[tuple[int, int]] = []
    for stride, size in steps:
        if size == 1:
            continue
        if merged and merged[-1][0] == stride * size:
            merged[-1] = (stride, merged[-1][1] * size)
        else:
            merged.append((stride, size))
    return tuple(merged)


def strides(dims: Sequence[int]) -> list[int]:
    """Elements from one index of an axis to the next, by axis."""
    return [math.prod(dims[axis + 1 :]) for axis in range(len(dims))]


def elements(root: ir.Value) -> int:
    """Number of elements of a tensor of known shape."""
    return math.prod(values.shape(root) or ())


def whole(root: ir.Value) -> View | None:
    """A value as a view of itself; None where a dimension is unknown or 0."""
    dims = values.shape(root)
    if dims is None or 0 in dims:
        return None
    return View(root, tuple(joined([step]) for step in zip(strides(dims), dims, strict=True)))


def reshaped(view: View, dims: Sequence[int]) -> View | None:
    """The view reshaped to `dims`; None where its axes have no steps in the root."""
    remaining = list(joined([step for axis in view.axes for step in axis]))
    axes: list[Steps] = []
    for dim in dims:
        steps: list[tuple[int, int]] = []
        while dim != 1:
            if not remaining:
                return None
            stride, size = remaining.pop(0)
            if dim % size == 0:
                steps.append((stride, size))
                dim //= size
            elif size % dim == 0:
                inner = size // dim
                steps.append((stride * inner, dim))
                remaining.insert(0, (stride, inner))
                dim = 1
            else:
                return None
        axes.append(joined(steps))
    return None if remaining else View(view.root, tuple(axes), view.offset)


def transposed(view: View, order: permutations.Permutation) -> View | None:
    """The view with its axes permuted."""
    if len(order) != len(view.axes):
        return None
    return View(view.root, tuple(view.axes[axis] for axis in order), view.offset)


def cut(view: View, axis: int, start: int, size: int, step: int = 1) -> View | None:
    """`size` indices of an axis from `start`, every `step`; None where their strides differ."""
    steps = view.axes[axis]
    if not steps:
        return view if start == 0 and size == 1 else None
    (stride, length), inner = steps[0], math.prod(size for _, size in steps[1:])
    if len(steps) > 1 and step != 1:
        return None
    if start % inner or size % inner or start // inner + (size // inner - 1) * step >= length:
        return None
    remaining = joined([(stride * step, size // inner), *steps[1:]])
    axes = (*view.axes[:axis], remaining, *view.axes[axis + 1 :])
    return View(view.root, axes, view.offset + start // inner * stride)


def through(view: View, node: ir.Node) -> View | None:
    """The view of the output of a Reshape, Transpose or Identity, given that of its operand."""
    if node.op_type == "Identity":
        return view
    if node.op_type == "Transpose":
        order = permutations.of_node(node)
        return transposed(view, order) if order is not None else None
    dims = values.shape(node.outputs[0])
    return reshaped(view, dims) if dims is not None else None


def swaps_last(node: ir.Node) -> bool:
    """Whether a Transpose swaps the last two axes and no others."""
    order = permutations.of_node(node) or ()
    rank = len(order)
    return rank > 1 and order == (*range(rank - 2), rank - 1, rank - 2)


def trace(value: ir.Value) -> tuple[View, list[ir.Node]] | None:
    """A value as a view of the computed tensor before it, and the nodes between, the last first."""
    nodes: list[ir.Node] = []
    root = value
    node = root.producer()
    while values.is_operator(node, *MOVES) and node is not None and node.inputs[0] is not None:
        nodes.append(node)
        root = node.inputs[0]
        node = root.producer()
    view = whole(root)
    for node in reversed(nodes):
        view = through(view, node) if view is not None else None
    return (view, nodes) if view is not None else None


@dataclass(frozen=True)
class Path:
    """The nodes from a root to a view: a Reshape, a Transpose, a Reshape, each where needed."""

    first_shape: tuple[int, ...]
    order: permutations.Permutation
    last_shape: tuple[int, ...]


def path(view: View) -> Path | None:
    """The shortest path from the root to a view of all its elements; None for other views.

    The root's axes are split no further than needed. Axes of size 1 stay after the axis that they
    follow, so that a batch of one gives the same path as a larger one.
    """
    dims = values.shape(view.root)
    if dims is None or view.steps != joined([(1, math.prod(dims))]):
        return None
    pieces: list[tuple[tuple[int, int, int], int]] = []
    for steps in view.axes:
        axis_steps = [part for step in steps for part in by_axis(step, dims)]
        for stride, size in axis_steps:
            pieces.append(((-stride, 0, len(pieces)), size))
        if not axis_steps:
            before = pieces[-1][0] if pieces else (-math.prod(dims) - 1, 0, 0)
            pieces.append(((before[0], 1, len(pieces)), 1))
    ranked = sorted(range(len(pieces)), key=lambda index: pieces[index][0])
    order = tuple(ranked.index(index) for index in range(len(pieces)))
    sizes = tuple(pieces[index][1] for index in ranked)
    last_shape = tuple(math.prod(size for _, size in steps) for steps in view.axes)
    if order == permutations.identity(len(order)):
        return Path(last_shape, permutations.identity(len(last_shape)), last_shape)
    return Path(sizes, order, last_shape)


def by_axis(step: tuple[int, int], dims: Sequence[int]) -> list[tuple[int, int]]:
    """A step split where it crosses from one axis of a tensor to another."""
    stride, size = step
    parts = []
    for inner in strides(dims)[:-1]:
        within = inner // stride
        if inner > stride and size > within and size % within == 0 and inner % stride == 0:
            parts.append((inner, size // within))
            size = within
    return [*parts, (stride, size)]


def axis_of(step: tuple[int, int], dims: Sequence[int]) -> int:
    """The axis of a tensor that a step runs along."""
    stride = step[0]
    return next(axis for axis, inner in enumerate(strides(dims)) if inner <= stride)
