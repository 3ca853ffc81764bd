"""Removal of weights from what is stored: shapes and types are enough for a report."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import origin


def drop(model: ir.Model) -> None:
    """Replace the values of parameters by tensors of no data, in place."""
    for name, value in model.graph.initializers.items():
        tensor = value.const_value
        if origin.parameter_kind(value) is None or tensor is None or value.dtype is None:
            continue
        shape = tuple(dim for dim in tensor.shape if isinstance(dim, int))
        value.const_value = origin.absent_tensor(name, shape, value.dtype)


def without(model: ir.Model) -> bytes:
    """The bytes of a model without weights, which are dropped in place. They are deterministic."""
    drop(model)
    data: bytes = ir.to_proto(model).SerializeToString(deterministic=True)
    return data
