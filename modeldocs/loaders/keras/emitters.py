"""The emitters of Keras' layers and operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.keras import framework, functions

Emit = Callable[[Any], ir.Value | Sequence[ir.Value]]
"""Adds the nodes of an `KerasOperation` and returns its outputs, flat and in order."""

LAYERS = Emitters[Emit]()
OPERATIONS = Emitters[Emit]()
"""By the name of Keras' own class: the layer `Add` and the operation `Add` share theirs."""
emits = LAYERS.emits
computes = OPERATIONS.emits


def emitter_of(source: Any) -> Emit | None:
    """The emitter of a layer or operation; None where there is none.

    A port's subclass of a known layer counts as that layer if it has the same `call`.
    """
    if functions.is_function(source):
        return OPERATIONS[functions.KIND]
    if getattr(source, "quantization_mode", None) is not None:
        return None  # its kernel is not the one that the product uses
    known = known_class(source)
    if known is None or type(source).call is not known.call:
        return None
    return _table(source)[known.__name__]


def known_class(source: Any) -> Any | None:
    """The class with an emitter that a layer or operation is, or derives from."""
    table = _table(source)
    classes = (kind for kind in type(source).__mro__ if kind.__module__.startswith("keras."))
    return next((kind for kind in classes if kind.__name__ in table), None)


def _table(source: Any) -> Emitters[Emit]:
    return LAYERS if isinstance(source, framework.imported().layers.Layer) else OPERATIONS
