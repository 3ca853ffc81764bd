"""Arithmetic that ONNX has no operator for, spelled out."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import onnx_ir as ir

from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.inference import shape_of

NUMPY = {
    "abs": "Abs", "absolute": "Abs", "arccos": "Acos", "arccosh": "Acosh", "arcsin": "Asin",
    "arcsinh": "Asinh", "arctan": "Atan", "arctanh": "Atanh", "ceil": "Ceil", "cos": "Cos",
    "cosh": "Cosh", "erf": "Erf", "exp": "Exp", "floor": "Floor", "log": "Log", "negative": "Neg",
    "reciprocal": "Reciprocal", "sign": "Sign", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt",
    "tan": "Tan",
}  # fmt: skip
"""ONNX's operators of one value by numpy's names of them, which frameworks follow."""


def square(layer: NodeBuilder, value: ir.Value) -> ir.Value:
    """The product with itself."""
    return layer.node("Mul", [value, value])


def logarithm(layer: NodeBuilder, value: ir.Value, base: float) -> ir.Value:
    """The logarithm to a base."""
    natural = layer.node("Log", [value])
    return layer.node("Mul", [natural, layer.scalar(1 / math.log(base), natural)])


def log1p(layer: NodeBuilder, value: ir.Value) -> ir.Value:
    """log(1 + x)."""
    return layer.node("Log", [layer.node("Add", [value, layer.scalar(1, value)])])


def expm1(layer: NodeBuilder, value: ir.Value) -> ir.Value:
    """exp(x) - 1."""
    return layer.node("Sub", [layer.node("Exp", [value]), layer.scalar(1, value)])


def rsqrt(layer: NodeBuilder, value: ir.Value) -> ir.Value:
    """1 / sqrt(x)."""
    return layer.node("Reciprocal", [layer.node("Sqrt", [value])])


COMPOSED: dict[str, Callable[[NodeBuilder, ir.Value], ir.Value]] = {
    "square": square, "rsqrt": rsqrt, "log1p": log1p, "expm1": expm1,
    "log2": partial(logarithm, base=2.0), "log10": partial(logarithm, base=10.0),
}  # fmt: skip
"""Functions of one value that take several of ONNX's operators, by numpy's names of them."""


def remainder(layer: NodeBuilder, first: ir.Value, second: ir.Value) -> ir.Value:
    """The remainder, of the divisor's sign."""
    if first.dtype is not None and not first.dtype.is_floating_point():
        return layer.node("Mod", [first, second])
    whole = layer.node("Floor", [layer.node("Div", [first, second])])
    return layer.node("Sub", [first, layer.node("Mul", [whole, second])])


def floor_divide(layer: NodeBuilder, first: ir.Value, second: ir.Value) -> ir.Value:
    """The quotient rounded down; ONNX's Div of integers rounds towards zero."""
    if first.dtype is not None and first.dtype.is_floating_point():
        return layer.node("Floor", [layer.node("Div", [first, second])])
    rest = layer.node("Mod", [first, second])
    return layer.node("Div", [layer.node("Sub", [first, rest]), second])


def not_equal(layer: NodeBuilder, first: ir.Value, second: ir.Value) -> ir.Value:
    """Equal, turned round."""
    return layer.node("Not", [layer.node("Equal", [first, second])])


def per_channel(layer: NodeBuilder, vector: ir.Value, rank: int) -> ir.Value:
    """A vector of one number per channel, to broadcast along axis 1 of a tensor of this rank."""
    if rank < 3:
        return vector
    return layer.reshape(vector, (*shape_of(vector), *[1] * (rank - 2)))


def clip(
    layer: NodeBuilder, value: ir.Value, low: float | None = None, high: float | None = None
) -> ir.Value:
    """The value kept between two numbers, of which one may be missing."""
    ends = [
        None if end is None else layer.scalar(end, value, role)
        for end, role in ((low, "min"), (high, "max"))
    ]
    return layer.node("Clip", [value, *ends])


def softplus(layer: NodeBuilder, value: ir.Value, beta: float = 1.0) -> ir.Value:
    """Softplus of beta x, divided by beta."""
    if beta == 1:
        return layer.node("Softplus", [value])
    scaled = layer.node("Softplus", [layer.node("Mul", [value, layer.scalar(beta, value)])])
    return layer.node("Div", [scaled, layer.scalar(beta, value)])


def swish(layer: NodeBuilder, value: ir.Value, beta: ir.Value | None = None) -> ir.Value:
    """X · sigmoid(beta · x); ONNX has no operator for it before opset 24."""
    inner = value if beta is None else layer.node("Mul", [value, beta])
    return layer.node("Mul", [value, layer.node("Sigmoid", [inner])])


def concatenated_relu(layer: NodeBuilder, value: ir.Value, axis: int) -> ir.Value:
    """Relu of the value and of its negative, side by side."""
    both = [value, layer.node("Neg", [value])]
    return layer.node("Relu", [layer.node("Concat", both, axis=axis)])


def gated_by_half(layer: NodeBuilder, value: ir.Value, gate: ir.Value) -> ir.Value:
    """A gated linear unit: one half times the sigmoid of the other."""
    return layer.node("Mul", [value, layer.node("Sigmoid", [gate])])
