"""One layer of a source while it is drawn as ONNX nodes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs.ir import Dim, origin
from modeldocs.loaders import draft

Shape = TypeVar("Shape", bound=Sequence[Dim])


class LayerDrawing(Generic[Shape]):
    """The nodes and initializers made for a layer so far; each node tells its `provenance`.

    `usual` is the element type of what a node makes where none is told; None for that of its
    first input.
    """

    def __init__(
        self, provenance: origin.Provenance, usual: ir.DataType | None = ir.DataType.FLOAT
    ) -> None:
        self.provenance = provenance
        self.usual = usual
        self.nodes: list[ir.Node] = []
        self.initializers: list[ir.Value] = []

    def possible(self, shape: Shape) -> Shape:
        """The shape, which a tensor of the framework must be able to have."""
        return shape

    def node(
        self, op: str, inputs: Sequence[ir.Value | None], shape: Shape, **attributes: Any
    ) -> ir.Value:
        """Add a node with one output of the given shape and the usual type."""
        return self.emit(op, inputs, [shape], attributes)[0]

    def emit(
        self,
        op: str,
        inputs: Sequence[ir.Value | None],
        shapes: Sequence[Shape],
        attributes: dict[str, Any],
        *,
        domain: str = "",
        padding: str | None = None,
        dtypes: Sequence[ir.DataType] = (),
    ) -> list[ir.Value]:
        """Add a node; its outputs are of the usual type unless `dtypes` say otherwise."""
        usual = self.usual or _first_dtype(inputs)
        types = [*dtypes, *[usual] * (len(shapes) - len(dtypes))]
        outputs = [
            ir.Value(shape=ir.Shape(self.possible(shape)), type=ir.TensorType(dtype))
            for shape, dtype in zip(shapes, types, strict=True)
        ]
        given = {name: value for name, value in attributes.items() if value is not None}
        node = ir.node(op, list(inputs), given, domain=domain, outputs=outputs)
        origin.attach(node, msgspec.structs.replace(self.provenance, padding=padding))
        self.nodes.append(node)
        return outputs

    def hold(self, array: np.ndarray[Any, Any], name: str | None = None) -> ir.Value:
        """A constant of the graph, which is no parameter."""
        value = draft.constant(array, name)
        self.initializers.append(value)
        return value


def _first_dtype(inputs: Sequence[ir.Value | None]) -> ir.DataType:
    held = (value.dtype for value in inputs if value is not None and value.dtype)
    return next(held, ir.DataType.FLOAT)


def attribute(value: Any) -> Any:
    """A setting as an ONNX attribute holds it; what none can hold is its JSON."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str | float) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    if isinstance(value, list) and value and all(type(item) is int for item in value):
        return value
    return json.dumps(value, sort_keys=True)
