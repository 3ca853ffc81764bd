"""Emitters of MXNet's numpy operators (`_np_`, `_npi_`) that differ from its older ones."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.dims import said
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.inference import broadcast, shape_of
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits


@emits("_npi_concatenate", "_np_concatenate")
def concatenate(op: Operation) -> Outputs:
    """Concatenation along `axis`, 0 by default; flattened inputs where it is None."""
    values = op.values()
    if op.source.attributes.get("axis") == "None":
        values = [op.reshaped(value, (-1,)) for value in values]
        return op.opaque([(None,)], values)
    axis = op.axis("axis", 0, len(op.shape(least=1)))
    return [cutting.joined(op, values, axis)]


@emits("_np_dot", "_npi_matmul")
def product(op: Operation) -> Outputs:
    """MatMul; `dot` by a tensor of more than two dimensions is another product."""
    first, second = op.exactly(2)
    left, right = shape_of(first), shape_of(second)
    batched = op.kind == "_npi_matmul"
    if len(left) < 2 or len(right) < 2 or (len(right) > 2 and not batched):
        return op.opaque([None])
    if broadcast(left[:-2], right[:-2]) is None or left[-1] != right[-2]:
        raise op.error(
            f"cannot multiply {said(left)} by {said(right)}", fix="make their shapes match"
        )
    return [op.node("MatMul", [first, second])]


@emits("_npi_true_divide")
def true_divide(op: Operation) -> Outputs:
    """Div; integers are divided as floating-point numbers."""
    first, second = (_floating(op, value) for value in op.exactly(2))
    if broadcast(shape_of(first), shape_of(second)) is None:
        raise op.error(
            "divides tensors of shapes that do not broadcast", fix="make their shapes match"
        )
    return [op.node("Div", [first, second])]


@emits("_npi_true_divide_scalar", "_npi_rtrue_divide_scalar")
def true_divide_scalar(op: Operation) -> Outputs:
    """Div by a number, or of a number."""
    value = _floating(op, op.value())
    operands = [value, op.scalar(op.settings.number("scalar"), value)]
    is_reversed = op.kind == "_npi_rtrue_divide_scalar"
    return [op.node("Div", operands[::-1] if is_reversed else operands)]


def _floating(op: Operation, value: ir.Value) -> ir.Value:
    is_integer = value.dtype is not None and not value.dtype.is_floating_point()
    return op.cast(value, ir.DataType.FLOAT) if is_integer else value


@emits("shape_array", "size_array")
def sizes(op: Operation) -> Outputs:
    """The input's sizes, or its number of elements, as int64."""
    shape = op.sizes()
    numbers = list(shape) if op.kind == "shape_array" else [math.prod(shape)]
    constant = op.constant(np.array(numbers, np.int64), role="sizes")
    return [op.node("Identity", [constant])]
