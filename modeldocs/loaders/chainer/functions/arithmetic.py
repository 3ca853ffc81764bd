"""Arithmetic element by element; a constant is of the type of what it meets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits
from modeldocs.loaders.emission import elementwise

_SAME = {
    "Add": "Add",
    "Sub": "Sub",
    "Mul": "Mul",
    "Div": "Div",
    "PowVarVar": "Pow",
    "Maximum": "Max",
    "Minimum": "Min",
    "Neg": "Neg",
    "Absolute": "Abs",
    "Exp": "Exp",
    "Log": "Log",
    "Sqrt": "Sqrt",
    "Floor": "Floor",
    "Ceil": "Ceil",
    "Sign": "Sign",
    "Sin": "Sin",
    "Cos": "Cos",
    "Tan": "Tan",
    "Arcsin": "Asin",
    "Arccos": "Acos",
    "Arctan": "Atan",
    "Sinh": "Sinh",
    "Cosh": "Cosh",
    "Erf": "Erf",
    "Identity": "Identity",
    "Copy": "Identity",
    "Forget": "Identity",
}

_CONSTANT_SECOND = {"AddConstant": "Add", "MulConstant": "Mul", "PowVarConst": "Pow"}
_CONSTANT_FIRST = {"SubFromConstant": "Sub", "DivFromConstant": "Div", "PowConstVar": "Pow"}


@emits(*_SAME)
def same(step: Step) -> Sequence[ir.Value]:
    """What ONNX has under a name of its own."""
    if len(step.call.outputs) != 1:
        return [step.node("Identity", [value]) for value in step.operands]
    return [step.node(_SAME[step.call.kind], step.operands)]


@emits("MultiAdd")
def sum_of_many(step: Step) -> Sequence[ir.Value]:
    """`add` of three and more."""
    return [step.node("Sum", step.operands)]


@emits(*_CONSTANT_SECOND, *_CONSTANT_FIRST)
def with_constant(step: Step) -> Sequence[ir.Value]:
    """A tensor and a number, or an array."""
    number = step.scalar(step.setting("value"), step.operands[0])
    kind = step.call.kind
    if kind in _CONSTANT_SECOND:
        return [step.node(_CONSTANT_SECOND[kind], [step.operands[0], number])]
    return [step.node(_CONSTANT_FIRST[kind], [number, step.operands[0]])]


@emits("Square")
def square(step: Step) -> Sequence[ir.Value]:
    """A product with itself."""
    return [step.node("Mul", [step.operands[0], step.operands[0]])]


@emits("Clip")
def clip(step: Step) -> Sequence[ir.Value]:
    """Clip to a range, of which one end may be open."""
    low, high = step.setting("x_min"), step.setting("x_max")
    return [elementwise.clip(step, step.operands[0], low, high)]


@emits("LinearInterpolate")
def linear_interpolate(step: Step) -> Sequence[ir.Value]:
    """P x + (1 - p) y."""
    p, x, y = step.operands
    rest = step.node("Sub", [step.scalar(1, p), p])
    return [step.node("Add", [step.node("Mul", [p, x]), step.node("Mul", [rest, y])])]


@emits("Cast")
def cast(step: Step) -> Sequence[ir.Value]:
    """To the type that came out."""
    to = ir.DataType.from_numpy(step.call.outputs[0].dtype)
    return [step.node("Cast", step.operands, to=int(to))]


@emits("Where")
def where(step: Step) -> Sequence[ir.Value]:
    """Choice by a condition, which is an array outside of the graph or the first operand."""
    condition = step.setting("condition")
    if condition is None or len(step.operands) == 3:
        return [step.node("Where", step.operands)]
    held = step.constant(np.asarray(condition, dtype=bool))
    return [step.node("Where", [held, *step.operands])]
