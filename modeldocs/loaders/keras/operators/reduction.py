"""Emitters of Keras' reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras import shapes
from modeldocs.loaders.keras.emitters import computes
from modeldocs.loaders.keras.operation import Operation

_REDUCTIONS = {
    "Mean": "ReduceMean",
    "Sum": "ReduceSum",
    "Prod": "ReduceProd",
    "Max": "ReduceMax",
    "Min": "ReduceMin",
    "Amax": "ReduceMax",
    "Amin": "ReduceMin",
    "Logsumexp": "ReduceLogSumExp",
}


@computes(*_REDUCTIONS)
def reduction(op: Operation) -> ir.Value:
    """The corresponding ONNX operator."""
    if getattr(op.source, "initial", None) is not None:
        raise NotImplementedError("it starts from a number of its own")
    return _reduced(op, _REDUCTIONS[op.kind], op.promote(op.input), op.source.axis)


def _reduced(
    op: Operation, operator: str, value: ir.Value, axis: int | Sequence[int] | None, **more: Any
) -> ir.Value:
    """A reduction over one axis, several, or all, with the setting `keepdims`."""
    keep = int(getattr(op.source, "keepdims", False))
    axes = _axes(op, axis)
    return op.node(operator, [value, axes], keepdims=keep, **more)


def _axes(op: Operation, axis: int | Sequence[int] | None) -> ir.Value | None:
    if axis is None:
        return None
    axes = [axis] if isinstance(axis, int) else list(axis)
    return op.integers([int(one) for one in axes], "axes")


@computes("Var", "Std")
def spread(op: Operation) -> ir.Value:
    """The variance, or its root."""
    value = op.promote(op.input)
    axes = _axes(op, op.source.axis)
    difference = op.node("Sub", [value, op.node("ReduceMean", [value, axes], keepdims=1)])
    variance = _reduced(op, "ReduceMean", op.node("Mul", [difference, difference]), op.source.axis)
    return variance if op.kind == "Var" else op.node("Sqrt", [variance])


@computes("Moments")
def moments(op: Operation) -> list[ir.Value]:
    """Mean and variance."""
    source, axes = op.input, op.source.axes
    keep = int(op.source.keepdims)
    operand = _axes(op, axes)
    mean = op.node("ReduceMean", [source, operand], keepdims=1)
    difference = op.node("Sub", [source, mean])
    variance = op.node(
        "ReduceMean", [op.node("Mul", [difference, difference]), operand], keepdims=keep
    )
    return [mean if keep else op.node("Squeeze", [mean, operand]), variance]


@computes("Any", "All")
def truth(op: Operation) -> ir.Value:
    """The minimum or maximum of booleans as integers."""
    operator = "ReduceMax" if op.kind == "Any" else "ReduceMin"
    integers = op.cast(op.cast(op.input, ir.DataType.BOOL), ir.DataType.INT32)
    return op.cast(_reduced(op, operator, integers, op.source.axis), ir.DataType.BOOL)


@computes("Argmax", "Argmin")
def extreme(op: Operation) -> ir.Value:
    """The index of the largest or smallest element."""
    settings, source = op.source, op.input
    operator = "ArgMax" if type(settings).__name__ == "Argmax" else "ArgMin"
    axis = settings.axis
    if axis is None:
        source, axis = op.reshape(source, [None]), 0
    indices = op.node(operator, [source], axis=int(axis), keepdims=int(settings.keepdims))
    return op.cast(indices, op.output_dtype)


@computes("Cumsum")
def cumulative(op: Operation) -> ir.Value:
    """CumSum."""
    source, axis = op.promote(op.input), op.source.axis
    if axis is None:
        source, axis = op.reshape(source, [None]), 0
    return op.node("CumSum", [source, op.number(int(axis), ir.DataType.INT64, "axis")])


@computes("TopK")
def top(op: Operation) -> list[ir.Value]:
    """The largest elements along the last axis, and their indices."""
    source = op.input
    count = op.integers([int(op.source.k)], "k")
    values, indices = op.node_of_several("TopK", [source, count], 2, axis=-1)
    return [values, op.cast(indices, shapes.dtype(op.outputs[1].dtype))]


@computes("Norm")
def norm(op: Operation) -> ir.Value:
    """The L1 or L2 norm."""
    settings = op.source
    operators = {None: "ReduceL2", 2: "ReduceL2", "fro": "ReduceL2", 1: "ReduceL1"}
    axis = settings.axis
    if settings.ord not in operators or (settings.ord in (1, 2) and np.size(axis) != 1):
        raise NotImplementedError(f"its norm is of the order {settings.ord}")
    return _reduced(op, operators[settings.ord], op.promote(op.input), axis)
