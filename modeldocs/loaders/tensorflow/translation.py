"""The nodes of a TensorFlow graph translated to ONNX, one after another."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.ir import Module, origin
from modeldocs.loaders.tensorflow.graph import PASSING, Emitted, TensorFlowGraph
from modeldocs.loaders.tensorflow.operation import (
    EMITTERS,
    Emitter,
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
)
from modeldocs.loaders.tensorflow.program import HANDLES, SOURCES, GraphNode

MAX_MODULES = 50


def translate(graph: TensorFlowGraph) -> None:
    """Add ONNX nodes for each node that computes something which is not known beforehand."""
    for node in graph.typed.flat.nodes.values():
        if not _is_known(graph, node):
            _translate(graph, node)


def _is_known(graph: TensorFlowGraph, node: GraphNode) -> bool:
    """Whether a node is an input, a parameter, a constant, or has a value known beforehand."""
    if node.kind in (*SOURCES, *HANDLES, *PASSING, "Const") and not node.settings:
        return True
    return graph.typed.count(node.name) == 1 and graph.typed.static((node.name, 0)) is not None


def _translate(graph: TensorFlowGraph, node: GraphNode) -> None:
    op = TensorFlowOperation(graph, node)
    try:
        results = _emitter(node)(op)
    except UnsupportedError as error:
        op = TensorFlowOperation(graph, node)
        results = op.opaque()
        reason = str(error).removeprefix(f"{node.kind} ")
        graph.opaque.setdefault(f"{node.kind} {reason}", []).append(node.name)
    _commit(op, results)


def _emitter(node: GraphNode) -> Emitter:
    if node.settings:
        return EMITTERS["modeldocs.dropout"]
    return EMITTERS.get(node.kind, _unknown)


def _unknown(op: TensorFlowOperation) -> Outputs:
    raise UnsupportedError(f"{op.kind} has no counterpart in ONNX")


def _commit(op: TensorFlowOperation, results: Outputs) -> None:
    """Add an operation's nodes to the graph, under names of their own."""
    graph, name = op.graph, op.source.name
    for index, value in enumerate(results):
        if value is None:
            continue
        ref = (name, index)
        graph.values[ref] = value
        if value.name is None:
            value.name = graph.names.unique(f"{name}:{index}" if index else name)
        graph.set_type(value, ref)
    provenance = _provenance(op)
    main = op.main()
    for node in op.nodes:
        node.name = provenance.name if node is main else f"{provenance.name}/{node.op_type}"
        origin.attach(node, provenance)
        for value in node.outputs:
            value.name = value.name or graph.names.unique(f"{name}/{node.op_type}")
    for value in op.initializers:
        value.name = value.name and graph.names.unique(value.name)
    graph.nodes += op.nodes
    graph.initializers += op.initializers
    graph.emitted[name] = Emitted(op.nodes, main, op.sources, op.padding)


def _provenance(op: TensorFlowOperation) -> origin.Provenance:
    sources = [*op.sources, *_variables_with_devices(op.graph, op.sources)]
    return origin.Provenance(
        origins=tuple(op.graph.origin(node) for node in sources),
        modules=_modules(sources[0].name),
        padding=op.padding,
        name=sources[0].name,
    )


def _variables_with_devices(graph: TensorFlowGraph, nodes: Sequence[GraphNode]) -> list[GraphNode]:
    """The variables that nodes read and that the source places on a device of their own."""
    variables: list[GraphNode] = []
    for node in nodes:
        for ref in node.inputs:
            variable = graph.parameters.variable(ref)
            if variable is not None and variable.proto.device and variable not in variables:
                variables.append(variable)
    return variables


def _modules(name: str) -> tuple[Module, ...]:
    """The name scopes of a node, outermost first."""
    parts = name.split("/")[:-1]
    paths = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return tuple(Module(path=path) for path in paths[:MAX_MODULES])
