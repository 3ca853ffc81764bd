"""Operators that compute the same in any order of axes, and what must be told them of it.

A *carrier* has data operands that all have the rank of its outputs. Moving it to another order of
axes changes its attributes and its constants, which `move` does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.building import Builder
from modeldocs.normal.permutations import Permutation
from modeldocs.normal.transposes import arguments

_UNARY = (
    *("Relu", "LeakyRelu", "Elu", "Selu", "Celu", "Gelu", "Mish", "Swish", "HardSwish"),
    *("HardSigmoid", "Sigmoid", "Tanh", "Softplus", "Softsign", "ThresholdedRelu", "Shrink"),
    *("Erf", "Exp", "Log", "Sqrt", "Abs", "Neg", "Reciprocal", "Floor", "Ceil", "Round", "Sin"),
    *("Cos", "Tan", "Sign", "Not", "IsNaN", "IsInf", "Identity", "Cast", "CastLike", "Clip"),
    "Dropout",
)
_BROADCAST = (
    *("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean", "Where", "PRelu", "Mod"),
    *("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor"),
)
_REDUCE = (
    *("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2"),
    *("ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"),
)
_AXIS = {"Concat": 0, "Split": 0, "LpNormalization": -1, "ArgMax": 0, "ArgMin": 0}
"""Operators along one axis, with the axis they have by default."""
_SOFTMAX = ("Softmax", "LogSoftmax", "Hardmax")
_FIRST_SOFTMAX_OF_ONE_AXIS = 13

Change = Callable[[ir.Node, Permutation, Builder], None]


@dataclass(frozen=True)
class Carrier:
    """A node that may be moved: the slots of its data, those of tensors spread over it, and how."""

    data: tuple[int, ...]
    spread: tuple[int, ...] = ()
    change: Change | None = None

    def move(self, node: ir.Node, order: Permutation, builder: Builder) -> None:
        """Tell the node of the new order: axis i is what axis `order[i]` was."""
        for slot in self.spread:
            arguments.move_spread(node, slot, order, builder)
        if self.change is not None:
            self.change(node, order, builder)


def carrier(node: ir.Node, static: set[ir.Value], opset: int) -> Carrier | None:
    """How a node carries any order of axes; None for one that does not."""
    if node.domain not in values.DEFAULT_DOMAIN or not node.inputs or node.inputs[0] is None:
        return None
    found = _kind(node, static, opset)
    rank = values.rank(node.outputs[0])
    if found is None or not found.data or not rank:
        return None
    ranks = {values.rank(node.inputs[slot]) for slot in found.data}
    unread = all(not o.uses() and not o.is_graph_output() for o in node.outputs[1:])
    same = ranks == {rank} and (unread or node.op_type == "Split")
    fits = all(arguments.may_spread(node.inputs[slot], rank) for slot in found.spread)
    return found if same and fits else None


def _kind(node: ir.Node, static: set[ir.Value], opset: int) -> Carrier | None:
    operator = node.op_type
    if operator in _UNARY:
        return Carrier((0,))
    if operator in _BROADCAST:
        return _broadcast(node, static)
    if operator == "Concat":
        data = [slot for slot, v in enumerate(node.inputs) if v not in static]
        parts = [slot for slot, v in enumerate(node.inputs) if v in static]
        whole = all(values.rank(node.inputs[s]) == values.rank(node.outputs[0]) for s in parts)
        return Carrier(tuple(data), tuple(parts), _move_axis) if whole else None
    if operator in _AXIS:
        kept = operator not in ("ArgMax", "ArgMin") or values.attribute(node, "keepdims", 1)
        return Carrier((0,), change=_move_axis) if kept else None
    if operator in _SOFTMAX:
        return Carrier((0,), change=_move_axis) if opset >= _FIRST_SOFTMAX_OF_ONE_AXIS else None
    if operator in _REDUCE:
        kept = values.attribute(node, "keepdims", 1) and arguments.axes(node, 1) is not None
        return Carrier((0,), change=move_axes) if kept else None
    return _with_arguments(node)


def _with_arguments(node: ir.Node) -> Carrier | None:
    change = arguments.CHANGES.get(node.op_type)
    return Carrier((0,), change=change) if change and arguments.known(node) else None


def _broadcast(node: ir.Node, static: set[ir.Value]) -> Carrier | None:
    slots = [slot for slot, value in enumerate(node.inputs) if value is not None]
    data = [slot for slot in slots if not _is_spread(node.inputs[slot], static)]
    spread = [slot for slot in slots if slot not in data]
    return Carrier(tuple(data), tuple(spread))


def _is_spread(value: ir.Value | None, static: set[ir.Value]) -> bool:
    """Whether an operand is no data of the region: made of constants, or a number."""
    return value in static or values.rank(value) == 0


def _move_axis(node: ir.Node, order: Permutation, _: Builder) -> None:
    default = -1 if node.op_type in _SOFTMAX else _AXIS[node.op_type]
    axis = int(values.attribute(node, "axis", default)) % len(order)
    node.attributes["axis"] = ir.AttrInt64("axis", order.index(axis))


def move_axes(node: ir.Node, order: Permutation, builder: Builder) -> None:
    """Rename the axes that a node names in its attribute or in its second operand."""
    found = arguments.axes(node, 1)
    if found:
        arguments.set_axes(node, 1, [order.index(a % len(order)) for a in found], builder)
