"""Functions of a TensorFlow graph as ONNX graphs inside of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.tensorflow.graph import read
from modeldocs.loaders.tensorflow.graphdef import attributes, inlining, serving
from modeldocs.loaders.tensorflow.graphdef.typed_graph import TypedGraph
from modeldocs.loaders.tensorflow.operation import TensorFlowOperation, UnsupportedError
from modeldocs.loaders.tensorflow.program import GraphNode, Ref
from modeldocs.loaders.tensorflow.translation import translate


@dataclass(frozen=True)
class Argument:
    """An argument of a function: a value with its shape and type, or a variable."""

    value: ir.Value | None
    variable: GraphNode | None
    shape: Dims | None
    dtype: int

    def inside(self, op: TensorFlowOperation, slot: int) -> Argument:
        """The same argument in the body of a loop, where each iteration has another value."""
        if self.value is None:
            return self
        shape = op.graph.typed.shape((op.name, slot))
        value = ir.Value(
            name=op.graph.names.unique(f"{op.name}/{slot}"),
            shape=ir.Shape(shape) if shape is not None else None,
            type=ir.TensorType(op.output_dtype(slot)),
        )
        return Argument(value, None, shape, self.dtype)

    def then(self, value: ir.Value | None) -> Argument:
        """The same argument after an iteration."""
        return self if self.value is None else Argument(value, None, self.shape, self.dtype)


class Subgraph:
    """A function translated for given arguments, under unique names."""

    def __init__(
        self, op: TensorFlowOperation, function: str, arguments: Sequence[Argument]
    ) -> None:
        outer = op.graph
        refs: list[Ref] = []
        nodes: dict[str, GraphNode] = {}
        for index, argument in enumerate(arguments):
            node = argument.variable or _placeholder(op, index, argument)
            nodes[node.name] = node
            refs.append((node.name, 0))
        self.flat = inlining.inline_function(outer.program, function, refs, nodes)
        serving.prepare(outer.program, self.flat)
        shapes = {
            name: argument.shape
            for (name, _), argument in zip(refs, arguments, strict=True)
            if argument.variable is None and name in self.flat.nodes
        }
        self._graph = outer.within(TypedGraph(outer.program, self.flat, shapes))
        for ref, argument in zip(refs, arguments, strict=True):
            if argument.value is not None:
                self._graph.values[ref] = argument.value
        translate(self._graph)
        self._outputs: list[ir.Value | None] = []

    def outputs(self) -> list[ir.Value | None]:
        """The values that the function returns; None for the handle of a variable."""
        if not self._outputs:
            for ref in self.flat.outputs:
                variable = self._graph.parameters.variable(ref)
                is_handle = attributes.onnx_type(self._graph.typed.dtype(ref)) is None
                self._outputs.append(None if variable and is_handle else self._graph.value(ref))
        return self._outputs

    def nodes(self) -> list[ir.Node]:
        """The function's nodes, for use in a graph that exists already."""
        return self._graph.nodes

    def graph(
        self,
        inputs: Sequence[ir.Value | None],
        outputs: Sequence[ir.Value | None],
        name: str,
        then: Subgraph | None = None,
    ) -> ir.Graph:
        """The function's nodes, and after them those of `then`, as a graph."""
        nodes = [*self.nodes(), *(then.nodes() if then is not None else [])]
        own = {id(node) for node in nodes}
        ends: list[ir.Value] = []
        for value in outputs:
            if value is None:
                raise UnsupportedError("returns a value that is no tensor")
            if id(value.producer()) not in own or any(value is end for end in ends):
                names = self._graph.names
                value, copy = onnx_model.output(value, f"{name}/Identity", names)
                nodes.append(copy)
            ends.append(value)
        known = [value for value in inputs if value is not None]
        return ir.Graph(known, ends, nodes=read(nodes, ends), name=name)


def _placeholder(op: TensorFlowOperation, index: int, argument: Argument) -> GraphNode:
    proto = type(op.source.proto)()
    proto.name, proto.op = f"{op.name}/argument_{index}", "Placeholder"
    proto.attr["dtype"].type = argument.dtype
    return GraphNode(proto.name, "Placeholder", [], proto)
