"""What the recognisers ask of the nodes around one, and how they put one node in place of many."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs import origin
from modeldocs.normal import values


def producer(value: ir.Value | None, *operators: str) -> ir.Node | None:
    """The node that makes a value, where it is one of these operators."""
    node = value.producer() if value is not None else None
    return node if values.is_operator(node, *operators) else None


def first_producer(node: ir.Node | None, operator: str) -> ir.Node | None:
    """The first of a node's operands' makers that is of this operator."""
    if node is None:
        return None
    return next((made for value in node.inputs if (made := producer(value, operator))), None)


def above(value: ir.Value | None, operator: str, through: Sequence[str]) -> ir.Node | None:
    """The nearest `operator` above a value, past nodes that only rearrange."""
    node = value.producer() if value is not None else None
    while values.is_operator(node, *through) and node is not None:
        node = node.inputs[0].producer() if node.inputs[0] is not None else None
    return node if values.is_operator(node, operator) else None


def constant_and_rest(node: ir.Node | None) -> tuple[ir.Value | None, float | None]:
    """The computed operand and the number of an operator that takes one of each."""
    if node is None or len(node.inputs) != 2:
        return None, None
    first, second = node.inputs
    number = values.scalar(second)
    return (first, number) if number is not None else (second, values.scalar(first))


def parameter_operand(node: ir.Node | None) -> ir.Value | None:
    """The first operand of a node that is a parameter."""
    if node is None:
        return None
    return next((value for value in node.inputs if value and values.is_parameter(value)), None)


def replace(
    old: Sequence[ir.Node],
    operator: str,
    operands: Sequence[ir.Value | None],
    attributes: Sequence[ir.Attr],
) -> None:
    """Put one node in place of `old`, the last of which gave the result; drop what is unread."""
    result, graph = old[-1].outputs[0], old[-1].graph
    assert isinstance(graph, ir.Graph)
    made = ir.Node("", operator, operands, attributes, num_outputs=1)
    output = made.outputs[0]
    output.shape, output.type, output.name = result.shape, result.type, result.name
    origin.merge(made, *old)
    graph.insert_after(old[-1], made)
    ir.convenience.replace_all_uses_with(result, output, replace_graph_outputs=True)
    _remove_dead(graph, [*old])


def _remove_dead(graph: ir.Graph, candidates: list[ir.Node]) -> None:
    """Remove what nothing reads any more, and what only that had read."""
    while candidates:
        node = candidates.pop()
        if node.graph is None or any(v.uses() or v.is_graph_output() for v in node.outputs):
            continue
        makers = [maker for v in node.inputs if v is not None and (maker := v.producer())]
        graph.remove(node, safe=True)
        candidates.extend(makers)
