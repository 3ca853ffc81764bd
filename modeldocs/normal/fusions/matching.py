"""Helpers of idioms: queries of the nodes around one, and replacement of nodes by one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder, permuted
from modeldocs.normal.data_movement import tracing
from modeldocs.normal.data_movement.permutations import Permutation, inverse, text

_MOST_STATIC = 8
"""Nodes that compute a value of parameters, such as a scale that is stored less 1."""


def producer(value: ir.Value | None, *operators: str) -> ir.Node | None:
    """The producer of a value if it is one of these operators, else None."""
    node = value.producer() if value is not None else None
    return node if values.is_operator(node, *operators) else None


def above(value: ir.Value | None, operator: str, through: Sequence[str]) -> ir.Node | None:
    """The nearest `operator` before a value, with only `through` operators between."""
    node = value.producer() if value is not None else None
    while values.is_operator(node, *through) and node is not None:
        node = node.inputs[0].producer() if node.inputs[0] is not None else None
    return node if values.is_operator(node, operator) else None


def constant_and_rest(node: ir.Node | None) -> tuple[ir.Value | None, float | None]:
    """The computed operand and the scalar constant of a node with one of each."""
    if node is None or len(node.inputs) != 2:
        return None, None
    first, second = node.inputs
    number = values.scalar(second)
    return (first, number) if number is not None else (second, values.scalar(first))


def bounds(clip: ir.Node) -> tuple[float | None, float | None]:
    """The minimum and the maximum of a Clip; None where it has none, or it is computed."""
    return values.scalar(values.operand(clip, 1)), values.scalar(values.operand(clip, 2))


def reduced_axes(node: ir.Node) -> tuple[int, ...] | None:
    """The axes of a reduction, from the front and sorted; None where not known."""
    rank = values.rank(node.inputs[0])
    array = values.constant(values.operand(node, 1))
    if not rank or array is None or not array.size:
        return None
    return tuple(sorted(int(axis) % rank for axis in array.reshape(-1).tolist()))


def squared(value: ir.Value | None) -> tuple[ir.Value, tuple[ir.Node, ...]] | None:
    """The value that a value is the square of, and the nodes of the square; None if it is none."""
    node = producer(value, "Mul", "Pow")
    if node is None or node.inputs[0] is None:
        return None
    if node.op_type == "Pow":
        is_square = values.scalar(node.inputs[1]) == 2
    else:
        is_square = node.inputs[0] is node.inputs[1]
        first, second = (producer(v, "Sub") for v in node.inputs)
        if not is_square and first is not None and second is not None:
            is_square = list(first.inputs) == list(second.inputs)
    return (node.inputs[0], (node,)) if is_square else None


def by_channel(
    value: ir.Value | None, data: ir.Value, builder: GraphBuilder, axis: int = 1
) -> ir.Value | None:
    """A parameter that broadcasts over all but the channels of `data`, as a vector; else None."""
    rank, dims = values.rank(data), values.shape(value)
    channels = data.shape[axis] if data.shape is not None and rank and rank > axis else None
    if value is None or dims is None or rank is None or not isinstance(channels, int):
        return None
    varying = [index + rank - len(dims) for index, dim in enumerate(dims) if dim != 1]
    if len(dims) > rank or math.prod(dims) != channels or varying not in ([axis], []):
        return None
    root = parameter_root(value)
    if root is None or values.shape(root) == (channels,):
        return root
    return builder.at_start(builder.reshape(root, (channels,)))


def is_static(value: ir.Value) -> bool:
    """Whether a value depends on parameters and constants alone, by few nodes, on one or more
    parameters.
    """
    pending, parameters, nodes = [value], 0, 0
    while pending and nodes <= _MOST_STATIC:
        one = pending.pop()
        node = one.producer()
        if values.is_parameter(one):
            parameters += 1
        elif values.constant(one) is None:
            if node is None:
                return False
            nodes += 1
            pending += [operand for operand in node.inputs if operand is not None]
    return not pending and parameters > 0


def parameter_root(value: ir.Value | None) -> ir.Value | None:
    """The parameter before changes of its shape; None for other values."""
    while value is not None and not values.is_parameter(value):
        node = producer(value, "Reshape", "Unsqueeze", "Squeeze", "Identity", "Flatten")
        value = node.inputs[0] if node is not None else None
    return value


def is_of_parameters(value: ir.Value | None) -> bool:
    """Whether a value is a parameter, or cut from or put together of some, with constants or
    without: a bias of queries, zeros and values; the rows of a packed weight that make keys.
    """
    if value is None or values.is_parameter(value):
        return value is not None
    node = producer(value, *tracing.ARRANGES)
    if node is None:
        return False
    operands = [one for one in node.inputs if one is not None and values.constant(one) is None]
    return bool(operands) and all(map(is_of_parameters, operands))


def replace(
    old: Sequence[ir.Node],
    operator: str,
    operands: Sequence[ir.Value | None],
    attributes: Sequence[ir.Attr],
) -> ir.Node:
    """Replace nodes, of which the last has the result, by one node; unread nodes are removed."""
    result, graph = old[-1].outputs[0], old[-1].graph
    assert isinstance(graph, ir.Graph)
    node = ir.Node("", operator, operands, attributes, num_outputs=1)
    output = node.outputs[0]
    output.shape, output.type, output.name = result.shape, result.type, result.name
    origin.merge(node, *old)
    graph.insert_after(old[-1], node)
    ir.convenience.replace_all_uses_with(result, output, replace_graph_outputs=True)
    remove_dead(graph, [*old])
    return node


def permute_output(node: ir.Node, order: Permutation, builder: GraphBuilder) -> None:
    """Declare that a node's output is permuted, and insert a Transpose back for its readers."""
    output, graph = node.outputs[0], node.graph
    assert isinstance(graph, ir.Graph)
    name = str(output.name)
    back = builder.transpose(output, inverse(order))
    restored = back.outputs[0]
    restored.shape = output.shape
    output.shape, output.name = permuted(output.shape, order), builder.name(f"{name}/{text(order)}")
    restored.name = name
    ir.convenience.replace_all_uses_with(output, restored, replace_graph_outputs=True)
    back.replace_input_with(0, output)
    graph.insert_after(node, back)


def remove_dead(graph: ir.Graph, candidates: list[ir.Node]) -> None:
    """Remove candidates that nothing reads, and then their producers that nothing reads."""
    while candidates:
        node = candidates.pop()
        if node.graph is None or any(v.uses() or v.is_graph_output() for v in node.outputs):
            continue
        producers = [one for v in node.inputs if v is not None and (one := v.producer())]
        graph.remove(node, safe=True)
        candidates.extend(producers)
