"""Nodes at the border of a region that can take or give its values in another order of axes.

Where only axes of one element move, or those that a reduction takes away, no Transpose is needed:
the node at the border is told of the order instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.building import Builder, permuted
from modeldocs.normal.permutations import Permutation, keeps_order
from modeldocs.normal.transposes import arguments, carrying

_REMOVING = (
    *("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2"),
    *("ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare", "Squeeze"),
)
_SEARCHES = ("ArgMax", "ArgMin")


def takes(node: ir.Node, slot: int, order: Permutation) -> bool:
    """Whether a reader gives the same for an operand whose axis i is what axis `order[i]` was."""
    value = node.inputs[slot]
    if slot or value is None or value.shape is None or node.domain not in values.DEFAULT_DOMAIN:
        return False
    if node.op_type in (*_REMOVING, *_SEARCHES):
        gone = _removed(node, len(order))
        left = [axis for axis in order if axis not in (gone or ())]
        return gone is not None and left == sorted(left)
    if node.op_type == "Flatten":
        axis = values.attribute(node, "axis", 1)
        return keeps_order(order, value.shape) and (axis == 0 or (axis == 1 and order[0] == 0))
    if node.op_type == "Reshape":
        return keeps_order(order, value.shape) and _target(node, order) is not None
    return False


def _removed(node: ir.Node, rank: int) -> list[int] | None:
    """The axes that a node takes away; None where it keeps them or they are not known."""
    if node.op_type in _SEARCHES:
        kept = values.attribute(node, "keepdims", 1)
        return None if kept else [int(values.attribute(node, "axis", 0)) % rank]
    if node.op_type != "Squeeze" and values.attribute(node, "keepdims", 1):
        return None
    found = arguments.axes(node, 1)
    return [axis % rank for axis in found] if found else None


def _target(node: ir.Node, order: Permutation) -> list[int] | None:
    """The shape that a Reshape makes, where it copies no dimension that moves."""
    wanted = values.constant(values.operand(node, 1))
    if wanted is None or values.attribute(node, "allowzero", 0):
        return None
    dims = [int(dim) for dim in wanted.reshape(-1)]
    copied = [index for index, dim in enumerate(dims) if dim == 0]
    return dims if not copied or (copied == [0] and order[0] == 0) else None


def tell(node: ir.Node, order: Permutation, builder: Builder) -> None:
    """Let a reader that `takes` it read the moved operand: name the axes it takes away anew."""
    if node.op_type in _SEARCHES:
        axis = int(values.attribute(node, "axis", 0)) % len(order)
        node.attributes["axis"] = ir.AttrInt64("axis", order.index(axis))
    elif node.op_type in _REMOVING:
        carrying.move_axes(node, order, builder)


def gives(value: ir.Value, order: Permutation) -> bool:
    """Whether the maker of a value can make it in another order of its axes."""
    node = value.producer()
    if not values.is_operator(node, "Reshape", "Unsqueeze") or node is None or not value.shape:
        return False
    if not keeps_order(order, value.shape):
        return False
    if node.op_type == "Unsqueeze":
        return bool(arguments.axes(node, 1))
    return _target(node, order) is not None


def make(value: ir.Value, order: Permutation, builder: Builder) -> ir.Node:
    """The node that makes a value which its maker `gives` in another order; not in the graph."""
    node = value.producer()
    assert node is not None
    shape = permuted(value.shape, order)
    if node.op_type == "Reshape":
        target = _target(node, order) or []
        wanted = builder.numbers([target[axis] for axis in order], f"{value.name}/shape")
        return builder.node("Reshape", [node.inputs[0], wanted], like=value, shape=shape)
    new = {axis % len(order) for axis in arguments.axes(node, 1) or ()}
    moved = [index for index, axis in enumerate(order) if axis in new]
    return _unsqueeze(node, moved, shape, builder)


def _unsqueeze(
    node: ir.Node, moved: Sequence[int], shape: ir.Shape | None, builder: Builder
) -> ir.Node:
    like = node.outputs[0]
    if values.operand(node, 1) is None:
        named = [ir.AttrInt64s("axes", moved)]
        return builder.node("Unsqueeze", node.inputs[:1], named, like=like, shape=shape)
    wanted = builder.numbers(moved, f"{like.name}/axes")
    return builder.node("Unsqueeze", [node.inputs[0], wanted], like=like, shape=shape)
