"""Emitters of Keras' elementwise arithmetic, comparisons, logic and casts."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.keras.emitters import computes
from modeldocs.loaders.keras.operation import KerasOperation

_UNARY = {
    **{name.capitalize(): operator for name, operator in elementwise.NUMPY.items()},
    "Tanh": "Tanh",
    "Sigmoid": "Sigmoid",
    **dict.fromkeys(("StopGradient", "Copy", "ConvertToTensor"), "Identity"),
}
BINARY = {
    "Add": "Add",
    "Subtract": "Sub",
    "Multiply": "Mul",
    "Divide": "Div",
    "TrueDivide": "Div",
    "Power": "Pow",
    "Maximum": "Max",
    "Minimum": "Min",
}
_COMPARISONS = {
    "Equal": "Equal",
    "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual",
    "Less": "Less",
    "LessEqual": "LessOrEqual",
}
_LOGIC = {"LogicalAnd": "And", "LogicalOr": "Or", "LogicalXor": "Xor"}


def pair(op: KerasOperation) -> tuple[ir.Value, ir.Value]:
    """The first two arguments in one type: the wider, or that of the tensor beside a number."""
    first, second = (op.arguments[name] for name in list(op.arguments)[:2])
    if not isinstance(first, ir.Value):
        first = _like(op, first, second)
    if not isinstance(second, ir.Value):
        second = _like(op, second, first)
    assert first.dtype is not None and second.dtype is not None
    if first.dtype != second.dtype:
        wider = np.result_type(first.dtype.numpy(), second.dtype.numpy())
        wider = np.dtype(np.float32) if _is_float_with_integer(first.dtype, second.dtype) else wider
        target = ir.DataType.from_numpy(wider)
        return op.cast(first, target), op.cast(second, target)
    return first, second


def _is_float_with_integer(one: ir.DataType, other: ir.DataType) -> bool:
    """Whether a float32 meets an integer: Keras keeps float32, numpy does not."""
    kinds = {one.is_floating_point(), other.is_floating_point()}
    return kinds == {True, False} and ir.DataType.FLOAT in (one, other)


def _like(op: KerasOperation, number: Any, other: ir.Value) -> ir.Value:
    array = np.asarray(number)
    assert other.dtype is not None
    fits = array.dtype.kind in "iub" or other.dtype.is_floating_point()
    return op.number(array, other.dtype if fits else ir.DataType.FLOAT)


@computes(*_UNARY)
def unary(op: KerasOperation) -> ir.Value:
    """The corresponding ONNX operator."""
    return op.node(_UNARY[op.kind], [op.promote(op.input())])


@computes(*BINARY)
def binary(op: KerasOperation) -> ir.Value:
    """The corresponding ONNX operator, in the type of the output."""
    return op.promote(op.node(BINARY[op.kind], pair(op)))


@computes(*_COMPARISONS)
def comparison(op: KerasOperation) -> ir.Value:
    """The corresponding ONNX operator."""
    return op.node(_COMPARISONS[op.kind], pair(op))


@computes(*_LOGIC)
def logic(op: KerasOperation) -> ir.Value:
    """The corresponding ONNX operator, of booleans."""
    operands = [op.cast(value, ir.DataType.BOOL) for value in pair(op)]
    return op.node(_LOGIC[op.kind], operands)


@computes("NotEqual")
def not_equal(op: KerasOperation) -> ir.Value:
    """Not of Equal."""
    return elementwise.not_equal(op, *pair(op))


@computes("LogicalNot")
def logical_not(op: KerasOperation) -> ir.Value:
    return op.node("Not", [op.cast(op.input(), ir.DataType.BOOL)])


@computes(*map(str.capitalize, elementwise.COMPOSED))
def composed(op: KerasOperation) -> ir.Value:
    """A function that takes several operators in ONNX."""
    return elementwise.COMPOSED[op.kind.lower()](op, op.promote(op.input()))


@computes("FloorDivide", "Mod")
def floored(op: KerasOperation) -> ir.Value:
    """The quotient rounded down, or the remainder."""
    emit = elementwise.remainder if op.kind == "Mod" else elementwise.floor_divide
    return op.promote(emit(op, *pair(op)))


@computes("Round")
def rounded(op: KerasOperation) -> ir.Value:
    """Round: halves to even."""
    if op.source.decimals:
        raise NotImplementedError("it rounds to decimals")
    return op.node("Round", [op.input()])


@computes("Clip")
def clipped(op: KerasOperation) -> ir.Value:
    """Clip between two numbers."""
    bounds = [op.source.x_min, op.source.x_max]
    if any(np.ndim(bound) for bound in bounds if bound is not None):
        raise NotImplementedError("its bounds are tensors")
    value = op.promote(op.input())
    operands = [None if bound is None else op.number(bound, value.dtype) for bound in bounds]
    return op.node("Clip", [value, *operands])


@computes("Cast", "SaturateCast")
def cast(op: KerasOperation) -> ir.Value:
    return op.node("Cast", [op.input()], to=op.output_dtype)


@computes("Where")
def where(op: KerasOperation) -> ir.Value:
    condition = op.cast(op.argument("condition"), ir.DataType.BOOL)
    branches = [op.promote(op.argument(name)) for name in ("x1", "x2")]
    return op.node("Where", [condition, *branches])


@computes("OnesLike", "ZerosLike", "FullLike")
def filled(op: KerasOperation) -> ir.Value:
    """One number in the shape of another tensor."""
    fill = op.arguments.get("fill_value", 1.0 if op.kind == "OnesLike" else 0.0)
    number = ir.tensor(np.asarray([fill], dtype=op.output_dtype.numpy()))
    shape = op.node("Shape", [op.input()])
    return op.node("ConstantOfShape", [shape], value=number)
