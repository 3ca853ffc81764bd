"""Numbers that multiply queries or keys before attention, as part of its scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.data_movement import strided_views


def above(operands: Iterable[ir.Value | None]) -> list[ir.Node]:
    """The Mul or Div by a number before each operand, where nothing else reads it."""
    nodes = [_scaling(value) for value in operands]
    return [node for node in nodes if node is not None]


def _scaling(value: ir.Value | None) -> ir.Node | None:
    while value is not None:
        node = value.producer()
        if node is None or value.is_graph_output() or _is_shared(value):
            return None
        if values.is_operator(node, "Mul", "Div"):
            source, number = factor(node)
            if source is None or number is None or source.shape != value.shape:
                return None
            return node
        if not values.is_operator(node, *strided_views.RESHAPES, "Transpose"):
            return None
        value = node.inputs[0]
    return None


def _is_shared(value: ir.Value) -> bool:
    """Whether several nodes read a value, without Transposes that nothing reads yet."""
    readers = [use.node for use in value.uses()]
    return sum(any(output.uses() for output in node.outputs) for node in readers) > 1


def bypass(operands: list[ir.Value], scaled: Sequence[ir.Node]) -> float:
    """Bypass these nodes in the graph and in `operands`; the product of their numbers."""
    product = 1.0
    for node in scaled:
        source, number = factor(node)
        assert source is not None and number is not None
        output = node.outputs[0]
        product *= number
        ir.convenience.replace_all_uses_with(output, source)
        operands[:] = [source if operand is output else operand for operand in operands]
    return product


def factor(node: ir.Node) -> tuple[ir.Value | None, float | None]:
    """The operand of a Mul or Div by a number, and the number that it is multiplied by."""
    first, second = node.inputs
    number = values.uniform(second)
    if node.op_type == "Div":
        return (first, 1 / number) if number else (None, None)
    if number is not None:
        return first, number
    return second, values.uniform(first)
