"""Builder of nodes and constants that a pass adds to a graph, with unique names and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.data_movement.permutations import Permutation, text


def unique(stem: str, taken: set[str]) -> str:
    """A name that is not taken, which then is: `stem`, followed by a number where that is."""
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}/{number}"
    taken.add(name)
    return name


class GraphBuilder:
    """Adds nodes and constants to one graph; equal constants are added once."""

    def __init__(self, graph: ir.Graph) -> None:
        self.graph = graph
        self.opset = graph.opset_imports.get("", 21) or 21
        self._taken = set(graph.initializers) | {str(value.name) for value in graph.inputs}
        self._taken |= {str(value.name) for node in graph for value in node.outputs}
        self._constants: dict[tuple[object, ...], ir.Value] = {}

    def name(self, stem: str) -> str:
        """A unique name: `stem`, followed by a number where it is taken."""
        return unique(stem, self._taken)

    def constant(self, array: np.ndarray[Any, Any], stem: str) -> ir.Value:
        """An initializer that is no parameter, with a name of this stem."""
        array = np.array(array, order="C")
        key = (stem, str(array.dtype), array.shape, array.tobytes())
        if key not in self._constants:
            name = self.name(stem)
            value = ir.Value(name=name, const_value=ir.tensor(array, name=name))
            value.shape, value.dtype = ir.Shape(array.shape), ir.DataType.from_numpy(array.dtype)
            self.graph.register_initializer(value)
            self._constants[key] = value
        return self._constants[key]

    def numbers(self, items: Sequence[int], stem: str) -> ir.Value:
        """A constant vector of int64."""
        return self.constant(np.array(items, dtype=np.int64), stem)

    def scalar(self, number: float, like: ir.Value) -> ir.Value:
        """A constant scalar of a value's type."""
        return self.filled(number, (), like)

    def filled(self, number: float, shape: Sequence[int], like: ir.Value) -> ir.Value:
        """A constant filled with one number, of a value's type."""
        dtype = like.dtype.numpy() if like.dtype is not None else np.dtype(np.float32)
        dims = "x".join(map(str, shape))
        return self.constant(np.full(tuple(shape), number, dtype), f"{number:g}[{dims}]")

    def node(
        self,
        operator: str,
        inputs: Sequence[ir.Value | None],
        attributes: Sequence[ir.Attr] = (),
        *,
        like: ir.Value,
        shape: ir.Shape | Sequence[Any] | None = None,
        name: str = "",
    ) -> ir.Node:
        """A node with one output of the type of `like`, and of its shape unless one is given."""
        node = ir.Node("", operator, inputs, attributes, num_outputs=1)
        output = node.outputs[0]
        output.name = self.name(name or f"{like.name}/{operator}")
        output.type = like.type
        dims = shape if shape is not None else like.shape
        output.shape = ir.Shape(dims) if dims is not None else None
        return node

    def transpose(self, value: ir.Value, permutation: Permutation, name: str = "") -> ir.Node:
        """A Transpose of a value, not yet in the graph."""
        shape = permuted(value.shape, permutation)
        name = name or f"{value.name}/{text(permutation)}"
        attributes = [ir.AttrInt64s("perm", permutation)]
        return self.node("Transpose", [value], attributes, like=value, shape=shape, name=name)

    def reshape(self, value: ir.Value, shape: Sequence[int]) -> ir.Node:
        """A Reshape of a value to a known shape, not yet in the graph."""
        target = self.numbers(shape, "shape/" + "x".join(map(str, shape)))
        return self.node("Reshape", [value, target], like=value, shape=shape)

    def split(self, value: ir.Value, axis: int, sizes: Sequence[int]) -> ir.Node:
        """A Split of a value of known shape into pieces of these sizes, not yet in the graph."""
        attributes = [ir.AttrInt64("axis", axis)]
        operands = [value]
        if len(set(sizes)) == 1:
            attributes.append(ir.AttrInt64("num_outputs", len(sizes)))
        else:
            operands.append(self.numbers(sizes, "split/" + ",".join(map(str, sizes))))
        node = ir.Node("", "Split", operands, attributes, num_outputs=len(sizes))
        dims = values.shape(value) or ()
        for output, size in zip(node.outputs, sizes, strict=True):
            output.name = self.name(f"{value.name}/Split")
            output.shape, output.type = (
                ir.Shape((*dims[:axis], size, *dims[axis + 1 :])),
                value.type,
            )
        return node

    def after(self, value: ir.Value, node: ir.Node) -> ir.Value:
        """Insert a node right after the producer of `value`; the node's output."""
        producer = value.producer()
        if producer is not None and producer.graph is self.graph:
            self.graph.insert_after(producer, node)
        elif len(self.graph):
            self.graph.insert_before(self.graph[0], node)
        else:
            self.graph.append(node)
        return node.outputs[0]

    def at_start(self, node: ir.Node) -> ir.Value:
        """Insert a node before all others; its output."""
        return self.before(self.graph[0], node)

    def before(self, reader: ir.Node, node: ir.Node) -> ir.Value:
        """Insert a node right before its reader; the node's output."""
        self.graph.insert_before(reader, node)
        return node.outputs[0]


def permuted(shape: ir.Shape | None, permutation: Permutation) -> ir.Shape | None:
    """A shape with its axes permuted; None where it is unknown or of another rank."""
    if shape is None or len(shape) != len(permutation):
        return None
    return ir.Shape([shape[axis] for axis in permutation])
