"""One applied function while it is turned into ONNX nodes: what an emit function works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.chainer import stack
from modeldocs.loaders.chainer.tape import Call
from modeldocs.loaders.drawing import LayerDrawing, attribute
from modeldocs.loaders.emitters import Emitters

DOMAIN = "chainer"

Shape = Sequence[int]
Emit = Callable[["Step"], Sequence[ir.Value]]

EMITTERS = Emitters[Emit]()
emits = EMITTERS.emits

_NODE_OWN = ("inputs", "outputs", "rank", "stack", "lazy_grad_sum", "chainerx_device")


class Step(LayerDrawing[Shape]):
    """A call, the values it reads, and the nodes and constants made for it so far."""

    def __init__(
        self, call: Call, operands: Sequence[ir.Value], provenance: origin.Provenance
    ) -> None:
        super().__init__(provenance, _type(call.outputs[0].dtype))
        self.call = call
        self.operands = list(operands)

    def setting(self, name: str, default: Any = None) -> Any:
        """A setting of Chainer's own function object."""
        return getattr(self.call.node, name, default)

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """Shape of what the function reads."""
        return self.call.inputs[index].shape

    def made(self, index: int = 0) -> tuple[int, ...]:
        """Shape of what the function made."""
        return self.call.outputs[index].shape

    def node(
        self,
        op: str,
        inputs: Sequence[ir.Value | None],
        shape: Shape | None = None,
        *,
        dtype: Any = None,
        **attributes: Any,
    ) -> ir.Value:
        """Add a node with one output, of the call's own shape and type where none is given."""
        shapes = [self.made() if shape is None else shape]
        types = [] if dtype is None else [_type(np.dtype(dtype))]
        return self.emit(op, inputs, shapes, attributes, dtypes=types)[0]

    def constant(self, array: Any, dtype: Any = None) -> ir.Value:
        """A constant of the graph; float32 where not told otherwise."""
        return self.hold(np.asarray(array, dtype=np.float32 if dtype is None else dtype))

    def integers(self, values: Sequence[int]) -> ir.Value:
        """A vector of int64, as Reshape and Slice read it."""
        return self.constant(np.array(list(values), np.int64), np.int64)

    def reshape(self, value: ir.Value, shape: Shape, dtype: Any = None) -> ir.Value:
        """The same elements in another shape."""
        return self.node("Reshape", [value, self.integers(shape)], shape, dtype=dtype)

    def transpose(self, value: ir.Value, perm: Sequence[int]) -> ir.Value:
        """The axes in another order."""
        shape = [int(dim) for dim in value.shape or ()]  # type: ignore[arg-type]
        return self.node("Transpose", [value], [shape[axis] for axis in perm], perm=list(perm))

    def opaque(self) -> Sequence[ir.Value]:
        """Draw the function as it is, in Chainer's own domain, with its settings as attributes."""
        shapes = [tensor.shape for tensor in self.call.outputs]
        settings = {name: attribute(value) for name, value in self.settings().items()}
        return self.emit(self.call.kind, self.operands, shapes, settings, domain=DOMAIN)

    def settings(self) -> dict[str, Any]:
        """The function's settings: what it was called with, else what its object holds."""
        held = vars(self.call.node) if self.call.node is not None else {}
        if self.call.caller.arguments:
            held = self.call.caller.arguments
        return {
            name: stack.plain(value)
            for name, value in sorted(held.items())
            if name[0] != "_" and name not in _NODE_OWN and _is_setting(value)
        }


def _is_setting(value: Any) -> bool:
    return stack.told_of(value) and isinstance(
        value, bool | int | float | str | list | tuple | slice | dict
    )


def _type(dtype: np.dtype[Any]) -> ir.DataType:
    return ir.DataType.from_numpy(dtype)
