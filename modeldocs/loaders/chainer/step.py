"""One applied function while it is turned into ONNX nodes: what an emit function works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.chainer import stack
from modeldocs.loaders.chainer.tape import Call
from modeldocs.loaders.emission.builder import Builder
from modeldocs.loaders.emission.emitters import Emitters

DOMAIN = "chainer"

Emit = Callable[["Step"], Sequence[ir.Value]]

EMITTERS = Emitters[Emit]()
emits = EMITTERS.emits

_NODE_OWN = ("inputs", "outputs", "rank", "stack", "lazy_grad_sum", "chainerx_device")


class Step(Builder):
    """A call, the values it reads, and the nodes and constants made for it so far."""

    domain = DOMAIN

    def __init__(
        self, call: Call, operands: Sequence[ir.Value], provenance: origin.Provenance
    ) -> None:
        super().__init__(provenance)
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

    def opaque(self) -> Sequence[ir.Value]:
        """Draw the function as it is, in Chainer's own domain, with its settings as attributes."""
        shapes = [tensor.shape for tensor in self.call.outputs]
        types = [ir.DataType.from_numpy(tensor.dtype) for tensor in self.call.outputs]
        return self.foreign(self.call.kind, self.operands, shapes, self.settings(), types)

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
