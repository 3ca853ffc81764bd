"""What the recognisers ask of the nodes around one, and how they put one node in place of many."""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.builder import Builder, permuted
from modeldocs.normal.permutations import Permutation, inverse, text


def producer(value: ir.Value | None, *operators: str) -> ir.Node | None:
    """The node that makes a value, where it is one of these operators."""
    node = value.producer() if value is not None else None
    return node if values.is_operator(node, *operators) else None


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


def bounds(clip: ir.Node) -> tuple[float | None, float | None]:
    """The least and the greatest that a Clip gives, however its opset has them."""
    if len(clip.inputs) == 1:
        return values.attribute(clip, "min"), values.attribute(clip, "max")
    return values.scalar(values.operand(clip, 1)), values.scalar(values.operand(clip, 2))


def reduced_axes(node: ir.Node) -> tuple[int, ...] | None:
    """The axes that a reduction takes, counted from the front, in order; None where not known."""
    rank = values.rank(node.inputs[0])
    operand = values.operand(node, 1)
    array = values.constant(operand)
    found = values.attribute(node, "axes") if operand is None else None
    axes = array.reshape(-1).tolist() if array is not None else found
    if not rank or not axes:
        return None
    return tuple(sorted(int(axis) % rank for axis in axes))


def squared(value: ir.Value | None) -> tuple[ir.Value, tuple[ir.Node, ...]] | None:
    """What a value is the square of."""
    node = producer(value, "Mul", "Pow")
    if node is None or node.inputs[0] is None:
        return None
    if node.op_type == "Pow":
        squares = values.scalar(node.inputs[1]) == 2
    else:
        squares = node.inputs[0] is node.inputs[1]
        ours, other = (producer(v, "Sub") for v in node.inputs)
        if not squares and ours is not None and other is not None:
            squares = list(ours.inputs) == list(other.inputs)
    return (node.inputs[0], (node,)) if squares else None


def parameter_operand(node: ir.Node | None) -> ir.Value | None:
    """The first operand of a node that is a parameter."""
    if node is None:
        return None
    return next((value for value in node.inputs if value and values.is_parameter(value)), None)


def by_channel(
    value: ir.Value | None, data: ir.Value, builder: Builder, axis: int = 1
) -> ir.Value | None:
    """A parameter that is spread over the channels of `data`, as a vector; None for another."""
    rank, seen = values.rank(data), values.shape(value)
    channels = data.shape[axis] if data.shape is not None and rank and rank > axis else None
    if value is None or seen is None or rank is None or not isinstance(channels, int):
        return None
    long = [index + rank - len(seen) for index, dim in enumerate(seen) if dim != 1]
    if len(seen) > rank or math.prod(seen) != channels or long not in ([axis], []):
        return None
    root = parameter_root(value)
    if root is None or values.shape(root) == (channels,):
        return root
    graph = builder.graph
    graph.insert_before(graph[0], made := builder.reshape(root, (channels,)))
    return made.outputs[0]


def parameter_root(value: ir.Value | None) -> ir.Value | None:
    """The parameter that a value is, past a change of its shape; None for what is no parameter."""
    while value is not None and not values.is_parameter(value):
        node = producer(value, "Reshape", "Unsqueeze", "Squeeze", "Identity", "Flatten")
        value = node.inputs[0] if node is not None else None
    return value


def replace(
    old: Sequence[ir.Node],
    operator: str,
    operands: Sequence[ir.Value | None],
    attributes: Sequence[ir.Attr],
) -> ir.Node:
    """Put one node in place of `old`, the last of which gave the result; drop what is unread."""
    result, graph = old[-1].outputs[0], old[-1].graph
    assert isinstance(graph, ir.Graph)
    made = ir.Node("", operator, operands, attributes, num_outputs=1)
    output = made.outputs[0]
    output.shape, output.type, output.name = result.shape, result.type, result.name
    origin.merge(made, *old)
    graph.insert_after(old[-1], made)
    ir.convenience.replace_all_uses_with(result, output, replace_graph_outputs=True)
    remove_dead(graph, [*old])
    return made


def rearrange(made: ir.Node, order: Permutation, builder: Builder) -> None:
    """Tell that a node computes in another order of axes, and give its result back as it was."""
    output, graph = made.outputs[0], made.graph
    assert isinstance(graph, ir.Graph)
    name = str(output.name)
    back = builder.transpose(output, inverse(order))
    plain = back.outputs[0]
    plain.shape = output.shape
    output.shape, output.name = permuted(output.shape, order), builder.name(f"{name}/{text(order)}")
    plain.name = name
    ir.convenience.replace_all_uses_with(output, plain, replace_graph_outputs=True)
    back.replace_input_with(0, output)
    graph.insert_after(made, back)


def remove_dead(graph: ir.Graph, candidates: list[ir.Node]) -> None:
    """Remove what nothing reads any more, and what only that had read."""
    while candidates:
        node = candidates.pop()
        if node.graph is None or any(v.uses() or v.is_graph_output() for v in node.outputs):
            continue
        makers = [maker for v in node.inputs if v is not None and (maker := v.producer())]
        graph.remove(node, safe=True)
        candidates.extend(makers)
