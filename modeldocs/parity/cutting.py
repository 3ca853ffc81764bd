"""A network cut at every edge between layers that correspond, so that each runs alone.

What a group of layers reads becomes an input of the graph, and one session runs all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.building import Builder
from modeldocs.parity import spelled
from modeldocs.parity.route import Route
from modeldocs.parity.side import Side
from modeldocs.parity.unit import Half

_RESHAPES = ("Reshape", "Flatten", "Squeeze", "Unsqueeze")


def fed_name(number: int, read: int) -> str:
    """Name of the input that stands for what the group of a number reads."""
    return f"group {number} reads {read}"


def cut(side: Side, halves: Mapping[int, Half]) -> ir.Model:
    """The network with the groups of these numbers cut off from what they read."""
    model = side.model.clone()
    builder = Builder(model.graph)
    nodes = {str(value.name): node for node in model.graph for value in node.outputs}
    for number, half in halves.items():
        for index, edges in enumerate(half.reads):
            root = edges[0].route.root
            source = ir.Value(name=fed_name(number, index), shape=root.shape, type=root.type)
            model.graph.inputs.append(source)
            for edge in edges:
                node = nodes[str(side.nodes[edge.layer].outputs[0].name)]
                node.replace_input_with(edge.slot, _rebuilt(builder, node, edge.route, source))
    _forget_shapes(spelled.out(model))
    return model


def _rebuilt(builder: Builder, reader: ir.Node, route: Route, source: ir.Value) -> ir.Value:
    """The plumbing of a route again, from another source."""
    for node in route.nodes:
        made = _copy(builder, node, source)
        old = node.outputs[0]
        made.outputs[0].name = builder.name(f"{old.name} alone")
        made.outputs[0].shape, made.outputs[0].type = old.shape, old.type
        builder.graph.insert_before(reader, made)
        source = made.outputs[0]
    return source


def _copy(builder: Builder, node: ir.Node, source: ir.Value) -> ir.Node:
    shape = values.shape(node.outputs[0])
    if values.is_operator(node, *_RESHAPES) and shape is not None:
        inputs: list[ir.Value | None] = [source, builder.numbers(shape, "shape")]
        return ir.Node("", "Reshape", inputs, num_outputs=1)
    others = [None if value is None else _same(builder, value) for value in node.inputs[1:]]
    attributes = node.attributes.values()
    return ir.Node(node.domain, node.op_type, [source, *others], attributes, num_outputs=1)


def _same(builder: Builder, value: ir.Value) -> ir.Value:
    """The value of this name in the graph that is built."""
    name = str(value.name)
    if name in builder.graph.initializers:
        return builder.graph.initializers[name]
    held = [*builder.graph.inputs, *(v for node in builder.graph for v in node.outputs)]
    return next(one for one in held if one.name == name)


def _forget_shapes(model: ir.Model) -> None:
    """A layer alone may be fed with another shape than it reads in its network."""
    made = [value for node in model.graph for value in node.outputs]
    for value in [*made, *model.graph.inputs]:
        value.shape = None
