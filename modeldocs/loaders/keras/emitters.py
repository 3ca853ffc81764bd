"""Which function turns a layer or operation of Keras into ONNX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import onnx_ir as ir

if TYPE_CHECKING:
    from modeldocs.loaders.keras.call import Call

Emit = Callable[["Call"], ir.Value | Sequence[ir.Value]]
"""Adds the nodes of one call and gives its outputs, flat, in their order."""

AnyEmit = TypeVar("AnyEmit", bound=Emit)

LAYERS: dict[str, Emit] = {}
OPERATIONS: dict[str, Emit] = {}
"""By the name of Keras' own class: `keras.layers.Add` and the operation `Add` share theirs."""


def emits(*layers: str) -> Callable[[AnyEmit], AnyEmit]:
    """Register the function of some layers."""
    return _register(LAYERS, layers)


def computes(*operations: str) -> Callable[[AnyEmit], AnyEmit]:
    """Register the function of some operations of `keras.ops`."""
    return _register(OPERATIONS, operations)


def _register(table: dict[str, Emit], names: tuple[str, ...]) -> Callable[[AnyEmit], AnyEmit]:
    def register(emit: AnyEmit) -> AnyEmit:
        table.update(dict.fromkeys(names, emit))
        return emit

    return register


def emitter_of(operation: Any) -> Emit | None:
    """The function for a layer or operation; None for one that is not known as it is.

    A port's subclass of a known layer is that layer as long as it has the same `call`.
    """
    from modeldocs.loaders.keras import forms, framework, functions

    if functions.is_one(operation):
        return forms.emit
    table = LAYERS if isinstance(operation, framework.imported().layers.Layer) else OPERATIONS
    if getattr(operation, "quantization_mode", None) is not None:
        return None  # its kernel is not what is multiplied with
    for kind in type(operation).__mro__:
        if kind.__module__.startswith("keras.") and kind.__name__ in table:
            same = type(operation).call is kind.call  # type: ignore[attr-defined]
            return table[kind.__name__] if same else None
    return None
