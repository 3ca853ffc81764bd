"""Views: what a tensor's elements are of another, as strides.

A Reshape or Transpose computes nothing: each of its axes runs over elements of the tensor that was
computed, in steps. Only shapes are read, never elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.normal import permutations, values

Steps = tuple[tuple[int, int], ...]
"""(stride, size) in the root's elements, outermost first; none of size 1."""

RESHAPES = ("Reshape", "Flatten", "Squeeze", "Unsqueeze")
MOVES = (*RESHAPES, "Transpose", "Identity")


@dataclass(frozen=True)
class View:
    """A value as elements of `root`: the first at `offset`, each axis in its steps."""

    root: ir.Value
    axes: tuple[Steps, ...]
    offset: int = 0

    @property
    def steps(self) -> Steps:
        """The steps of all axes, in the root's order, neighbours joined."""
        return joined(sorted((step for axis in self.axes for step in axis), reverse=True))


def joined(steps: Sequence[tuple[int, int]]) -> Steps:
    """The same steps, those that go on where the next ends taken as one."""
    made: list[tuple[int, int]] = []
    for stride, size in steps:
        if size == 1:
            continue
        if made and made[-1][0] == stride * size:
            made[-1] = (stride, made[-1][1] * size)
        else:
            made.append((stride, size))
    return tuple(made)


def strides(dims: Sequence[int]) -> list[int]:
    """Elements from one place of an axis to the next, by axis."""
    return [math.prod(dims[axis + 1 :]) for axis in range(len(dims))]


def elements(root: ir.Value) -> int:
    """How many elements a tensor of known shape has."""
    return math.prod(values.shape(root) or ())


def whole(root: ir.Value) -> View | None:
    """A value as it is; None where a dimension is not known, or none is there."""
    dims = values.shape(root)
    if dims is None or 0 in dims:
        return None
    return View(root, tuple(joined([step]) for step in zip(strides(dims), dims, strict=True)))


def reshaped(view: View, dims: Sequence[int]) -> View | None:
    """The view with its elements in other axes; None where these are no steps of the root."""
    left = list(joined([step for axis in view.axes for step in axis]))
    axes: list[Steps] = []
    for dim in dims:
        taken: list[tuple[int, int]] = []
        while dim != 1:
            if not left:
                return None
            stride, size = left.pop(0)
            if dim % size == 0:
                taken.append((stride, size))
                dim //= size
            elif size % dim == 0:
                inner = size // dim
                taken.append((stride * inner, dim))
                left.insert(0, (stride, inner))
                dim = 1
            else:
                return None
        axes.append(joined(taken))
    return None if left else View(view.root, tuple(axes), view.offset)


def transposed(view: View, order: permutations.Permutation) -> View | None:
    """The view with its axes in another order."""
    if len(order) != len(view.axes):
        return None
    return View(view.root, tuple(view.axes[axis] for axis in order), view.offset)


def cut(view: View, axis: int, start: int, size: int, step: int = 1) -> View | None:
    """Places `start`, `start + step` … of an axis; None where they lie in no even steps."""
    steps = view.axes[axis]
    if not steps:
        return view if start == 0 and size == 1 else None
    (stride, length), inner = steps[0], math.prod(size for _, size in steps[1:])
    if len(steps) > 1 and step != 1:
        return None
    if start % inner or size % inner or start // inner + (size // inner - 1) * step >= length:
        return None
    kept = joined([(stride * step, size // inner), *steps[1:]])
    axes = (*view.axes[:axis], kept, *view.axes[axis + 1 :])
    return View(view.root, axes, view.offset + start // inner * stride)


def moved(view: View, node: ir.Node) -> View | None:
    """The view behind a node that only moves what it reads."""
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
    """What a value is of what was computed, and the nodes on the way, the last first."""
    nodes: list[ir.Node] = []
    root = value
    node = root.producer()
    while values.is_operator(node, *MOVES) and node is not None and node.inputs[0] is not None:
        nodes.append(node)
        root = node.inputs[0]
        node = root.producer()
    view = whole(root)
    for node in reversed(nodes):
        view = moved(view, node) if view is not None else None
    return (view, nodes) if view is not None else None


@dataclass(frozen=True)
class Way:
    """How a view is made of its root, at most: a Reshape, a Transpose, a Reshape."""

    apart: tuple[int, ...]
    order: permutations.Permutation
    together: tuple[int, ...]


def way(view: View) -> Way | None:
    """The shortest way from the root to a view of all its elements.

    The root's axes are taken apart no further than they must be. Axes of one element stay behind
    the one that they follow, so that a batch of one is moved as a larger one is.
    """
    dims = values.shape(view.root)
    if dims is None or view.steps != joined([(1, math.prod(dims))]):
        return None
    pieces: list[tuple[tuple[int, int, int], int]] = []
    for steps in view.axes:
        apart = [step for whole in steps for step in by_axis(whole, dims)]
        for stride, size in apart:
            pieces.append(((-stride, 0, len(pieces)), size))
        if not apart:
            before = pieces[-1][0] if pieces else (-math.prod(dims) - 1, 0, 0)
            pieces.append(((before[0], 1, len(pieces)), 1))
    ranked = sorted(range(len(pieces)), key=lambda index: pieces[index][0])
    order = tuple(ranked.index(index) for index in range(len(pieces)))
    sizes = tuple(pieces[index][1] for index in ranked)
    together = tuple(math.prod(size for _, size in steps) for steps in view.axes)
    if order == permutations.identity(len(order)):
        return Way(together, permutations.identity(len(together)), together)
    return Way(sizes, order, together)


def by_axis(step: tuple[int, int], dims: Sequence[int]) -> list[tuple[int, int]]:
    """A step taken apart where it goes from one axis of a tensor to the next."""
    stride, size = step
    made = []
    for inner in strides(dims)[:-1]:
        within = inner // stride
        if inner > stride and size > within and size % within == 0 and inner % stride == 0:
            made.append((inner, size // within))
            size = within
    return [*made, (stride, size)]


def axis_of(step: tuple[int, int], dims: Sequence[int]) -> int:
    """The axis of a tensor that a step lies within."""
    stride = step[0]
    return next(axis for axis, inner in enumerate(strides(dims)) if inner <= stride)
