"""The ONNX model of a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission.names import UniqueNames
from modeldocs.loaders.tensorflow import operators, shapes
from modeldocs.loaders.tensorflow.graph import TensorFlowGraph, UnsupportedError, read
from modeldocs.loaders.tensorflow.graphdef import attributes, inlining, serving
from modeldocs.loaders.tensorflow.graphdef.typed_graph import TypedGraph
from modeldocs.loaders.tensorflow.program import FedPlaceholder, GraphDefProgram, Ref
from modeldocs.loaders.tensorflow.translation import translate
from modeldocs.loaders.tensorflow.weights import Parameters

MAX_LISTED = 4

assert operators  # importing the package registers its emitters


@dataclass
class AssembledGraphDef:
    """A model, and what TensorFlow needs to run the same.

    `changed` is whether the graph differs from the one that the source itself runs.
    """

    model: ir.Model
    graph: TensorFlowGraph
    feeds: list[FedPlaceholder]
    changed: bool


def assemble(program: GraphDefProgram, request: LoadRequest) -> AssembledGraphDef:
    """The model of a program.

    Raises:
        ModeldocsError: the graph is not whole, or an input's shape is not known.
    """
    flat = inlining.inline(program)
    changed = serving.prepare(program, flat)
    chosen = shapes.choose(program, request, flat)
    program.notes += _shape_notes(program, chosen)
    typed = TypedGraph(program, flat, chosen)
    names = UniqueNames()
    feeds = [feed for feed in program.feeds if feed.node in flat.nodes]
    input_names = [names.unique(feed.name) for feed in feeds]
    output_names = [names.unique(fetch.name) for fetch in program.fetches]
    graph = TensorFlowGraph(program, typed, Parameters(program, typed, names))
    graph.inputs += [_input(graph, *pair) for pair in zip(feeds, input_names, strict=True)]
    translate(graph)
    outputs = _outputs(graph, flat.outputs, output_names)
    return AssembledGraphDef(_model(graph, outputs), graph, feeds, changed)


def _shape_notes(program: GraphDefProgram, chosen: Mapping[str, Dims]) -> list[str]:
    """Notes of the inputs whose batch was chosen, and of those that have open sizes."""
    batch_of_one = [
        feed.name
        for feed in program.feeds
        if (feed.shape is None or feed.shape[:1] == (None,))
        and chosen.get(feed.node, ())[:1] == (1,)
    ]
    open_sizes = [feed.name for feed in program.feeds if None in chosen.get(feed.node, ())]
    notes = []
    if batch_of_one:
        notes.append(f"the source leaves the batch of {', '.join(batch_of_one)} open, drawn as 1")
    if open_sizes:
        notes.append(
            f"the source leaves sizes of {', '.join(open_sizes)} open, drawn as ? unless --input, "
            "or `inputs` in model.yml, gives them"
        )
    return notes


def _input(graph: TensorFlowGraph, feed: FedPlaceholder, name: str) -> ir.Value:
    ref = (feed.node, 0)
    dtype = attributes.onnx_type(graph.typed.dtype(ref))
    if dtype is None or dtype == ir.DataType.STRING:
        raise graph.program.error(
            f"the input {feed.name!r} is no tensor of numbers",
            at=feed.node,
            fix="name outputs that do not depend on it",
        )
    value = graph.values[ref] = ir.Value(name=name)
    graph.set_type(value, ref)
    source = graph.origin(graph.typed.flat.nodes[feed.node])
    origin.attach(value, origin.Provenance(origins=(source,), name=source.name))
    return value


def _outputs(graph: TensorFlowGraph, refs: list[Ref], names: list[str]) -> list[ir.Value]:
    """The outputs of the graph; one that is also an input, or is repeated, is copied."""
    outputs: list[ir.Value] = []
    for fetch, ref, name in zip(graph.program.fetches, refs, names, strict=True):
        try:
            value = graph.value(ref)
        except UnsupportedError as reason:
            raise graph.program.error(
                f"the output {fetch.name!r} {reason}", fix="name other outputs"
            ) from None
        output = graph.output(value, fetch.name)
        output.name = name
        outputs.append(output)
    return outputs


def _model(graph: TensorFlowGraph, outputs: list[ir.Value]) -> ir.Model:
    graph.nodes = read(graph.nodes, outputs)
    graph.initializers = [value for value in graph.initializers if value.uses()]
    notes = [*graph.program.notes, *_opaque_notes(graph)]
    model = graph.model(graph.program.name, outputs, notes)
    names = UniqueNames()
    for node in ir.traversal.RecursiveGraphIterator(model.graph):
        node.name = names.unique(node.name or node.op_type)
    return model


def _opaque_notes(graph: TensorFlowGraph) -> list[str]:
    """Notes of the nodes for which ONNX has no operators."""
    notes = []
    for reason, names in graph.opaque.items():
        listed = ", ".join(names[:MAX_LISTED]) + (" …" if len(names) > MAX_LISTED else "")
        notes.append(f"drawn as it is: {reason} ({listed})")
    return notes
