"""Emitters of Keras' reductions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras import shapes
from modeldocs.loaders.keras.emitters import computes
from modeldocs.loaders.keras.operation import KerasOperation

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
def reduction(op: KerasOperation) -> ir.Value:
    """The corresponding ONNX operator."""
    if getattr(op.source, "initial", None) is not None:
        raise NotImplementedError("it has an initial value")
    return _reduced(op, _REDUCTIONS[op.kind], op.promote(op.input()))


def _reduced(op: KerasOperation, operator: str, value: ir.Value) -> ir.Value:
    """A reduction with the settings `axis` and `keepdims`."""
    keepdims = int(getattr(op.source, "keepdims", False))
    return op.node(operator, [value, _axes(op, op.source.axis)], keepdims=keepdims)


def _axes(op: KerasOperation, axis: int | Sequence[int] | None) -> ir.Value | None:
    """One axis or several as an operand; None for all."""
    if axis is None:
        return None
    axes = [axis] if isinstance(axis, int) else list(axis)
    return op.integers([int(one) for one in axes], "axes")


@computes("Var", "Std")
def spread(op: KerasOperation) -> ir.Value:
    """The variance, or its root."""
    value = op.promote(op.input())
    axes = _axes(op, op.source.axis)
    difference = op.node("Sub", [value, op.node("ReduceMean", [value, axes], keepdims=1)])
    variance = _reduced(op, "ReduceMean", op.node("Mul", [difference, difference]))
    return variance if op.kind == "Var" else op.node("Sqrt", [variance])


@computes("Moments")
def moments(op: KerasOperation) -> list[ir.Value]:
    """Mean and variance."""
    source, axes = op.input(), _axes(op, op.source.axes)
    keepdims = int(op.source.keepdims)
    mean = op.node("ReduceMean", [source, axes], keepdims=1)
    difference = op.node("Sub", [source, mean])
    squares = op.node("Mul", [difference, difference])
    variance = op.node("ReduceMean", [squares, axes], keepdims=keepdims)
    return [mean if keepdims else op.node("Squeeze", [mean, axes]), variance]


@computes("Any", "All")
def truth(op: KerasOperation) -> ir.Value:
    """The minimum or maximum of booleans as integers."""
    operator = "ReduceMax" if op.kind == "Any" else "ReduceMin"
    integers = op.cast(op.cast(op.input(), ir.DataType.BOOL), ir.DataType.INT32)
    return op.cast(_reduced(op, operator, integers), ir.DataType.BOOL)


@computes("Argmax", "Argmin")
def extreme(op: KerasOperation) -> ir.Value:
    """The index of the largest or smallest element."""
    source, axis = op.input(), op.source.axis
    operator = "ArgMax" if op.kind == "Argmax" else "ArgMin"
    if axis is None:
        source, axis = op.reshape(source, [None]), 0
    indices = op.node(operator, [source], axis=int(axis), keepdims=int(op.source.keepdims))
    return op.cast(indices, op.output_dtype)


@computes("Cumsum")
def cumulative(op: KerasOperation) -> ir.Value:
    source, axis = op.promote(op.input()), op.source.axis
    if axis is None:
        source, axis = op.reshape(source, [None]), 0
    return op.node("CumSum", [source, op.number(int(axis), ir.DataType.INT64, "axis")])


@computes("TopK")
def top(op: KerasOperation) -> list[ir.Value]:
    """The largest elements along the last axis, and their indices."""
    source = op.input()
    count = op.integers([int(op.source.k)], "k")
    values, indices = op.node_of_several("TopK", [source, count], 2, axis=-1)
    return [values, op.cast(indices, shapes.dtype(op.outputs[1].dtype))]


@computes("Norm")
def norm(op: KerasOperation) -> ir.Value:
    """The L1 or L2 norm."""
    order = op.source.ord
    operators = {None: "ReduceL2", 2: "ReduceL2", "fro": "ReduceL2", 1: "ReduceL1"}
    if order not in operators or (order in (1, 2) and np.size(op.source.axis) != 1):
        raise NotImplementedError(f"its norm is of the order {order}")
    return _reduced(op, operators[order], op.promote(op.input()))
