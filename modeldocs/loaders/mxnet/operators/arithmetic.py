"""Emitters of MXNet's elementwise operators, of one tensor, of two, and with a number."""

from __future__ import annotations

import math
from collections.abc import Callable

import onnx_ir as ir

from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.emission.element_types import element_type
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits, renames

_UNARY = {
    **elementwise.NUMPY, "rint": "Round", "identity": "Identity", "relu": "Relu", "tanh": "Tanh",
    "sigmoid": "Sigmoid", "LogisticRegressionOutput": "Sigmoid", "softsign": "Softsign",
}  # fmt: skip
_BINARY = {
    "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "power": "Pow",
    "maximum": "Max", "minimum": "Min",
}  # fmt: skip
_COMPARISONS = {
    "equal": "Equal", "greater": "Greater", "greater_equal": "GreaterOrEqual", "lesser": "Less",
    "lesser_equal": "LessOrEqual",
}  # fmt: skip
_SCALAR = {
    "plus": ("Add", False), "minus": ("Sub", False), "rminus": ("Sub", True), "mul": ("Mul", False),
    "div": ("Div", False), "rdiv": ("Div", True), "power": ("Pow", False), "rpower": ("Pow", True),
    "maximum": ("Max", False), "minimum": ("Min", False),
}  # fmt: skip
"""ONNX's operator, and whether the number is its first operand."""


@renames(_UNARY)
def unary(op: MxnetOperation, operator: str) -> Outputs:
    """An operator of one operand that ONNX has under another name."""
    return [op.node(operator, [op.input()])]


@emits(*elementwise.COMPOSED)
def composed(op: MxnetOperation) -> Outputs:
    """A function that takes several operators in ONNX."""
    return [elementwise.COMPOSED[op.kind](op, op.input())]


@emits("fix", "trunc", "round")
def rounded(op: MxnetOperation) -> Outputs:
    """Rounding toward zero, or to the nearest with halves away from zero."""
    value = op.input()
    size = op.node("Abs", [value])
    if op.kind == "round":
        size = op.node("Add", [size, op.scalar(0.5, value)])
    size = op.node("Floor", [size])
    return [op.node("Mul", [size, op.node("Sign", [value])])]


@renames(_BINARY)
def binary(op: MxnetOperation, operator: str) -> Outputs:
    """Two tensors, broadcast along axes of size 1."""
    return [op.node(operator, op.exactly(2))]


@emits("_npi_true_divide")
def true_divide(op: MxnetOperation) -> Outputs:
    """Div; integers are divided as floating-point numbers."""
    return [op.node("Div", [_floating(op, value) for value in op.exactly(2)])]


@emits("_npi_true_divide_scalar", "_npi_rtrue_divide_scalar")
def true_divide_scalar(op: MxnetOperation) -> Outputs:
    """Div by a number, or of a number."""
    value = _floating(op, op.input())
    operands = [value, op.scalar(op.settings.number("scalar"), value)]
    is_reversed = op.kind == "_npi_rtrue_divide_scalar"
    return [op.node("Div", operands[::-1] if is_reversed else operands)]


def _floating(op: MxnetOperation, value: ir.Value) -> ir.Value:
    is_integer = value.dtype is not None and not value.dtype.is_floating_point()
    return op.cast(value, ir.DataType.FLOAT) if is_integer else value


@emits("mod")
def modulo(op: MxnetOperation) -> Outputs:
    """The remainder, with the divisor's sign."""
    first, second = op.exactly(2)
    return [elementwise.remainder(op, first, second)]


@emits(*_COMPARISONS, "not_equal")
def comparison(op: MxnetOperation) -> Outputs:
    """1 where it holds, else 0, in the operands' element type; bool for numpy's operators."""
    first, second = op.exactly(2)
    return [_comparison(op, op.kind, first, second)]


def _comparison(op: MxnetOperation, name: str, first: ir.Value, second: ir.Value) -> ir.Value:
    if name == "not_equal":
        output = elementwise.not_equal(op, first, second)
    else:
        output = op.node(_COMPARISONS[name], [first, second])
    return output if op.is_numpy else op.cast(output, first.dtype or ir.DataType.FLOAT)


@emits("logical_and", "logical_or", "logical_not")
def logical(op: MxnetOperation) -> Outputs:
    """1 for true, else 0; every operand but 0 is true."""
    values = op.exactly(1 if op.kind == "logical_not" else 2)
    operands = [op.cast(value, ir.DataType.BOOL) for value in values]
    operator = {"logical_and": "And", "logical_or": "Or"}.get(op.kind, "Not")
    return [op.cast(op.node(operator, operands), values[0].dtype or ir.DataType.FLOAT)]


def _scalar_emitter(name: str) -> Callable[[MxnetOperation], Outputs]:
    operator, number_first = _SCALAR[name]

    def emit(op: MxnetOperation) -> Outputs:
        value = op.input()
        number = op.scalar(op.settings.number("scalar"), value)
        return [op.node(operator, [number, value] if number_first else [value, number])]

    return emit


for _name in _SCALAR:
    emits(f"{_name}_scalar")(_scalar_emitter(_name))


@emits(*(f"{name}_scalar" for name in (*_COMPARISONS, "not_equal")))
def comparison_with_number(op: MxnetOperation) -> Outputs:
    """1 where it holds, else 0."""
    number = op.scalar(op.settings.number("scalar"), op.input())
    return [_comparison(op, op.kind.removesuffix("_scalar"), op.input(), number)]


@emits("mod_scalar")
def modulo_number(op: MxnetOperation) -> Outputs:
    """The remainder of a division by a number."""
    number = op.scalar(op.settings.number("scalar"), op.input())
    return [elementwise.remainder(op, op.input(), number)]


@emits("add_n")
def add_n(op: MxnetOperation) -> Outputs:
    """Sum of any number of tensors of one shape."""
    values = op.values()
    shape = op.shape()
    if any(shape_of(value) != shape for value in values):
        raise op.error("adds tensors of different shapes", fix="give them one shape")
    return [op.node("Sum", values)]


@emits("clip")
def clip(op: MxnetOperation) -> Outputs:
    """Clip to `a_min` and `a_max`."""
    value = op.input()
    low, high = op.settings.number("a_min"), op.settings.number("a_max")
    return [elementwise.clip(op, value, low, high)]


@emits("where")
def where(op: MxnetOperation) -> Outputs:
    """The second operand where the first is not 0, else the third."""
    condition = op.cast(op.input(0), ir.DataType.BOOL)
    first, second = op.input(1), op.input(2)
    rank = max(len(shape_of(first)), len(shape_of(second)))
    if len(shape_of(condition)) == 1 and rank > 1:
        condition = op.reshape(condition, (*shape_of(condition), *[1] * (rank - 1)))
    return [op.node("Where", [condition, first, second], dtype=first.dtype)]


@emits("div_sqrt_dim")
def div_sqrt_dim(op: MxnetOperation) -> Outputs:
    """Division by the square root of the last axis' size."""
    size = op.sizes(least=1)[-1]
    return [op.node("Div", [op.input(), op.scalar(math.sqrt(size), op.input())])]


@emits("gamma", "gammaln", "erfinv", "digamma", "cbrt", "rcbrt", "degrees", "radians", "smooth_l1")
def unsupported(op: MxnetOperation) -> Outputs:
    """Operators that ONNX lacks; the output has the input's shape."""
    return op.opaque([op.shape()])


@emits("Cast")
def cast(op: MxnetOperation) -> Outputs:
    """Another element type."""
    dtype = element_type(op.settings.text("dtype"))
    if dtype is None:
        raise op.error("casts to an unknown `dtype`", fix="use one such as float32")
    return [op.node("Cast", [op.input()], dtype=dtype, to=int(dtype))]
