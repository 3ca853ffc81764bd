"""Operators that compute the same in any order of axes.

The data operands of a *permutable* operator all have the rank of its outputs. In another order of
axes it has other attributes and constants, which `PermutableOp.permute` changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement.permutations import Permutation
from modeldocs.normal.transposes import arguments

_UNARY = operators.named(unary=True) | {"Dropout"}
_BROADCAST = operators.named(broadcasting=True)
_REDUCE = operators.named(reduces="axes")
_ALONG_AXIS = operators.named(normalises="axis") | operators.named(reduces="axis") | {"Split"}
Change = Callable[[ir.Node, Permutation, GraphBuilder], None]


@dataclass(frozen=True)
class PermutableOp:
    """A permutable node: slots of its data, slots of operands that broadcast, and other changes."""

    data: tuple[int, ...]
    broadcast: tuple[int, ...] = ()
    change: Change | None = None

    def permute(self, node: ir.Node, order: Permutation, builder: GraphBuilder) -> None:
        """Change the node for permuted data, whose axis i is the former axis `order[i]`."""
        for slot in self.broadcast:
            arguments.permute_broadcast(node, slot, order, builder)
        if self.change is not None:
            self.change(node, order, builder)


def permutable(node: ir.Node, static: set[ir.Value]) -> PermutableOp | None:
    """How to permute a node; None for one that does not compute the same in any order of axes.

    `static` are the values that depend on constants and parameters alone.
    """
    if node.domain not in values.DEFAULT_DOMAIN or not node.inputs or node.inputs[0] is None:
        return None
    op = _by_operator(node, static)
    rank = values.rank(node.outputs[0])
    if op is None or not op.data or not rank:
        return None
    ranks = {values.rank(node.inputs[slot]) for slot in op.data}
    has_one_output = all(not o.uses() and not o.is_graph_output() for o in node.outputs[1:])
    if ranks != {rank} or not (has_one_output or node.op_type == "Split"):
        return None
    operands = [node.inputs[slot] for slot in op.broadcast]
    can_permute = all(arguments.can_permute_broadcast(value, rank) for value in operands)
    return op if can_permute else None


def _by_operator(node: ir.Node, static: set[ir.Value]) -> PermutableOp | None:
    operator = node.op_type
    if operator in _UNARY:
        return PermutableOp((0,))
    if operator in _BROADCAST:
        return _broadcast(node, static)
    if operator == "Concat":
        data = [slot for slot, v in enumerate(node.inputs) if v not in static]
        constants = [slot for slot, v in enumerate(node.inputs) if v in static]
        rank = values.rank(node.outputs[0])
        if any(values.rank(node.inputs[slot]) != rank for slot in constants):
            return None
        return PermutableOp(tuple(data), tuple(constants), _permute_axis)
    if operator in _ALONG_AXIS:
        keeps_axis = not operators.of(operator).reduces or values.attribute(node, "keepdims", 1)
        return PermutableOp((0,), change=_permute_axis) if keeps_axis else None
    if operator in _REDUCE:
        keeps_axes = values.attribute(node, "keepdims", 1) and arguments.axes(node, 1) is not None
        return PermutableOp((0,), change=permute_axes) if keeps_axes else None
    return _with_arguments(node)


def _with_arguments(node: ir.Node) -> PermutableOp | None:
    change = arguments.CHANGES.get(node.op_type)
    return PermutableOp((0,), change=change) if change and arguments.are_constant(node) else None


def _broadcast(node: ir.Node, static: set[ir.Value]) -> PermutableOp | None:
    slots = [slot for slot, value in enumerate(node.inputs) if value is not None]
    data = [slot for slot in slots if not _is_broadcast(node.inputs[slot], static)]
    others = [slot for slot in slots if slot not in data]
    return PermutableOp(tuple(data), tuple(others))


def _is_broadcast(value: ir.Value | None, static: set[ir.Value]) -> bool:
    """Whether an operand is no data of the region: it is static, or a scalar."""
    return value in static or values.rank(value) == 0


def _permute_axis(node: ir.Node, order: Permutation, _: GraphBuilder) -> None:
    default = operators.of(node.op_type).axis or 0
    axis = int(values.attribute(node, "axis", default)) % len(order)
    node.attributes["axis"] = ir.AttrInt64("axis", order.index(axis))


def permute_axes(node: ir.Node, order: Permutation, builder: GraphBuilder) -> None:
    """Permute the axes in a node's attribute or second operand."""
    axes = arguments.axes(node, 1)
    if axes:
        new_axes = [order.index(axis % len(order)) for axis in axes]
        arguments.set_axes(node, 1, new_axes, builder)
