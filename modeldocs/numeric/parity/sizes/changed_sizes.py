"""The sizes that values of a network had, and have now that its inputs are smaller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.numeric.parity.edge_path import Shape


class ChangedSizes:
    """Shapes before and after; a constant that is shortened is a new one, as others read the old.

    `told` are numbers that the network states and those that the other one states in their place.
    `smaller` are the sizes that each size became somewhere. `is_behind` is whether a node changed
    that has its shapes already.
    """

    def __init__(self, model: ir.Model, told: Mapping[float, float]) -> None:
        self.told = told
        graph = model.graph
        known = [*graph.inputs, *(value for node in graph for value in node.outputs)]
        self.builder = GraphBuilder(graph)
        self.smaller: dict[int, set[int]] = {}
        self.is_behind = False
        self._before = {value: values.shape(value) for value in known}
        self._touched: set[ir.Node] = set()
        self._replaced: set[ir.Value] = set()

    def was(self, value: ir.Value | None) -> Shape:
        """The shape that a value had; none where it is not known."""
        if value is None:
            return ()
        return self._before.get(value, values.shape(value)) or ()

    def now(self, value: ir.Value | None) -> Shape:
        """The shape that a value has; none where it is not known."""
        return values.shape(value) or ()

    def set(self, value: ir.Value, shape: Shape) -> None:
        """Give a value its new shape."""
        value.shape = ir.Shape(shape)
        for old, new in zip(self.was(value), shape, strict=False):
            if new != old:
                self.smaller.setdefault(old, set()).add(new)

    def reaches(self, node: ir.Node) -> bool:
        """Whether a node reads other sizes than before, or was changed itself."""
        return node in self._touched or any(
            self.was(value) != self.now(value) for value in node.inputs if value is not None
        )

    def is_new(self, value: ir.Value | None) -> bool:
        """Whether a constant is already one in place of another."""
        return value in self._replaced

    def replace(self, node: ir.Node, slot: int, data: np.ndarray[Any, Any]) -> None:
        """Give a node another constant in place of one that it reads."""
        old = node.inputs[slot]
        stem = f"{old.name}/resized" if old is not None else "resized"
        new = self.builder.constant(data, stem)
        self._before[new] = self.was(old)
        node.replace_input_with(slot, new)
        self._replaced.add(new)
        self._touched.add(node)
