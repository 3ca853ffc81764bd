"""Slices of a tensor that several nodes compute."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.fusions import matching


def nested_slices(node: ir.Node, builder: GraphBuilder) -> bool:
    """A Slice of a Slice along other axes, as one Slice along all of them."""
    first = (
        matching.producer(node.inputs[0], "Slice") if values.is_operator(node, "Slice") else None
    )
    if first is None or values.sole_consumer(first.outputs[0]) is not node:
        return False
    outer, inner = cuts(first), cuts(node)
    if outer is None or inner is None or {cut[0] for cut in outer} & {cut[0] for cut in inner}:
        return False
    columns = list(zip(*sorted([*outer, *inner]), strict=True))
    operands = [first.inputs[0], *(_numbers(columns[index], builder) for index in (1, 2, 0, 3))]
    matching.replace([first, node], "Slice", operands, [])
    return True


def element(node: ir.Node, builder: GraphBuilder) -> bool:
    """A Slice of one index of an axis, and the axis removed, as a Gather of that index.

    Of a parameter it stays a Slice, which is no layer.
    """
    if not values.is_operator(node, "Slice") or values.is_parameter(node.inputs[0]):
        return False
    own_cuts, reader = cuts(node), values.sole_consumer(node.outputs[0])
    if own_cuts is None or len(own_cuts) != 1 or reader is None:
        return False
    ((axis, start, end, step),) = own_cuts
    output_dims, dims = reader.outputs[0].shape, node.outputs[0].shape
    if not values.is_operator(reader, "Squeeze", "Reshape"):
        return False
    if output_dims is None or dims is None:
        return False
    remaining = [dim for index, dim in enumerate(dims) if index != axis]
    has_one_index = end == start + 1 or (start == -1 and end > np.iinfo(np.int32).max // 2)
    if step != 1 or not has_one_index or dims[axis] != 1 or list(output_dims) != remaining:
        return False
    if values.is_operator(reader, "Squeeze") and matching.reduced_axes(reader) != (axis,):
        return False
    index = builder.constant(np.array(start, dtype=np.int64), f"index/{start}")
    settings = [ir.AttrInt64("axis", axis)]
    matching.replace([node, reader], "Gather", [node.inputs[0], index], settings)
    return True


def contiguous_rows(node: ir.Node, builder: GraphBuilder) -> bool:
    """A Gather of contiguous rows of a parameter, or of one row, as a Slice, or as all of it."""
    table, indices = values.operand(node, 0), values.constant(values.operand(node, 1))
    dims = values.shape(table)
    if table is None or not matching.is_of_parameters(table) or not dims or node.domain:
        return False
    if indices is None or not indices.size:
        return False
    axis, flat = int(values.attribute(node, "axis", 0)) % len(dims), indices.reshape(-1)
    if math.prod(indices.shape[:-1]) != 1 or not bool((np.diff(flat) == 1).all()) or flat[0] < 0:
        return False
    cut_dims = (*dims[:axis], indices.size, *dims[axis + 1 :])
    ends = ((int(flat[0]),), (int(flat[-1]) + 1,), (axis,), (1,))
    rows = table
    if indices.size != dims[axis]:
        operands = [table, *(_numbers(items, builder) for items in ends)]
        cut = builder.node("Slice", operands, like=table, shape=cut_dims)
        origin.merge(cut, node)
        rows = builder.before(node, cut)
    shape = values.shape(node.outputs[0]) or cut_dims
    target = builder.numbers(shape, "shape/" + "x".join(map(str, shape)))
    matching.replace([node], "Reshape", [rows, target], [])
    return True


def cuts(node: ir.Node) -> list[tuple[int, int, int, int]] | None:
    """Axis, start, end and step of each cut of a Slice; None where they are not constants."""
    if not values.is_operator(node, "Slice"):
        return None
    rank = values.rank(node.inputs[0])
    starts, ends = (_list(values.operand(node, slot)) for slot in (1, 2))
    if not rank or starts is None or ends is None:
        return None
    axes = _list(values.operand(node, 3)) if values.operand(node, 3) else list(range(len(starts)))
    steps = _list(values.operand(node, 4)) if values.operand(node, 4) else [1] * len(starts)
    if axes is None or steps is None or not len(starts) == len(ends) == len(axes) == len(steps):
        return None
    return list(zip([axis % rank for axis in axes], starts, ends, steps, strict=True))


def _list(value: ir.Value | None) -> list[int] | None:
    array = values.constant(value)
    return None if array is None else [int(item) for item in array.reshape(-1)]


def _numbers(items: Sequence[int], builder: GraphBuilder) -> ir.Value:
    return builder.numbers(items, "slice/" + ",".join(map(str, items)))
