"""The rewriting of one node: nodes and constants that take its place."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import unique


class UpgradeError(Exception):
    """A node's old meaning cannot be said with newer operators, or depends on what is not known."""


@functools.cache
def schema(operator: str, version: int) -> onnx.defs.OpSchema | None:
    """The schema of a standard operator in a version of the operator set; None if it has none."""
    try:
        return onnx.defs.get_schema(operator, version)
    except onnx.defs.SchemaError:
        return None


class Upgrade:
    """A node of an older version, and the place where newer ones are inserted before it.

    `taken` are the names of all values of the model.
    """

    def __init__(self, node: ir.Node, declared: int, taken: set[str]) -> None:
        self.node, self.declared, self._taken = node, declared, taken
        self._attributes, self._inputs = dict(node.attributes), tuple(node.inputs)
        self._added: list[ir.Node] = []

    @property
    def x(self) -> ir.Value:
        """The first operand.

        Raises:
            UpgradeError: there is none.
        """
        first = self.operand(0)
        if first is None:
            raise UpgradeError
        return first

    def operand(self, slot: int) -> ir.Value | None:
        """The operand in a slot; None where there is none."""
        return values.operand(self.node, slot)

    def rank(self, value: ir.Value | None) -> int:
        """The rank of a value.

        Raises:
            UpgradeError: it is not known.
        """
        rank = values.rank(value)
        if rank is None:
            raise UpgradeError
        return rank

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute's value, `default` where it is not set.

        Raises:
            UpgradeError: it refers to an attribute of the function that the node is in.
        """
        found = self.node.attributes.get(name)
        if found is not None and found.is_ref():
            raise UpgradeError
        return default if found is None else found.value

    def take(self, name: str, default: Any = None) -> Any:
        """An attribute's value, which the node loses."""
        value = self.attribute(name, default)
        self.node.attributes.pop(name, None)
        return value

    def put(self, slot: int, value: ir.Value | None) -> None:
        """Set an operand of the node, which gets more slots if it has too few."""
        if slot >= len(self.node.inputs):
            self.node.resize_inputs(slot + 1)
        self.node.replace_input_with(slot, value)

    def resize_outputs(self, count: int) -> None:
        """Give the node so many outputs; those that it loses are not read."""
        node = self.node
        node.resize_outputs(count)
        for index, output in enumerate(node.outputs):
            if not output.name:
                output.name = unique(f"{node.outputs[0].name}/{index}", self._taken)

    def emit(
        self,
        operator: str,
        inputs: Sequence[ir.Value | None],
        attributes: dict[str, Any] | None = None,
        *,
        outputs: int = 1,
        dtype: ir.DataType | None = None,
    ) -> ir.Value:
        """Insert a node before the one that is rewritten; its first output.

        The output is of the type of the first operand where no other is given.
        """
        given = ir.convenience.convert_attributes(attributes or {})
        node = ir.Node("", operator, inputs, given, num_outputs=outputs)
        node.metadata_props.update(self.node.metadata_props)
        node.name = self.node.name
        for output in node.outputs:
            output.name = unique(f"{self.node.outputs[0].name}/{operator}", self._taken)
        like = next((value.type for value in inputs if value is not None), None)
        node.outputs[0].type = ir.TensorType(dtype) if dtype is not None else like
        self._insert(node)
        return node.outputs[0]

    def constant(self, array: np.ndarray[Any, Any], stem: str) -> ir.Value:
        """The output of an inserted Constant."""
        tensor = ir.tensor(array)
        node = ir.Node("", "Constant", [], [ir.AttrTensor("value", tensor)], num_outputs=1)
        value = node.outputs[0]
        value.name = unique(f"{self.node.outputs[0].name}/{stem}", self._taken)
        value.const_value = tensor
        value.shape, value.type = ir.Shape(array.shape), ir.TensorType(tensor.dtype)
        self._insert(node)
        return value

    def integers(self, numbers: Sequence[int], stem: str) -> ir.Value:
        """A constant vector of int64."""
        return self.constant(np.array(numbers, np.int64), stem)

    def number(self, number: float, like: ir.Value, stem: str) -> ir.Value:
        """A constant scalar of a value's type; of float32 where that is not known."""
        dtype = like.dtype.numpy() if like.dtype is not None else np.dtype(np.float32)
        return self.constant(np.array(number, dtype), stem)

    def replace(self, *results: ir.Value) -> ir.Value:
        """Let values take the place and the names of the node's outputs; the node is removed."""
        node = self.node
        graph = node.graph
        assert graph is not None
        for output, result in zip(node.outputs, results, strict=False):
            name, shape, kind = output.name, output.shape, output.type
            ir.convenience.replace_all_uses_with(output, result, replace_graph_outputs=True)
            output.name = None
            result.name, result.shape, result.type = name, shape, kind
        graph.remove(node, safe=True)
        return results[0]

    def undo(self) -> None:
        """Remove what was inserted, and give the node back its operands and attributes."""
        node = self.node
        node.attributes.clear()
        node.attributes.update(self._attributes)
        node.resize_inputs(len(self._inputs))
        for slot, value in enumerate(self._inputs):
            node.replace_input_with(slot, value)
        for added in reversed(self._added):
            assert added.graph is not None
            added.graph.remove(added, safe=True)

    def _insert(self, node: ir.Node) -> None:
        assert self.node.graph is not None
        self.node.graph.insert_before(self.node, node)
        self._added.append(node)
