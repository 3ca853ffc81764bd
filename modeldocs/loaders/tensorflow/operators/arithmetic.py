"""Arithmetic, comparisons and logic, element by element."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError, emits

_BINARY = {
    "Sub": "Sub", "Mul": "Mul", "RealDiv": "Div", "Maximum": "Max", "Minimum": "Min",
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
def binary(emission: Emission) -> Results:
    """ONNX's operator; both broadcast alike."""
    return emission.result(_BINARY[emission.operation.kind], [emission.value(0), emission.value(1)])


@emits(*_UNARY)
def unary(emission: Emission) -> Results:
    """ONNX's operator."""
    return emission.result(_UNARY[emission.operation.kind], [emission.value(0)])


@emits("AddN")
def add_all(emission: Emission) -> Results:
    """Add of two, Sum of any number."""
    values = emission.values()
    return emission.result("Add" if len(values) == 2 else "Sum", values)


@emits("Div", "FloorDiv")
def divide(emission: Emission) -> Results:
    """Div; rounded down for integers, and for other numbers where asked."""
    first, second = emission.value(0), emission.value(1)
    if emission.made_dtype().is_floating_point():
        if emission.operation.kind == "Div":
            return emission.result("Div", [first, second])
        return emission.result("Floor", [emission.node("Div", [first, second])])
    if emission.operation.kind == "Div":
        return emission.result("Div", [first, second])
    left = emission.node("Mod", [first, second])
    return emission.result("Div", [emission.node("Sub", [first, left]), second])


@emits("FloorMod", "Mod")
def remainder(emission: Emission) -> Results:
    """The remainder with the divisor's sign."""
    return [elementwise.remainder(emission, emission.value(0), emission.value(1))]


@emits("DivNoNan")
def divide_or_zero(emission: Emission) -> Results:
    """The quotient, 0 where the divisor is 0."""
    zero = emission.constant(0, emission.made_dtype())
    none = emission.node("Equal", [emission.value(1), zero])
    quotient = emission.node("Div", [emission.value(0), emission.value(1)])
    return emission.result("Where", [none, zero, quotient])


@emits("NotEqual")
def not_equal(emission: Emission) -> Results:
    """Equal, turned round."""
    return [elementwise.not_equal(emission, emission.value(0), emission.value(1))]


@emits("SquaredDifference")
def squared_difference(emission: Emission) -> Results:
    """The difference, times itself."""
    difference = emission.node("Sub", [emission.value(0), emission.value(1)])  # fmt: skip
    return emission.result("Mul", [difference, difference])


@emits("Square")
def square(emission: Emission) -> Results:
    """The value times itself."""
    return emission.result("Mul", [emission.value(0), emission.value(0)])


@emits("Rsqrt")
def reciprocal_root(emission: Emission) -> Results:
    """1 / sqrt(x)."""
    return [elementwise.rsqrt(emission, emission.value(0))]


@emits("Log1p", "Expm1", "Erfc")
def around_one(emission: Emission) -> Results:
    """log(1 + x), exp(x) - 1, 1 - erf(x)."""
    value = emission.value(0)
    if emission.operation.kind == "Log1p":
        return [elementwise.log1p(emission, value)]
    if emission.operation.kind == "Expm1":
        return [elementwise.expm1(emission, value)]
    return emission.result("Sub", [emission.scalar(1, value), emission.node("Erf", [value])])


@emits("SelectV2", "Select")
def select(emission: Emission) -> Results:
    """Where; the older operator's condition may be one for each row."""
    condition, rank = emission.value(0), len(emission.made_shape())
    own = len(emission.shape(0))
    if emission.operation.kind == "Select" and own == 1 and rank > 1:
        condition = emission.reshape(condition, (-1, *(1,) * (rank - 1)))
    return emission.result("Where", [condition, emission.value(1), emission.value(2)])


@emits("Cast")
def cast(emission: Emission) -> Results:
    """Cast; what is cut off differs for numbers out of range alone."""
    if emission.attribute("Truncate", False):
        raise UnsupportedError("cuts bits off where others round")
    dtype = emission.made_dtype()
    if emission.dtype(0) == dtype:
        return emission.result("Identity", [emission.value(0)])
    return [emission.cast(emission.value(0), dtype)]


@emits("Cumsum")
def running_sum(emission: Emission) -> Results:
    """CumSum along an axis."""
    (axis,) = emission.numbers(1)[:1] or [0]
    flags = {name: int(bool(emission.attribute(name, False))) for name in ("exclusive", "reverse")}
    operands = [emission.value(0), emission.constant(axis, ir.DataType.INT64)]
    return emission.result("CumSum", operands, **flags)
