"""Weights stay out of what is stored: shapes and types tell what a network is."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import origin


def drop(model: ir.Model) -> None:
    """Replace the values of parameters by their shape and type, in place."""
    for name, value in model.graph.initializers.items():
        held = value.const_value
        if origin.parameter_kind(value) is None or held is None or value.dtype is None:
            continue
        shape = tuple(dim for dim in held.shape if isinstance(dim, int))
        value.const_value = origin.absent_tensor(name, shape, value.dtype)


def without(model: ir.Model) -> bytes:
    """A model as it is stored: its weights dropped, in place, the same bytes each time."""
    drop(model)
    made: bytes = ir.to_proto(model).SerializeToString(deterministic=True)
    return made
