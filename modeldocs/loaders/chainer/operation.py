"""The context of an emitter: one function that was applied, and the ONNX nodes emitted for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.chainer.program import FunctionCall
from modeldocs.loaders.chainer.provenance import is_setting
from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.emission.operation import Operation, Outputs
from modeldocs.loaders.emission.settings import plain

DOMAIN = "chainer"

Emit = Callable[["ChainerOperation"], Outputs]

EMITTERS = Emitters[Emit]()
"""By the class of the function."""
emits = EMITTERS.emits
renames = EMITTERS.renames

_INTERNAL = ("inputs", "outputs", "rank", "stack", "lazy_grad_sum", "chainerx_device")
"""Attributes of every function object that are no settings."""


class ChainerOperation(Operation):
    """A call, what it reads, and the nodes emitted for it."""

    domain = DOMAIN

    def __init__(
        self, call: FunctionCall, operands: Sequence[ir.Value], provenance: origin.Provenance
    ) -> None:
        super().__init__(provenance)
        self.call = call
        self.inputs = list(operands)

    @property
    def kind(self) -> str:
        """The class of the function."""
        return self.call.kind

    def setting(self, name: str, default: Any = None) -> Any:
        """A setting of the function object."""
        return getattr(self.call.node, name, default)

    def integer(self, name: str, default: int = 0) -> int:
        """A setting that is a whole number or a flag."""
        return int(self.setting(name, default))

    def number(self, name: str) -> float:
        """A setting that is a number."""
        return float(self.setting(name))

    def integers_of(self, *names: str) -> list[int]:
        """A setting of one whole number for each axis, or several settings of one number each."""
        values = self.setting(names[0]) if len(names) == 1 else map(self.setting, names)
        return [int(value) for value in values]

    def shape(self, index: int = 0, *, least: int = 0) -> tuple[int, ...]:
        """Dimensions of an input, as they were when the function ran."""
        shape: tuple[int, ...] = self.call.inputs[index].shape
        return self.with_rank(shape, index, least)

    def output_shape(self, index: int = 0) -> tuple[int, ...]:
        """Shape of an output."""
        return self.call.outputs[index].shape

    def to_output_type(self, value: ir.Value) -> ir.Value:
        """A value cast to the element type of the output."""
        dtype = ir.DataType.from_numpy(self.call.outputs[0].dtype)
        return self.node("Cast", [value], to=int(dtype))

    def opaque(self) -> Outputs:
        """The function as one node of Chainer's own domain, its settings as attributes."""
        shapes = [tensor.shape for tensor in self.call.outputs]
        types = [ir.DataType.from_numpy(tensor.dtype) for tensor in self.call.outputs]
        return self.foreign(self.kind, self.inputs, shapes, settings(self.call), types)


def settings(call: FunctionCall) -> dict[str, Any]:
    """The settings of a function: the arguments of the call, else attributes of its object."""
    attributes = vars(call.node) if call.node is not None else {}
    return {
        name: plain(value)
        for name, value in sorted((call.caller.arguments or attributes).items())
        if name[0] != "_"
        and name not in _INTERNAL
        and is_setting(value)
        and isinstance(value, bool | int | float | str | list | tuple | slice | dict)
    }
