"""The ONNX nodes and constants that one operator becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs import origin
from modeldocs.errors import ModeldocsError
from modeldocs.graph import Origin
from modeldocs.loaders.mxnet.shapes import Dims, permuted, possible, said, shape_of
from modeldocs.loaders.mxnet.symbol import SymbolNode
from modeldocs.loaders.mxnet.variables import MAX_FIXED

_USUAL_INIT = ("zeros", "ones", '["zero", {}]', '["one", {}]')
"""What MXNet itself says of biases, gammas and running statistics."""


class Drawing:
    """What is drawn of one operator so far; each node tells the operator that it comes from.

    `read` are variables that it is the first to read: what they say is told with it. `notes` are
    sentences for the reader.
    """

    def __init__(self, node: SymbolNode, read: Sequence[SymbolNode]) -> None:
        self.source = node
        self.nodes: list[ir.Node] = []
        self.constants: list[ir.Value] = []
        self.notes: list[str] = []
        self._read = read

    @property
    def name(self) -> str:
        """The operator's own name."""
        return self.source.name

    def node(
        self, op: str, inputs: Sequence[ir.Value | None], shape: Dims, **attributes: Any
    ) -> ir.Value:
        """Add a node with one output of the given shape, of the first operand's element type."""
        return self.emit(op, inputs, [shape], attributes)[0]

    def emit(
        self,
        op: str,
        inputs: Sequence[ir.Value | None],
        shapes: Sequence[Dims],
        attributes: dict[str, Any],
        *,
        domain: str = "",
        padding: str | None = None,
        dtypes: Sequence[ir.DataType] = (),
    ) -> list[ir.Value]:
        """Add a node; its outputs are of the first input's element type unless `dtypes` say."""
        first = next((v.dtype for v in inputs if v is not None and v.dtype), ir.DataType.FLOAT)
        types = [*dtypes, *[first] * (len(shapes) - len(dtypes))]
        outputs = [
            ir.Value(shape=ir.Shape(self._possible(shape)), type=ir.TensorType(dtype))
            for shape, dtype in zip(shapes, types, strict=True)
        ]
        given = {name: value for name, value in attributes.items() if value is not None}
        made = ir.node(op, list(inputs), given, domain=domain, outputs=outputs)
        told = origin.Provenance(
            origins=(self.source.origin(), *self._variable_origins()),
            modules=self.source.modules,
            name=self.name,
            padding=padding,
        )
        origin.attach(made, told)
        self.nodes.append(made)
        return outputs

    def _possible(self, shape: Dims) -> Dims:
        wrong = possible(shape)
        if wrong:
            raise self.error(
                f"would have an output of {said(shape[:9])}: {wrong}",
                mend="check its settings against its input's shape",
            )
        return shape

    def _variable_origins(self) -> list[Origin]:
        """What a variable says that nothing else shows, such as `__lr_mult__`."""
        found = []
        for variable in self._read:
            told = variable.origin()
            kept = {k: v for k, v in told.attributes.items() if self._is_own(k, v)}
            if kept:
                found.append(
                    Origin(
                        operator=told.operator,
                        name=told.name,
                        attributes=kept,
                        file=told.file,
                        line=told.line,
                        device=told.device,
                    )
                )
        return found

    def _is_own(self, name: str, value: str) -> bool:
        """Whether it is not copied from the operator, nor what Gluon writes for nothing said."""
        usual = {"__lr_mult__": "1.0", "__wd_mult__": "1.0", "__storage_type__": "0"}
        return (
            self.source.attributes.get(name) != value
            and usual.get(name) != value
            and (name != "__init__" or value not in _USUAL_INIT)
            and name not in ("__shape__", "__dtype__")
        )

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
        tensor = ir.tensor(array, name=f"{self.name}/{role}")
        value = ir.Value(
            name=tensor.name,
            shape=ir.Shape(array.shape),
            type=ir.TensorType(tensor.dtype),
            const_value=tensor,
        )
        self.constants.append(value)
        return value

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
