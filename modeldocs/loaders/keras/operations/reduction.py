"""Operations over whole axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras import shapes
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import OPERATIONS, Emit, computes
from modeldocs.loaders.keras.operations.elementwise import floating

_REDUCING = {
    "Mean": "ReduceMean",
    "Sum": "ReduceSum",
    "Prod": "ReduceProd",
    "Max": "ReduceMax",
    "Min": "ReduceMin",
    "Amax": "ReduceMax",
    "Amin": "ReduceMin",
    "Logsumexp": "ReduceLogSumExp",
}


def _reducing(operator: str) -> Emit:
    def emit(call: Call) -> ir.Value:
        if getattr(call.operation, "initial", None) is not None:
            raise NotImplementedError("it starts from a number of its own")
        return reduced(call, operator, floating(call, call.input), call.operation.axis)

    return emit


def reduced(
    call: Call, operator: str, value: ir.Value, axis: int | Sequence[int] | None, **more: Any
) -> ir.Value:
    """A reduction over one axis, several, or all, with `keepdims` as the operation has it."""
    keep = int(getattr(call.operation, "keepdims", False))
    axes = _axes(call, axis)
    return call.node(operator, [value, axes], keepdims=keep, **more)


def _axes(call: Call, axis: int | Sequence[int] | None) -> ir.Value | None:
    if axis is None:
        return None
    listed = [axis] if isinstance(axis, int) else list(axis)
    return call.integers([int(one) for one in listed], "axes")


OPERATIONS.update({name: _reducing(operator) for name, operator in _REDUCING.items()})


@computes("Var", "Std")
def spread(call: Call) -> ir.Value:
    """The mean square of what lies off the mean, or its root."""
    source = floating(call, call.input)
    axes = _axes(call, call.operation.axis)
    off = call.node("Sub", [source, call.node("ReduceMean", [source, axes], keepdims=1)])
    made = reduced(call, "ReduceMean", call.node("Mul", [off, off]), call.operation.axis)
    return made if type(call.operation).__name__ == "Var" else call.node("Sqrt", [made])


@computes("Moments")
def moments(call: Call) -> list[ir.Value]:
    """Mean and variance."""
    source, axes = call.input, call.operation.axes
    keep = int(call.operation.keepdims)
    listed = _axes(call, axes)
    mean = call.node("ReduceMean", [source, listed], keepdims=1)
    off = call.node("Sub", [source, mean])
    variance = call.node("ReduceMean", [call.node("Mul", [off, off]), listed], keepdims=keep)
    return [mean if keep else call.node("Squeeze", [mean, listed]), variance]


@computes("Any", "All")
def truth(call: Call) -> ir.Value:
    """Whether one is true, or all are."""
    operator = "ReduceMax" if type(call.operation).__name__ == "Any" else "ReduceMin"
    number = call.cast(call.cast(call.input, ir.DataType.BOOL), ir.DataType.INT32)
    return call.cast(reduced(call, operator, number, call.operation.axis), ir.DataType.BOOL)


@computes("Argmax", "Argmin")
def extreme(call: Call) -> ir.Value:
    """Where the largest or smallest stands."""
    operation, source = call.operation, call.input
    operator = "ArgMax" if type(operation).__name__ == "Argmax" else "ArgMin"
    axis = operation.axis
    if axis is None:
        source, axis = call.reshape(source, [None]), 0
    made = call.node(operator, [source], axis=int(axis), keepdims=int(operation.keepdims))
    return call.cast(made, shapes.dtype(call.outputs[0].dtype))


@computes("Cumsum")
def cumulative(call: Call) -> ir.Value:
    """Each element with those before it."""
    source, axis = floating(call, call.input), call.operation.axis
    if axis is None:
        source, axis = call.reshape(source, [None]), 0
    return call.node("CumSum", [source, call.number(int(axis), ir.DataType.INT64, "axis")])


@computes("TopK")
def top(call: Call) -> list[ir.Value]:
    """The largest along the last axis, and where they stand."""
    source = call.input
    count = call.integers([int(call.operation.k)], "k")
    found, where = call.node_of_several("TopK", [source, count], 2, axis=-1)
    return [found, call.cast(where, shapes.dtype(call.outputs[1].dtype))]


@computes("Norm")
def norm(call: Call) -> ir.Value:
    """The sum of sizes, or the root of the sum of squares."""
    operation = call.operation
    operators = {None: "ReduceL2", 2: "ReduceL2", "fro": "ReduceL2", 1: "ReduceL1"}
    axis = operation.axis
    if operation.ord not in operators or (operation.ord in (1, 2) and np.size(axis) != 1):
        raise NotImplementedError(f"its norm is of the order {operation.ord}")
    return reduced(call, operators[operation.ord], floating(call, call.input), axis)
