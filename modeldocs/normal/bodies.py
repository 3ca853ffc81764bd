"""The graphs inside of a layer: branches of an If, bodies of a Loop, a Scan or a function.

Each is read as a model of its own, in which the values of the graph around it are inputs, and its
parameters and constants the model's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import onnx_ir as ir

from modeldocs.ir import Body, LayerGraph, Operand
from modeldocs.normal import prepare, settings, values

Normalise = Callable[[ir.Model], LayerGraph]


class OuterGraph(Protocol):
    """What is known of the graph that a body is in."""

    def is_data(self, value: ir.Value | None) -> bool:
        """Whether a value of it is computed from its inputs."""

    def operand(self, slot: int, value: ir.Value) -> Operand:
        """Such a value as the operand of a layer."""


def own_outputs(model: ir.Model) -> None:
    """Let a body give out what it computes: a value of the graph around it passes an Identity."""
    if any(settings.has_bodies(node) for node in model.graph):
        _own_outputs(model.graph, {})


def _own_outputs(graph: ir.Graph, around: dict[str, ir.Value]) -> None:
    """The same for a graph and those in it; `around` are values of the graphs around it by name."""
    own = [*graph.inputs, *graph.initializers.values(), *(v for n in graph for v in n.outputs)]
    known = around | {str(value.name): value for value in own}
    for index, value in enumerate(graph.outputs):
        if all(value is not one for one in own):
            graph.outputs[index] = _passed(graph, known.get(str(value.name), value))
    for node in graph:
        for body in settings.bodies(node):
            _own_outputs(body, known)


def _passed(graph: ir.Graph, value: ir.Value) -> ir.Value:
    """The output of a new Identity at the end of a body."""
    node = ir.Node("", "Identity", [value], num_outputs=1)
    output = node.outputs[0]
    output.name, output.type, output.shape = f"{value.name} given out", value.type, value.shape
    graph.append(node)
    return output


def read(
    model: ir.Model, node: ir.Node, normalise: Normalise, around: OuterGraph
) -> dict[str, Body]:
    """The bodies of a node by name; the model is not changed."""
    bodies: dict[str, Body] = {}
    for name, standalone, captured in _standalone(model, node):
        graph = normalise(standalone)
        read = tuple(around.operand(len(node.inputs), v) for v in captured if around.is_data(v))
        bodies[name] = Body(
            inputs=graph.inputs, reads=read, layers=graph.layers, outputs=graph.outputs
        )
    return bodies


def _standalone(model: ir.Model, node: ir.Node) -> Iterator[tuple[str, ir.Model, list[ir.Value]]]:
    """The name of each body, a model of it, and what it reads of the graph around it."""
    if node.op_identifier() in model.functions:
        called = _called(model, node)
        if called is not None:
            yield "body", called, []
    for name, attribute in sorted(node.attributes.items()) if settings.has_bodies(node) else ():
        if attribute.type == ir.AttributeType.GRAPH:
            captured = settings.captured_by(node, [attribute.as_graph()])
            graph = attribute.as_graph().clone(allow_outer_scope_values=True)
            graph.opset_imports.update(model.graph.opset_imports)
            _Enclosed(graph).enclose(captured)
            functions = tuple(model.functions.values())
            standalone = ir.Model(graph, ir_version=model.ir_version, functions=functions)
            yield name, standalone, captured


def _called(model: ir.Model, node: ir.Node) -> ir.Model | None:
    """A model of a call alone, with the function inlined; None where it cannot be inlined."""
    function = model.functions[node.op_identifier()]
    inputs = [None if value is None else _copy(value) for value in node.inputs]
    call = ir.Node(
        node.domain, node.op_type, inputs, node.attributes.values(),
        overload=node.overload, num_outputs=len(node.outputs),
    )  # fmt: skip
    for output, original in zip(call.outputs, node.outputs, strict=True):
        output.name, output.type, output.shape = original.name, original.type, original.shape
    given = [value for value in inputs if value is not None]
    graph = ir.Graph(
        [value for value in given if not _is_stored(value)],
        [output for output in call.outputs if output.name],
        nodes=[call],
        initializers=[value for value in given if _is_stored(value)],
        opset_imports={node.domain: 1, **function.opset_imports},
        name=node.name or function.name,
    )
    functions = tuple(one.clone() for one in model.functions.values())
    standalone = ir.Model(graph, ir_version=model.ir_version, functions=functions)
    prepare.inline_functions(standalone)
    is_inlined = all(inner.op_identifier() != node.op_identifier() for inner in graph)
    return standalone if is_inlined else None


class _Enclosed:
    """Makes a body that reads values around it a graph by itself."""

    def __init__(self, graph: ir.Graph) -> None:
        self._graph = graph
        self._known: dict[ir.Value, ir.Value] = {}
        self._inserted: set[ir.Node] = set()
        self._taken = {str(v.name) for v in (*graph.inputs, *graph.initializers.values())}
        nodes = ir.traversal.RecursiveGraphIterator(graph)
        self._taken |= {str(value.name) for node in nodes for value in node.outputs}

    def enclose(self, captured: list[ir.Value]) -> None:
        """Replace the values around the body by inputs, parameters and constants of its own."""
        own = {value: self._own(value) for value in captured}
        for node in list(ir.traversal.RecursiveGraphIterator(self._graph)):
            for slot, value in enumerate(node.inputs):
                if value in own:
                    node.replace_input_with(slot, own[value])

    def _own(self, value: ir.Value) -> ir.Value:
        """The body's own copy of a value: stored, moved from what is stored, or an input."""
        if value not in self._known:
            producer = value.producer()
            if _is_stored(value):
                copy = self._named(value)
                self._graph.register_initializer(copy)
            elif producer is not None and _is_moved(producer):
                copy = self._moved(value, producer)
            else:
                copy = self._named(value)
                self._graph.inputs.append(copy)
            self._known[value] = copy
        return self._known[value]

    def _moved(self, value: ir.Value, producer: ir.Node) -> ir.Value:
        """The output of a copy of the node that rearranges a parameter, such as a Transpose."""
        operands = [None if operand is None else self._own(operand) for operand in producer.inputs]
        copy = ir.Node(
            producer.domain, producer.op_type, operands, producer.attributes.values(),
            num_outputs=len(producer.outputs),
        )  # fmt: skip
        for output, original in zip(copy.outputs, producer.outputs, strict=True):
            output.name = self._name(str(original.name))
            output.type, output.shape = original.type, original.shape
        self._prepend(copy)
        return copy.outputs[producer.outputs.index(value)]

    def _prepend(self, node: ir.Node) -> None:
        """Insert a node before those of the body, behind those that were inserted before."""
        own = [one for one in self._graph if one in self._inserted]
        if own:
            self._graph.insert_after(own[-1], node)
        elif len(self._graph):
            self._graph.insert_before(self._graph[0], node)
        else:
            self._graph.append(node)
        self._inserted.add(node)

    def _named(self, value: ir.Value) -> ir.Value:
        copy = _copy(value)
        copy.name = self._name(str(value.name))
        return copy

    def _name(self, stem: str) -> str:
        """A name that no value of the body has."""
        while stem in self._taken:
            stem = f"{stem} outside"
        self._taken.add(stem)
        return stem


def _copy(value: ir.Value) -> ir.Value:
    """A value of the same name, type and content, which nothing computes."""
    copy = ir.Value(
        name=value.name, type=value.type, shape=value.shape, const_value=value.const_value
    )
    copy.metadata_props.update(value.metadata_props)
    return copy


def _is_stored(value: ir.Value) -> bool:
    return values.is_parameter(value) or value.const_value is not None


def _is_moved(node: ir.Node) -> bool:
    """Whether a node computes from what is stored alone."""
    pending, seen = [node], set[ir.Node]()
    while pending:
        one = pending.pop()
        seen.add(one)
        for value in one.inputs:
            producer = value.producer() if value is not None else None
            if value is None or _is_stored(value):
                continue
            if producer is None or settings.captured(one):
                return False
            if producer not in seen:
                pending.append(producer)
    return bool(node.inputs)
