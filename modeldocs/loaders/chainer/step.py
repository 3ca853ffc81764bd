"""One applied function while it is turned into ONNX nodes: what an emit function works with."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs import origin
from modeldocs.loaders.chainer import stack
from modeldocs.loaders.chainer.tape import Call

DOMAIN = "chainer"

Shape = Sequence[int]
Emit = Callable[["Step"], Sequence[ir.Value]]

EMITTERS: dict[str, Emit] = {}
"""The emit function of each class of function node."""

_NODE_OWN = ("inputs", "outputs", "rank", "stack", "lazy_grad_sum", "chainerx_device")


def emits(*kinds: str) -> Callable[[Emit], Emit]:
    """Register the emit function of some classes of function nodes."""

    def register(emit: Emit) -> Emit:
        EMITTERS.update(dict.fromkeys(kinds, emit))
        return emit

    return register


class Step:
    """A call, the values it reads, and the nodes and constants made for it so far."""

    def __init__(
        self, call: Call, operands: Sequence[ir.Value], provenance: origin.Provenance
    ) -> None:
        self.call = call
        self.operands = list(operands)
        self.provenance = provenance
        self.nodes: list[ir.Node] = []
        self.constants: list[ir.Value] = []

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
        return self.emit(op, inputs, shapes, attributes, dtype=dtype)[0]

    def emit(
        self,
        op: str,
        inputs: Sequence[ir.Value | None],
        shapes: Sequence[Shape],
        attributes: dict[str, Any],
        *,
        dtype: Any = None,
        domain: str = "",
        padding: str | None = None,
    ) -> list[ir.Value]:
        """Add a node with outputs of the given shapes."""
        kind = _type(self.call.outputs[0].dtype if dtype is None else np.dtype(dtype))
        outputs = [
            ir.Value(shape=ir.Shape(tuple(shape)), type=ir.TensorType(kind)) for shape in shapes
        ]
        given = {name: value for name, value in attributes.items() if value is not None}
        node = ir.node(op, list(inputs), given, domain=domain, outputs=outputs)
        told = self.provenance
        origin.attach(
            node,
            origin.Provenance(
                origins=told.origins, modules=told.modules, name=told.name, padding=padding
            ),
        )
        self.nodes.append(node)
        return outputs

    def constant(self, array: Any, dtype: Any = None) -> ir.Value:
        """A constant of the graph; float32 where not told otherwise."""
        held = np.asarray(array, dtype=np.float32 if dtype is None else dtype)
        value = ir.Value(
            shape=ir.Shape(held.shape),
            type=ir.TensorType(_type(held.dtype)),
            const_value=ir.tensor(held),
        )
        self.constants.append(value)
        return value

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
        settings = {name: _attribute(value) for name, value in self.settings().items()}
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


def _attribute(value: Any) -> Any:
    """A setting as an ONNX attribute holds it; what none can hold is its JSON."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str | float) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    if isinstance(value, list) and value and all(type(item) is int for item in value):
        return value
    return json.dumps(value, sort_keys=True)


def _type(dtype: np.dtype[Any]) -> ir.DataType:
    return ir.DataType.from_numpy(dtype)
