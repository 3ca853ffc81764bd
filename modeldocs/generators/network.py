"""The network that a program is generated from: its layers, and the values of its constants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs import normal
from modeldocs.ir import LayerGraph
from modeldocs.normal import layers, values
from modeldocs.normal.data_movement import tracing

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Network:
    """A model in normal form: its layer graph, and the node of each layer by the layer's id."""

    graph: LayerGraph
    model: ir.Model
    nodes: dict[str, ir.Node] = field(default_factory=dict)
    arranged: dict[int, tuple[ir.Value, ...]] = field(default_factory=dict)
    """The parameters that a node cuts, joins or normalizes, by id of the node."""

    @classmethod
    def of(cls, model: ir.Model) -> Network:
        """The network of a model that is in normal form."""
        producers = {str(v.name): node for node in model.graph for v in node.outputs}
        nodes = {name: producers[out] for name, out in layers.output_names(model).items()}
        return cls(normal.read(model), model, nodes, tracing.arranged_parameters(model.graph))

    def operand(self, layer: str, slot: int) -> ir.Value | None:
        """The value that a layer reads in a slot; None where there is none."""
        return values.operand(self.nodes[layer], slot)

    def parameters(self, value: ir.Value) -> tuple[ir.Value, ...]:
        """The parameters that a value is made of; none where it is computed or constant."""
        root = tracing.trace(value).root
        if values.is_parameter(root):
            return (root,)
        return self.arranged.get(id(root.producer()), ())


def constant(value: ir.Value | None) -> Array | None:
    """The values of a constant operand, moved as the edge to its reader moves them.

    None where the operand is no constant, or its values are in another file.
    """
    if value is None:
        return None
    own = values.constant(value)
    node = value.producer()
    if own is not None or node is None or not tracing.is_move(node):
        return own
    inner = constant(node.inputs[0])
    shape = values.shape(value)
    if inner is None or shape is None:
        return None
    if node.op_type == "Transpose":
        order = values.attribute(node, "perm")
        return inner.transpose(order)
    moved = inner.reshape(shape)
    return moved.astype(value.dtype.numpy()) if value.dtype is not None else moved
