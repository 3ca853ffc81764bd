"""The ONNX graph that a loader builds up, one layer after the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import onnx_ir as ir

from modeldocs.ir import Origin, origin
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission import model
from modeldocs.loaders.emission.builder import FLOAT, NodeBuilder
from modeldocs.loaders.emission.names import UniqueNames


class EmittedGraph:
    """Inputs, nodes, initializers and notes of an ONNX graph, every name in it unique."""

    def __init__(self, names: UniqueNames | None = None) -> None:
        self.names = names or UniqueNames()
        self.inputs: list[ir.Value] = []
        self.nodes: list[ir.Node] = []
        self.initializers: list[ir.Value] = []
        self.notes: list[str] = []
        self._outputs: set[ir.Value] = set()

    def add_input(
        self,
        name: str,
        shape: Dims | None,
        dtype: ir.DataType = FLOAT,
        source: Origin | None = None,
    ) -> ir.Value:
        """Add a graph input; `shape` is None where the rank is unknown.

        `source` is where the definition declares it.
        """
        value = ir.Value(
            name=self.names.unique(name),
            shape=None if shape is None else ir.Shape(shape),
            type=ir.TensorType(dtype),
        )
        if source is not None:
            origin.attach(value, origin.Provenance(origins=(source,), name=source.name))
        self.inputs.append(value)
        return value

    def add_layer(self, layer: NodeBuilder, outputs: Collection[ir.Value]) -> None:
        """Add a layer's nodes, initializers and notes, and name them.

        `outputs` are the layer's own outputs; the nodes that compute them bear its name.
        """
        layer.give_names(self.names, outputs)
        self.nodes += layer.nodes
        self.initializers += layer.initializers
        self.notes += layer.notes

    def output(self, value: ir.Value, name: str) -> ir.Value:
        """The value to list as a graph output.

        ONNX allows neither an input nor the same value twice among the outputs, so these pass
        through an Identity, whose output has this name; any other value keeps its own.
        """
        if value.producer() is None or value in self._outputs:
            value, node = model.output(value, name, self.names)
            self.nodes.append(node)
        self._outputs.add(value)
        return value

    def model(self, name: str, outputs: Sequence[ir.Value], notes: Sequence[str] = ()) -> ir.Model:
        """The graph as a model with these outputs; `notes` follow those of the layers.

        Raises:
            ModeldocsError: an integer attribute needs more than 64 bits.
        """
        return model.finished(
            name,
            self.inputs,
            outputs,
            nodes=self.nodes,
            initializers=self.initializers,
            notes=[*self.notes, *notes],
        )
