"""Nodes at the border of a region that absorb or produce its values in another order of axes.

Where only axes of size 1 move, or axes that a reduction removes, no Transpose is needed: the
arguments of the node at the border change instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder, permuted
from modeldocs.normal.data_movement.permutations import Permutation, keeps_order
from modeldocs.normal.transposes import arguments, permutable

_REDUCTIONS = operators.named(reduces="axes") | {"Squeeze"}
_ARG_REDUCTIONS = operators.named(reduces="axis")


def absorbs(node: ir.Node, slot: int, order: Permutation) -> bool:
    """Whether a reader can read a permuted operand, whose axis i is the former axis `order[i]`."""
    value = node.inputs[slot]
    if slot or value is None or value.shape is None or node.domain not in values.DEFAULT_DOMAIN:
        return False
    if node.op_type in _REDUCTIONS | _ARG_REDUCTIONS:
        removed = _removed_axes(node, len(order))
        remaining = [axis for axis in order if axis not in (removed or ())]
        return removed is not None and remaining == sorted(remaining)
    if node.op_type == "Flatten":
        axis = values.attribute(node, "axis", 1)
        return keeps_order(order, value.shape) and (axis == 0 or (axis == 1 and order[0] == 0))
    if node.op_type == "Reshape":
        return keeps_order(order, value.shape) and _target(node, order) is not None
    return False


def _removed_axes(node: ir.Node, rank: int) -> list[int] | None:
    """The axes that a node removes; None where it keeps them or they are not known."""
    if node.op_type in _ARG_REDUCTIONS:
        keeps_axis = values.attribute(node, "keepdims", 1)
        return None if keeps_axis else [int(values.attribute(node, "axis", 0)) % rank]
    if node.op_type != "Squeeze" and values.attribute(node, "keepdims", 1):
        return None
    axes = arguments.axes(node, 1)
    return [axis % rank for axis in axes] if axes else None


def _target(node: ir.Node, order: Permutation) -> list[int] | None:
    """The target shape of a Reshape; None where it copies a dimension that moves."""
    target = values.constant(values.operand(node, 1))
    if target is None or values.attribute(node, "allowzero", 0):
        return None
    dims = [int(dim) for dim in target.reshape(-1)]
    copied = [index for index, dim in enumerate(dims) if dim == 0]
    return dims if not copied or (copied == [0] and order[0] == 0) else None


def absorb(node: ir.Node, order: Permutation, builder: GraphBuilder) -> None:
    """Change the arguments of a reader that `absorbs` a permuted operand."""
    if node.op_type in _ARG_REDUCTIONS:
        axis = int(values.attribute(node, "axis", 0)) % len(order)
        node.attributes["axis"] = ir.AttrInt64("axis", order.index(axis))
    elif node.op_type in _REDUCTIONS:
        permutable.permute_axes(node, order, builder)


def produces(value: ir.Value, order: Permutation) -> bool:
    """Whether the producer of a value can produce it in another order of its axes."""
    node = value.producer()
    if not values.is_operator(node, "Reshape", "Unsqueeze") or node is None or not value.shape:
        return False
    if not keeps_order(order, value.shape):
        return False
    if node.op_type == "Unsqueeze":
        return bool(arguments.axes(node, 1))
    return _target(node, order) is not None


def produce(value: ir.Value, order: Permutation, builder: GraphBuilder) -> ir.Node:
    """A node that produces a value in another order of its axes; not in the graph."""
    node = value.producer()
    assert node is not None
    shape = permuted(value.shape, order)
    if node.op_type == "Reshape":
        target = _target(node, order) or []
        permuted_target = [target[axis] for axis in order]
        operand = builder.numbers(permuted_target, f"{value.name}/shape")
        return builder.node("Reshape", [node.inputs[0], operand], like=value, shape=shape)
    inserted = {axis % len(order) for axis in arguments.axes(node, 1) or ()}
    axes = [index for index, axis in enumerate(order) if axis in inserted]
    return _unsqueeze(node, axes, shape, builder)


def _unsqueeze(
    node: ir.Node, axes: Sequence[int], shape: ir.Shape | None, builder: GraphBuilder
) -> ir.Node:
    like = node.outputs[0]
    operand = builder.numbers(axes, f"{like.name}/axes")
    return builder.node("Unsqueeze", [node.inputs[0], operand], like=like, shape=shape)
