"""The ONNX nodes and constants that one operator becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin, origin
from modeldocs.loaders.dims import Dims, said
from modeldocs.loaders.drawing import LayerDrawing
from modeldocs.loaders.mxnet.shapes import impossible, permuted, shape_of
from modeldocs.loaders.mxnet.symbol import SymbolNode
from modeldocs.loaders.mxnet.variables import MAX_FIXED

_USUAL_INIT = ("zeros", "ones", '["zero", {}]', '["one", {}]')
"""What MXNet itself says of biases, gammas and running statistics."""


class Drawing(LayerDrawing[Dims]):
    """What is drawn of one operator so far; each node tells the operator that it comes from.

    `read` are variables that it is the first to read: what they say is told with it. `notes` are
    sentences for the reader.
    """

    def __init__(self, node: SymbolNode, read: Sequence[SymbolNode]) -> None:
        told = origin.Provenance(
            origins=(node.origin(), *_variable_origins(node, read)),
            modules=node.modules,
            name=node.name,
        )
        super().__init__(told, usual=None)
        self.source = node
        self.notes: list[str] = []

    @property
    def name(self) -> str:
        """The operator's own name."""
        return self.source.name

    def possible(self, shape: Dims) -> Dims:
        """A shape that a tensor can have."""
        wrong = impossible(shape)
        if wrong:
            raise self.error(
                f"would have an output of {said(shape[:9])}: {wrong}",
                mend="check its settings against its input's shape",
            )
        return shape

    def transposed(self, value: ir.Value, order: Sequence[int]) -> ir.Value:
        """A value with its axes in another order."""
        if list(order) == list(range(len(order))):
            return value
        return self.node("Transpose", [value], permuted(shape_of(value), order), perm=list(order))

    def reshaped(self, value: ir.Value, shape: Sequence[int]) -> ir.Value:
        """A value in another shape of as many elements."""
        if shape_of(value) == tuple(shape):
            return value
        return self.node("Reshape", [value, self.integers(shape)], tuple(shape))

    def cast(self, value: ir.Value, dtype: ir.DataType) -> ir.Value:
        """A value as another element type."""
        if value.dtype == dtype:
            return value
        attributes = {"to": int(dtype)}
        return self.emit("Cast", [value], [shape_of(value)], attributes, dtypes=[dtype])[0]

    def constant(self, array: Any, role: str = "constant") -> ir.Value:
        """A constant of the graph, which is no parameter."""
        array = np.asarray(array)
        if array.size > MAX_FIXED:
            raise self.error(
                f"makes a constant of {array.size} values", mend=f"at most {MAX_FIXED} are drawn"
            )
        return self.hold(array, f"{self.name}/{role}")

    def integers(self, numbers: Sequence[int], role: str = "shape") -> ir.Value:
        """A vector of int64, as Reshape and Slice read it."""
        return self.constant(np.array(numbers, np.int64), role)

    def scalar(self, number: float, like: ir.Value, role: str = "scalar") -> ir.Value:
        """A number of another value's element type."""
        kind = (like.dtype or ir.DataType.FLOAT).numpy()
        with np.errstate(all="ignore"):
            return self.constant(np.array(number).astype(kind), role)

    def error(self, reason: str, *, mend: str) -> ModeldocsError:
        """The error to raise, naming the node."""
        return self.source.error(reason, mend=mend)


def _variable_origins(reader: SymbolNode, variables: Sequence[SymbolNode]) -> list[Origin]:
    """What the variables say that nothing else shows, such as `__lr_mult__`."""
    found = []
    for variable in variables:
        told = variable.origin()
        kept = {k: v for k, v in told.attributes.items() if _is_own(reader, k, v)}
        if kept:
            found.append(msgspec.structs.replace(told, attributes=kept))
    return found


def _is_own(reader: SymbolNode, name: str, value: str) -> bool:
    """Whether it is not copied from the operator, nor what Gluon writes for nothing said."""
    usual = {"__lr_mult__": "1.0", "__wd_mult__": "1.0", "__storage_type__": "0"}
    return (
        reader.attributes.get(name) != value
        and usual.get(name) != value
        and (name != "__init__" or value not in _USUAL_INIT)
        and name not in ("__shape__", "__dtype__")
    )
