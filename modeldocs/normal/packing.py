"""Weights that are packed into bytes, several values in each."""

from __future__ import annotations

import msgspec
import onnx_ir as ir

from modeldocs.ir import Parameter, Shape
from modeldocs.normal import values

_DENSE = ("com.microsoft::MatMulNBits", "com.microsoft::MatMulBnb4")
_LOOKUP = "com.microsoft::GatherBlockQuantized"

_DEFAULT_BITS = 4


def unpacked(node: ir.Node, parameter: Parameter) -> Parameter:
    """A weight with the shape and type of its values, where a node has it packed into bytes."""
    operator = values.operator(node)
    if parameter.role != "weight" or parameter.dtype != "uint8":
        return parameter
    bits = int(values.attribute(node, "bits", _DEFAULT_BITS))
    if operator in _DENSE:
        shape: Shape = tuple(int(values.attribute(node, name, 0)) for name in ("N", "K"))
    elif operator == _LOOKUP:
        rows, last = parameter.shape[:-1], parameter.shape[-1] if parameter.shape else None
        shape = (*rows, last * 8 // bits) if isinstance(last, int) else parameter.shape
    else:
        return parameter
    return msgspec.structs.replace(parameter, shape=shape, dtype=f"uint{bits}", permutation=())
