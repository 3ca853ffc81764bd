"""Heads of the operands of attention: how many there are, and where they are in a tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import reshape_transpose, strided_views
from modeldocs.normal.data_movement.strided_views import View


@dataclass(frozen=True)
class Heads:
    """The dimensions of one operand: batch, number of heads, length, and size of a head."""

    batch: Any
    count: int
    length: Any
    size: int


def of(value: ir.Value, folded_count: int) -> Heads | None:
    """The heads of a tensor of shape (…, length, size); None where they are not known.

    `folded_count` is the number of heads on the first axis of a tensor of rank 3, which it has
    together with the batch; 0 if not known.
    """
    dims = list(value.shape) if value.shape is not None else []
    if len(dims) < 2 or not isinstance(dims[-1], int):
        return None
    leading, length, size = dims[:-2], dims[-2], int(dims[-1])
    count: Any
    if len(leading) >= 2:
        count = leading[-1]
        batch = leading[0] if len(leading) == 2 else _product(leading[:-1])
    else:
        first = leading[0] if leading else 1
        count = folded_count if leading else 1
        batch = first // count if isinstance(first, int) and count else first
        if isinstance(first, int) and count and first % count:
            return None
    return Heads(batch, count, length, size) if isinstance(count, int) and count and batch else None


def are_grouped(operands: Sequence[ir.Value]) -> bool:
    """Whether queries have a separate axis for the heads that share a head of keys and values.

    Queries are then of shape (batch, heads of keys, heads of each, length, size), keys and values
    broadcast over the third axis.
    """
    query, *shared = (values.shape(value) or () for value in operands)
    if len(query) < 5 or any(len(dims) != len(query) for dims in shared):
        return False
    return query[-3] > 1 and all(dims[-3] == 1 for dims in shared)


def in_groups(value: ir.Value) -> Heads | None:
    """The heads of a tensor of which `are_grouped` is true."""
    dims = values.shape(value) or ()
    *batch, keys, each, length, size = dims
    return Heads(math.prod(batch), keys * each, length, size)


def _product(dims: Sequence[Any]) -> int | None:
    return math.prod(dims) if all(isinstance(dim, int) for dim in dims) else None


def folded_count(value: ir.Value) -> int | None:
    """The number of heads on the first axis of a tensor of rank 3, by how it was reshaped."""
    if values.rank(value) != 3:
        return None
    trace = strided_views.trace(value)
    if trace is None:
        return None if values.is_operator(value.producer(), *strided_views.MOVES) else 1
    view = trace[0]
    dims = values.shape(view.root) or ()
    parts = [step for steps in view.axes[0] for step in strided_views.by_axis(steps, dims)]
    sizes = view.axes[2] or ((1, 1),)
    inner = [
        step
        for step in parts
        if strided_views.axis_of(step, dims) == strided_views.axis_of(sizes[-1], dims)
    ]
    if inner:
        return math.prod(size for _, size in inner)
    if len(parts) > 1 and strided_views.axis_of(parts[-1], dims) == _repeated_axis(view.root):
        return parts[-2][1] * parts[-1][1]  # heads of keys, each for several of queries
    if len(parts) > 1 or (len(dims) > 3 and parts and strided_views.axis_of(parts[0], dims)):
        return parts[-1][1]
    return 1


def without_repeats(value: ir.Value, builder: GraphBuilder, at: ir.Node) -> ir.Value:
    """Keys or values before each head was repeated for several heads of queries."""
    trace = strided_views.trace(value)
    repeated = _repeated_axis(trace[0].root) if trace is not None else None
    if trace is None or repeated is None or len(trace[0].axes) not in (3, 4):
        return value
    view = trace[0]
    producer = view.root.producer()
    source = producer.inputs[0] if producer is not None else None
    wide, narrow = values.shape(view.root), values.shape(source)
    if source is None or wide is None or narrow is None:
        return value
    steps = [[s for step in axis for s in strided_views.by_axis(step, wide)] for axis in view.axes]
    head_steps = steps[len(steps) - 3]
    if not head_steps or strided_views.axis_of(head_steps[-1], wide) != repeated:
        return value
    if head_steps.pop()[1] != wide[repeated]:
        return value
    wide_strides, narrow_strides = strided_views.strides(wide), strided_views.strides(narrow)
    axes = []
    for axis_steps in steps:
        narrow_steps = []
        for stride, size in axis_steps:
            axis = strided_views.axis_of((stride, size), wide)
            narrow_steps.append((stride // wide_strides[axis] * narrow_strides[axis], size))
        axes.append(strided_views.joined(narrow_steps))
    path = strided_views.path(View(source, tuple(axes)))
    return value if path is None else reshape_transpose.follow(source, path, at, builder)


def _repeated_axis(value: ir.Value) -> int | None:
    """The only axis along which an Expand or Tile repeats one element; None for other nodes."""
    node = value.producer()
    if not values.is_operator(node, "Expand", "Tile") or node is None:
        return None
    wide, narrow = values.shape(value), values.shape(node.inputs[0])
    if wide is None or narrow is None or len(wide) != len(narrow):
        return None
    repeated = [axis for axis, dim in enumerate(wide) if narrow[axis] != dim]
    return repeated[0] if len(repeated) == 1 and narrow[repeated[0]] == 1 else None
