"""Emitters of TensorFlow's elementwise arithmetic, comparisons and logic."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
    renames,
)

_BINARY = {
    "Sub": "Sub", "Mul": "Mul", "Div": "Div", "RealDiv": "Div", "Maximum": "Max", "Minimum": "Min",
    "Pow": "Pow", "Less": "Less", "LessEqual": "LessOrEqual", "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual", "Equal": "Equal", "LogicalAnd": "And", "LogicalOr": "Or",
    "BitwiseAnd": "BitwiseAnd", "BitwiseOr": "BitwiseOr", "BitwiseXor": "BitwiseXor",
    "Add": "Add", "AddV2": "Add", "TruncateDiv": "Div",
}  # fmt: skip
_UNARY = {
    "Neg": "Neg", "Abs": "Abs", "Exp": "Exp", "Log": "Log", "Sqrt": "Sqrt", "Floor": "Floor",
    "Ceil": "Ceil", "Round": "Round", "Rint": "Round", "Sign": "Sign", "Sin": "Sin", "Cos": "Cos",
    "Tan": "Tan", "Asin": "Asin", "Acos": "Acos", "Atan": "Atan", "Sinh": "Sinh", "Cosh": "Cosh",
    "Asinh": "Asinh", "Acosh": "Acosh", "Atanh": "Atanh", "Erf": "Erf", "Reciprocal": "Reciprocal",
    "Inv": "Reciprocal", "LogicalNot": "Not", "IsNan": "IsNaN", "IsInf": "IsInf",
    "Invert": "BitwiseNot",
}  # fmt: skip


@emits(*(name for name in _BINARY if name not in ("Add", "AddV2")))
def binary(op: TensorFlowOperation) -> Outputs:
    """The corresponding ONNX operator; both frameworks broadcast alike."""
    return op.result(_BINARY[op.kind], [op.input(0), op.input(1)])


@renames(_UNARY)
def unary(op: TensorFlowOperation, operator: str) -> Outputs:
    """The corresponding ONNX operator."""
    return op.result(operator, [op.input(0)])


@emits("AddN")
def add_all(op: TensorFlowOperation) -> Outputs:
    """Add of two values, Sum of any other number."""
    values = op.values()
    return op.result("Add" if len(values) == 2 else "Sum", values)


@emits("FloorDiv")
def floor_divide(op: TensorFlowOperation) -> Outputs:
    """Div, rounded down."""
    return [elementwise.floor_divide(op, op.input(0), op.input(1))]


@emits("FloorMod", "Mod")
def remainder(op: TensorFlowOperation) -> Outputs:
    """The remainder with the divisor's sign."""
    return [elementwise.remainder(op, op.input(0), op.input(1))]


@emits("DivNoNan")
def divide_or_zero(op: TensorFlowOperation) -> Outputs:
    """The quotient; 0 where the divisor is 0."""
    zero = op.constant(0, op.output_dtype())
    is_zero = op.node("Equal", [op.input(1), zero])
    quotient = op.node("Div", [op.input(0), op.input(1)])
    return op.result("Where", [is_zero, zero, quotient])


@emits("NotEqual")
def not_equal(op: TensorFlowOperation) -> Outputs:
    """Not of Equal."""
    return [elementwise.not_equal(op, op.input(0), op.input(1))]


@emits("SquaredDifference")
def squared_difference(op: TensorFlowOperation) -> Outputs:
    """The difference, times itself."""
    difference = op.node("Sub", [op.input(0), op.input(1)])
    return op.result("Mul", [difference, difference])


@emits("Square", "Rsqrt", "Log1p", "Expm1")
def composed(op: TensorFlowOperation) -> Outputs:
    """A function that takes several operators in ONNX."""
    return [elementwise.COMPOSED[op.kind.lower()](op, op.input(0))]


@emits("Erfc")
def complementary_error(op: TensorFlowOperation) -> Outputs:
    """1 - erf(x)."""
    value = op.input(0)
    return op.result("Sub", [op.scalar(1, value), op.node("Erf", [value])])


@emits("SelectV2", "Select")
def select(op: TensorFlowOperation) -> Outputs:
    """Where; the condition of the older operator may have one value for each row."""
    condition, rank = op.input(0), len(op.output_shape())
    condition_rank = len(op.shape(0))
    if op.kind == "Select" and condition_rank == 1 and rank > 1:
        condition = op.reshape(condition, (-1, *(1,) * (rank - 1)))
    return op.result("Where", [condition, op.input(1), op.input(2)])


@emits("Cast")
def cast(op: TensorFlowOperation) -> Outputs:
    """Cast; Identity where the type stays."""
    if op.attribute("Truncate", False):
        raise UnsupportedError("truncates where others round")
    dtype = op.output_dtype()
    if op.dtype(0) == dtype:
        return op.result("Identity", [op.input(0)])
    return [op.cast(op.input(0), dtype)]


@emits("Cumsum")
def running_sum(op: TensorFlowOperation) -> Outputs:
    """CumSum along an axis."""
    (axis,) = op.numbers(1)[:1] or [0]
    flags = {name: op.flag(name) for name in ("exclusive", "reverse")}
    operands = [op.input(0), op.constant(axis, ir.DataType.INT64)]
    return op.result("CumSum", operands, **flags)
