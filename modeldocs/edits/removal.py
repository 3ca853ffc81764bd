"""Layers and blocks taken out of a network."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.edits.draft import Draft
from modeldocs.errors import ModeldocsError
from modeldocs.normal import values
from modeldocs.normal.data_movement import tracing


def remove(draft: Draft, name: str) -> None:
    """Take out a layer or block: those that read it read what it reads.

    Raises:
        ModeldocsError: it reads several values, or others read several of its.
    """
    nodes = draft.members(name)
    inside = draft.region(nodes)
    output = draft.exit(nodes, name)
    sources = list({id(value): value for value in _read(draft, inside)}.values())
    if len(sources) != 1:
        joins = ", ".join(str(value.name) for value in sources) or "none"
        raise ModeldocsError(
            f"{name!r} reads {len(sources)} values ({joins}), of which none can take its place",
            fix="remove the block that it ends, or one of the branches that it joins",
        )
    if output.is_graph_output() and sources[0].producer() is None:
        raise ModeldocsError(
            f"without {name!r} an output of the network would be its input",
            fix="put another layer in before it is removed",
        )
    replace(output, sources[0])
    delete(draft, list(inside.values()))


def replace(output: ir.Value, other: ir.Value) -> None:
    """Let all that read a value read another; an output of the network keeps its name."""
    if output.is_graph_output():
        output.name, other.name = other.name, output.name
    ir.convenience.replace_all_uses_with(output, other, replace_graph_outputs=True)


def delete(draft: Draft, nodes: Sequence[ir.Node]) -> None:
    """Delete nodes that nothing reads any more, and the parameters that they alone read."""
    graph = draft.model.graph
    read = {id(v): v for node in nodes for v in node.inputs if v is not None and v.name}
    graph.remove(list(nodes), safe=True)
    for node in nodes:
        draft.original.hold(node)
    gone = {id(node) for node in nodes}
    draft.nodes = {name: node for name, node in draft.nodes.items() if id(node) not in gone}
    for value in read.values():
        if values.is_parameter(value) and not value.uses() and not value.is_graph_output():
            graph.initializers.pop(str(value.name), None)


def _read(draft: Draft, inside: dict[int, ir.Node]) -> list[ir.Value]:
    """The computed values that nodes read from outside."""
    arranged = tracing.arranged_parameters(draft.model.graph)
    stored = {id(value) for value in draft.model.graph.initializers.values()}
    return [
        value
        for node in inside.values()
        for value in node.inputs
        if value is not None
        and id(value) not in stored
        and not values.is_parameter(value)
        and id(value.producer()) not in {*inside, *arranged}
    ]
