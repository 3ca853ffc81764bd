"""The ONNX graph of a TensorFlow graph while it is put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import Origin
from modeldocs.loaders.emission import graph as emission
from modeldocs.loaders.emission import model as onnx_model
from modeldocs.loaders.tensorflow.graphdef import attributes, constants
from modeldocs.loaders.tensorflow.graphdef.typed_graph import TypedGraph
from modeldocs.loaders.tensorflow.program import GraphDefProgram, GraphNode, Ref
from modeldocs.loaders.tensorflow.weights import Parameters

PASSING = (
    *constants.THROUGH, "PlaceholderWithDefault", "ReadVariableOp", "DisableCopyOnRead",
    "RefIdentity", "Enter", "PlaceholderV2WithDefault",
)  # fmt: skip
"""Operators that pass their first input on: no ONNX node is made for them."""

_RESHAPES = ("Reshape", "Squeeze", "ExpandDims", "Cast")


class UnsupportedError(Exception):
    """Raised for a case that ONNX has no operators for, with the reason."""


@dataclass(frozen=True)
class Emitted:
    """What a node of TensorFlow's graph became: ONNX nodes, of which `main` bears its name.

    `sources` are the nodes that those stand for, `padding` their padding strategy.
    """

    nodes: list[ir.Node]
    main: ir.Node | None
    sources: list[GraphNode]
    padding: str | None


class TensorFlowGraph(emission.EmittedGraph):
    """The ONNX nodes so far, and the value of each output of TensorFlow's nodes."""

    def __init__(self, program: GraphDefProgram, typed: TypedGraph, parameters: Parameters) -> None:
        super().__init__(parameters.names)
        self.program = program
        self.typed = typed
        self.parameters = parameters
        self.initializers = parameters.initializers
        self.values: dict[Ref, ir.Value] = {}
        self.opaque: dict[str, list[str]] = {}
        """Names of the nodes that ONNX has no operators for, by the reason."""
        self.emitted: dict[str, Emitted] = {}
        self._readers = typed.flat.readers()

    def within(self, typed: TypedGraph) -> TensorFlowGraph:
        """A graph inside of this one, which shares its names, initializers and parameters."""
        graph = TensorFlowGraph(self.program, typed, Parameters.within(self.parameters, typed))
        graph.opaque = self.opaque
        return graph

    def set_type(self, value: ir.Value, ref: Ref) -> None:
        """Give a value the shape and type that TensorFlow infers, as far as they are known."""
        shape, dtype = self.typed.shape(ref), attributes.onnx_type(self.typed.dtype(ref))
        if shape is not None:
            value.shape = ir.Shape(shape)
        if dtype is not None:
            value.type = ir.TensorType(dtype)

    def value(self, ref: Ref) -> ir.Value:
        """The value of an output: computed, a parameter, or a constant.

        Raises:
            UnsupportedError: ONNX has no such value.
        """
        origin_ref = self._origin(ref)
        value = self.values.get(origin_ref)
        if value is None:
            value = self.parameters.value(origin_ref)
        if value is None:
            array = self.typed.static(origin_ref)
            if array is None:
                raise UnsupportedError(f"reads {ref[0]!r}, which is no tensor")
            value = self._constant(origin_ref[0], array)
        self.values[origin_ref] = value
        return value

    def _origin(self, ref: Ref) -> Ref:
        """The output that an output is a copy of, past nodes that pass it on."""
        while ref not in self.values:
            node = self.producer(ref)
            if node is None or node.kind not in PASSING or not node.inputs or node.settings:
                break
            ref = node.inputs[0]
        return ref

    def _constant(self, name: str, array: np.ndarray[Any, Any]) -> ir.Value:
        if array.dtype.kind in "OSU":
            raise UnsupportedError("reads strings")
        try:
            value = onnx_model.constant(array, self.names.unique(name))
        except (TypeError, ValueError):
            raise UnsupportedError(f"reads a constant of {array.dtype}") from None
        self.initializers.append(value)
        return value

    def origin(self, node: GraphNode) -> Origin:
        """The node as its source has it: operator, attributes, line and device."""
        file, line = self.program.places.get(node.proto.name, (self.program.file, None))
        return Origin(
            operator=node.kind,
            name=node.name,
            attributes=attributes.plain(node.proto),
            file=file,
            line=line,
            device=node.proto.device or None,
        )

    def is_read_once(self, ref: Ref) -> bool:
        """Whether an output has exactly one reader."""
        return len(self._readers.get(ref, ())) == 1 and ref not in self.typed.flat.outputs

    def is_parameter(self, ref: Ref) -> bool:
        """Whether an output is a parameter, possibly reshaped or cast."""
        for _ in range(16):
            if self.parameters.holds(ref):
                return True
            node = self.producer(ref)
            if node is None or node.kind not in (*PASSING, *_RESHAPES):
                return False
            if not node.inputs or node.settings:
                return False
            ref = node.inputs[0]
        return False

    def producer(self, ref: Ref) -> GraphNode | None:
        """The node that an output belongs to."""
        return self.typed.flat.nodes.get(ref[0])

    def remove(self, nodes: Sequence[ir.Node]) -> None:
        """Remove ONNX nodes that others replace."""
        removed = {id(node) for node in nodes}
        self.nodes = [node for node in self.nodes if id(node) not in removed]
        for node in nodes:
            for slot in range(len(node.inputs)):
                node.replace_input_with(slot, None)


def read(nodes: Sequence[ir.Node], outputs: Sequence[ir.Value]) -> list[ir.Node]:
    """The nodes that outputs depend on; the others are detached from what they read.

    A node from which TensorFlow only computed a shape, for example, is not needed any more.
    """
    ends = set(outputs)
    kept: list[ir.Node] = []
    for node in reversed(nodes):
        if any(value.uses() or value in ends for value in node.outputs):
            kept.append(node)
            continue
        for slot in range(len(node.inputs)):
            node.replace_input_with(slot, None)
    return kept[::-1]
