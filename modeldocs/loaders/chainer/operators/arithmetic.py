"""Emitters of Chainer's elementwise arithmetic."""

from __future__ import annotations

import numpy as np

from modeldocs.loaders.chainer.operation import ChainerOperation, emits, renames
from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.emission.operation import Outputs

_OPERATORS = {
    "Add": "Add", "Sub": "Sub", "Mul": "Mul", "Div": "Div", "PowVarVar": "Pow", "Maximum": "Max",
    "Minimum": "Min", "Neg": "Neg", "Absolute": "Abs", "Exp": "Exp", "Log": "Log", "Sqrt": "Sqrt",
    "Floor": "Floor", "Ceil": "Ceil", "Sign": "Sign", "Sin": "Sin", "Cos": "Cos", "Tan": "Tan",
    "Arcsin": "Asin", "Arccos": "Acos", "Arctan": "Atan", "Sinh": "Sinh", "Cosh": "Cosh",
    "Erf": "Erf", "Identity": "Identity", "Copy": "Identity", "Forget": "Identity",
}  # fmt: skip
"""ONNX's operator for functions without settings."""
_CONSTANT_SECOND = {"AddConstant": "Add", "MulConstant": "Mul", "PowVarConst": "Pow"}
_CONSTANT_FIRST = {"SubFromConstant": "Sub", "DivFromConstant": "Div", "PowConstVar": "Pow"}


@renames(_OPERATORS)
def simple(op: ChainerOperation, operator: str) -> Outputs:
    """A function that ONNX has an operator for; an identity may have several outputs."""
    if len(op.call.outputs) != 1:
        return [op.node("Identity", [value]) for value in op.inputs]
    return [op.node(operator, op.inputs)]


@emits("MultiAdd")
def sum_of_many(op: ChainerOperation) -> Outputs:
    """`add` of three tensors or more."""
    return [op.node("Sum", op.inputs)]


@emits(*_CONSTANT_SECOND, *_CONSTANT_FIRST)
def with_constant(op: ChainerOperation) -> Outputs:
    """A tensor and a number or array, which gets the tensor's type."""
    constant = op.scalar(op.setting("value"), op.input())
    if op.kind in _CONSTANT_SECOND:
        return [op.node(_CONSTANT_SECOND[op.kind], [op.input(), constant])]
    return [op.node(_CONSTANT_FIRST[op.kind], [constant, op.input()])]


@emits("Square")
def square(op: ChainerOperation) -> Outputs:
    """The product with itself."""
    return [elementwise.square(op, op.input())]


@emits("Clip")
def clip(op: ChainerOperation) -> Outputs:
    """Clip to a range, of which one end may be open."""
    return [elementwise.clip(op, op.input(), op.setting("x_min"), op.setting("x_max"))]


@emits("LinearInterpolate")
def linear_interpolate(op: ChainerOperation) -> Outputs:
    """P x + (1 - p) y."""
    p, x, y = op.inputs
    rest = op.node("Sub", [op.scalar(1, p), p])
    return [op.node("Add", [op.node("Mul", [p, x]), op.node("Mul", [rest, y])])]


@emits("Cast")
def cast(op: ChainerOperation) -> Outputs:
    """Another element type."""
    return [op.to_output_type(op.input())]


@emits("Where")
def where(op: ChainerOperation) -> Outputs:
    """Choice by a condition, which is an array of the function object or the first operand."""
    condition = op.setting("condition")
    if condition is None or len(op.inputs) == 3:
        return [op.node("Where", op.inputs)]
    constant = op.constant(np.asarray(condition, dtype=bool))
    return [op.node("Where", [constant, *op.inputs])]
