"""Queries, keys and values in the layout of normal form: batch x length x (heads · size)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from modeldocs.normal import rearrangements, values, views
from modeldocs.normal.building import Builder
from modeldocs.normal.views import View


@dataclass(frozen=True)
class Heads:
    """What one operand is of: its batch, heads, length and size of a head."""

    batch: Any
    count: int
    length: Any
    size: int


def of(value: ir.Value, held: int) -> Heads | None:
    """The heads of a tensor of … x length x size; None where they cannot be told.

    `held` is how many the first axis of one of three holds beside the batch, 0 if not known.
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
        whole = leading[0] if leading else 1
        count = held if leading else 1
        batch = whole // count if isinstance(whole, int) and count else whole
        if isinstance(whole, int) and count and whole % count:
            return None
    return Heads(batch, count, length, size) if isinstance(count, int) and count and batch else None


def are_grouped(operands: Sequence[ir.Value]) -> bool:
    """Whether queries have an axis of their own for the heads that share one of keys and values.

    They are of batch x heads of keys x heads of each x length x size then, the others spread.
    """
    query, *shared = (values.shape(value) or () for value in operands)
    if len(query) < 5 or any(len(dims) != len(query) for dims in shared):
        return False
    return query[-3] > 1 and all(dims[-3] == 1 for dims in shared)


def in_groups(value: ir.Value) -> Heads | None:
    """The heads of such a tensor."""
    dims = values.shape(value) or ()
    *batch, keys, each, length, size = dims
    return Heads(math.prod(batch), keys * each, length, size)


def _product(dims: Sequence[Any]) -> int | None:
    return math.prod(dims) if all(isinstance(dim, int) for dim in dims) else None


def folded(value: ir.Value) -> int | None:
    """How many heads the first axis of a tensor of three holds beside the batch."""
    if values.rank(value) != 3:
        return None
    found = views.trace(value)
    if found is None:
        return None if values.is_operator(value.producer(), *views.MOVES) else 1
    view = found[0]
    dims = values.shape(view.root) or ()
    parts = [step for steps in view.axes[0] for step in views.by_axis(steps, dims)]
    sizes = view.axes[2] or ((1, 1),)
    inner = [step for step in parts if views.axis_of(step, dims) == views.axis_of(sizes[-1], dims)]
    if inner:
        return math.prod(size for _, size in inner)
    if len(parts) > 1 and views.axis_of(parts[-1], dims) == _grown(view.root):
        return parts[-2][1] * parts[-1][1]  # heads of keys, each for several of queries
    if len(parts) > 1 or (len(dims) > 3 and parts and views.axis_of(parts[0], dims)):
        return parts[-1][1]
    return 1


def shared(value: ir.Value, builder: Builder, at: ir.Node) -> ir.Value:
    """Keys or values before each head of theirs was repeated for several heads of queries."""
    found = views.trace(value)
    grown = _grown(found[0].root) if found is not None else None
    if found is None or grown is None or len(found[0].axes) not in (3, 4):
        return value
    view = found[0]
    maker = view.root.producer()
    source = maker.inputs[0] if maker is not None else None
    wide, narrow = values.shape(view.root), values.shape(source)
    if source is None or wide is None or narrow is None:
        return value
    steps = [[s for step in axis for s in views.by_axis(step, wide)] for axis in view.axes]
    counted = steps[len(steps) - 3]
    if not counted or views.axis_of(counted[-1], wide) != grown:
        return value
    if counted.pop()[1] != wide[grown]:
        return value
    kept = views.strides(narrow)
    axes = []
    for axis in steps:
        moved = []
        for stride, size in axis:
            place = views.axis_of((stride, size), wide)
            moved.append((stride // views.strides(wide)[place] * kept[place], size))
        axes.append(views.joined(moved))
    way = views.way(View(source, tuple(axes)))
    return value if way is None else rearrangements.along(source, way, at, builder)


def _grown(value: ir.Value) -> int | None:
    """The only axis along which an Expand or Tile repeats one element; None where it is none."""
    node = value.producer()
    if not values.is_operator(node, "Expand", "Tile") or node is None:
        return None
    wide, narrow = values.shape(value), values.shape(node.inputs[0])
    if wide is None or narrow is None or len(wide) != len(narrow):
        return None
    grown = [axis for axis, dim in enumerate(wide) if narrow[axis] != dim]
    return grown[0] if len(grown) == 1 and narrow[grown[0]] == 1 else None
