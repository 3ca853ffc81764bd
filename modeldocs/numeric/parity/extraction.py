"""Extraction of matched groups from a network, so that each runs alone.

Each value that a group reads becomes an input of the graph. All groups stay in one graph, and run
in one session.
"""

from __future__ import annotations

from collections.abc import Mapping

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.numeric.parity import lowering
from modeldocs.numeric.parity.edge_path import EdgePath
from modeldocs.numeric.parity.matched_group import GroupSide
from modeldocs.numeric.parity.runnable_graph import RunnableGraph

_RESHAPES = operators.moving("reshape")


def input_name(number: int, read: int) -> str:
    """Name of the graph input that replaces what group `number` reads at index `read`."""
    return f"group {number} reads {read}"


def extract(graph: RunnableGraph, groups: Mapping[int, GroupSide]) -> ir.Model:
    """A copy of the network in which these groups, by number, read graph inputs."""
    model = graph.model.clone()
    builder = GraphBuilder(model.graph)
    nodes = {str(value.name): node for node in model.graph for value in node.outputs}
    for number, side in groups.items():
        for index, edges in enumerate(side.inputs):
            root = edges[0].path.root
            source = ir.Value(name=input_name(number, index), shape=root.shape, type=root.type)
            model.graph.inputs.append(source)
            for edge in edges:
                node = nodes[str(graph.nodes[edge.layer].outputs[0].name)]
                node.replace_input_with(edge.slot, _repeated(builder, node, edge.path, source))
    _forget_shapes(lowering.lower(model))
    return model


def _repeated(builder: GraphBuilder, reader: ir.Node, path: EdgePath, source: ir.Value) -> ir.Value:
    """The nodes of a path again, from another source."""
    for node in path.nodes:
        copy = _copy(builder, node, source)
        original = node.outputs[0]
        copy.outputs[0].name = builder.name(f"{original.name} alone")
        copy.outputs[0].shape, copy.outputs[0].type = original.shape, original.type
        builder.graph.insert_before(reader, copy)
        source = copy.outputs[0]
    return source


def _copy(builder: GraphBuilder, node: ir.Node, source: ir.Value) -> ir.Node:
    shape = values.shape(node.outputs[0])
    if values.is_operator(node, *_RESHAPES) and shape is not None:
        inputs: list[ir.Value | None] = [source, builder.numbers(shape, "shape")]
        return ir.Node("", "Reshape", inputs, num_outputs=1)
    others = [None if value is None else _value_named(builder, value) for value in node.inputs[1:]]
    attributes = node.attributes.values()
    return ir.Node(node.domain, node.op_type, [source, *others], attributes, num_outputs=1)


def _value_named(builder: GraphBuilder, value: ir.Value) -> ir.Value:
    """The value of the same name in the graph that is built."""
    name = str(value.name)
    if name in builder.graph.initializers:
        return builder.graph.initializers[name]
    candidates = [*builder.graph.inputs, *(v for node in builder.graph for v in node.outputs)]
    return next(candidate for candidate in candidates if candidate.name == name)


def _forget_shapes(model: ir.Model) -> None:
    """Drop all shapes: a group alone may be run on other shapes than in its network."""
    computed = [value for node in model.graph for value in node.outputs]
    for value in [*computed, *model.graph.inputs]:
        value.shape = None
