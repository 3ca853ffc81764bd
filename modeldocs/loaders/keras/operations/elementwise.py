"""Operations on each element: arithmetic, comparison, logic, functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.keras import shapes
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import OPERATIONS, Emit, computes

_UNARY = {
    **{name.capitalize(): operator for name, operator in elementwise.NUMPY.items()},
    "Tanh": "Tanh",
    "Sigmoid": "Sigmoid",
    **dict.fromkeys(("StopGradient", "Copy", "ConvertToTensor"), "Identity"),
}
_BINARY = {
    "Add": "Add",
    "Subtract": "Sub",
    "Multiply": "Mul",
    "Divide": "Div",
    "TrueDivide": "Div",
    "Power": "Pow",
    "Maximum": "Max",
    "Minimum": "Min",
}
_COMPARING = {
    "Equal": "Equal",
    "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual",
    "Less": "Less",
    "LessEqual": "LessOrEqual",
}
_LOGIC = {"LogicalAnd": "And", "LogicalOr": "Or", "LogicalXor": "Xor"}


def floating(call: Call, value: ir.Value) -> ir.Value:
    """The value in the type of the output, which Keras promotes to."""
    return call.cast(value, shapes.dtype(call.outputs[0].dtype))


def pair(call: Call) -> tuple[ir.Value, ir.Value]:
    """Both operands in one type: that of the wider, or of the tensor beside a number."""
    first, second = (call.arguments[name] for name in list(call.arguments)[:2])
    if not isinstance(first, ir.Value):
        first = _like(call, first, second)
    if not isinstance(second, ir.Value):
        second = _like(call, second, first)
    assert first.dtype is not None and second.dtype is not None
    if first.dtype != second.dtype:
        wider = np.result_type(first.dtype.numpy(), second.dtype.numpy())
        wider = np.dtype(np.float32) if _mixed(first.dtype, second.dtype) else wider
        target = ir.DataType.from_numpy(wider)
        return call.cast(first, target), call.cast(second, target)
    return first, second


def _mixed(one: ir.DataType, other: ir.DataType) -> bool:
    """Whether a float32 meets an integer: Keras stays with it, numpy does not."""
    kinds = {one.is_floating_point(), other.is_floating_point()}
    return kinds == {True, False} and ir.DataType.FLOAT in (one, other)


def _like(call: Call, number: Any, other: ir.Value) -> ir.Value:
    array = np.asarray(number)
    assert other.dtype is not None
    fits = array.dtype.kind in "iub" or other.dtype.is_floating_point()
    return call.number(array, other.dtype if fits else ir.DataType.FLOAT)


def _unary(operator: str) -> Emit:
    def emit(call: Call) -> ir.Value:
        return call.node(operator, [floating(call, call.input)])

    return emit


def _binary(operator: str) -> Emit:
    def emit(call: Call) -> ir.Value:
        first, second = pair(call)
        made = call.node(operator, [first, second])
        return floating(call, made)

    return emit


def _comparing(operator: str) -> Emit:
    def emit(call: Call) -> ir.Value:
        return call.node(operator, [*pair(call)])

    return emit


def _logical(operator: str) -> Emit:
    def emit(call: Call) -> ir.Value:
        first, second = (call.cast(value, ir.DataType.BOOL) for value in pair(call))
        return call.node(operator, [first, second])

    return emit


OPERATIONS.update({name: _unary(operator) for name, operator in _UNARY.items()})
OPERATIONS.update({name: _binary(operator) for name, operator in _BINARY.items()})
OPERATIONS.update({name: _comparing(operator) for name, operator in _COMPARING.items()})
OPERATIONS.update({name: _logical(operator) for name, operator in _LOGIC.items()})


@computes("NotEqual")
def not_equal(call: Call) -> ir.Value:
    """The reverse of equal."""
    return elementwise.not_equal(call, *pair(call))


@computes("LogicalNot")
def logical_not(call: Call) -> ir.Value:
    """The reverse."""
    return call.node("Not", [call.cast(call.input, ir.DataType.BOOL)])


@computes("Square")
def square(call: Call) -> ir.Value:
    """Times itself."""
    return call.node("Mul", [call.input, call.input])


@computes("Rsqrt")
def rsqrt(call: Call) -> ir.Value:
    """One by the root."""
    return elementwise.rsqrt(call, floating(call, call.input))


@computes("Expm1", "Log1p")
def near_one(call: Call) -> ir.Value:
    """Of or to the exponential, one away from it."""
    spelled = elementwise.expm1 if type(call.operation).__name__ == "Expm1" else elementwise.log1p
    return spelled(call, floating(call, call.input))


@computes("Log2", "Log10")
def other_logarithm(call: Call) -> ir.Value:
    """The logarithm to another base."""
    base = elementwise.BASES[type(call.operation).__name__.lower()]
    return elementwise.logarithm(call, floating(call, call.input), base)


@computes("FloorDivide", "Mod")
def floored(call: Call) -> ir.Value:
    """The quotient rounded down, or what it leaves."""
    first, second = pair(call)
    if type(call.operation).__name__ == "Mod":
        return floating(call, elementwise.remainder(call, first, second))
    if first.dtype is not None and first.dtype.is_integer():
        left = call.node("Mod", [first, second])
        return call.node("Div", [call.node("Sub", [first, left]), second])
    return floating(call, call.node("Floor", [call.node("Div", [first, second])]))


@computes("Round")
def rounded(call: Call) -> ir.Value:
    """To the nearest, halves to the even one."""
    if call.operation.decimals:
        raise NotImplementedError("it rounds to decimals")
    return call.node("Round", [call.input])


@computes("Clip")
def clipped(call: Call) -> ir.Value:
    """Kept between two bounds."""
    bounds = [call.operation.x_min, call.operation.x_max]
    if any(np.ndim(bound) for bound in bounds if bound is not None):
        raise NotImplementedError("its bounds are tensors")
    source = floating(call, call.input)
    held = [None if bound is None else call.number(bound, source.dtype) for bound in bounds]
    return call.node("Clip", [source, *held])


@computes("Cast", "SaturateCast")
def cast(call: Call) -> ir.Value:
    """Another type."""
    target = shapes.dtype(call.outputs[0].dtype)
    return call.node("Cast", [call.input], to=target)


@computes("Where")
def where(call: Call) -> ir.Value:
    """One or the other, by a condition."""
    condition = call.cast(call.value("condition"), ir.DataType.BOOL)
    target = shapes.dtype(call.outputs[0].dtype)
    branches = [call.cast(call.value(name), target) for name in ("x1", "x2")]
    return call.node("Where", [condition, *branches])


@computes("OnesLike", "ZerosLike", "FullLike")
def filled(call: Call) -> ir.Value:
    """One number in the shape of another tensor."""
    kind = type(call.operation).__name__
    fill = call.arguments.get("fill_value", 1.0 if kind == "OnesLike" else 0.0)
    target = shapes.dtype(call.outputs[0].dtype)
    number = ir.tensor(np.asarray([fill], dtype=target.numpy()))
    size = call.node("Shape", [call.input])
    return call.node("ConstantOfShape", [size], value=number)
