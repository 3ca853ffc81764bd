"""Arithmetic element by element: of one tensor, of two, and with a number."""

from __future__ import annotations

import math
from collections.abc import Callable

import onnx_ir as ir

from modeldocs.loaders.dims import said
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits
from modeldocs.loaders.mxnet.shapes import broadcast, shape_of

_UNARY = {
    "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "abs": "Abs", "negative": "Neg",
    "reciprocal": "Reciprocal", "ceil": "Ceil", "floor": "Floor", "rint": "Round",
    "sign": "Sign", "sin": "Sin", "cos": "Cos", "tan": "Tan", "arcsin": "Asin",
    "arccos": "Acos", "arctan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "arcsinh": "Asinh",
    "arccosh": "Acosh", "arctanh": "Atanh", "erf": "Erf",
}  # fmt: skip
_BINARY = {
    "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "power": "Pow",
    "maximum": "Max", "minimum": "Min",
}  # fmt: skip
_COMPARED = {
    "equal": "Equal", "greater": "Greater", "greater_equal": "GreaterOrEqual", "lesser": "Less",
    "lesser_equal": "LessOrEqual",
}  # fmt: skip
_SCALARS = {
    "plus": ("Add", False), "minus": ("Sub", False), "rminus": ("Sub", True), "mul": ("Mul", False),
    "div": ("Div", False), "rdiv": ("Div", True), "power": ("Pow", False), "rpower": ("Pow", True),
    "maximum": ("Max", False), "minimum": ("Min", False),
}  # fmt: skip
_BY_A_NUMBER = {"log2": 1 / math.log(2), "log10": 1 / math.log(10)}


@emits(*_UNARY)
def unary(op: Operation) -> Outputs:
    """An operator that ONNX has under another name."""
    return [op.node(_UNARY[op.source.op], [op.value()], op.shape())]


@emits("square")
def square(op: Operation) -> Outputs:
    """The product with itself."""
    return [op.node("Mul", [op.value(), op.value()], op.shape())]


@emits("rsqrt")
def rsqrt(op: Operation) -> Outputs:
    """One over the root."""
    return [op.node("Reciprocal", [op.node("Sqrt", [op.value()], op.shape())], op.shape())]


@emits(*_BY_A_NUMBER)
def logarithm(op: Operation) -> Outputs:
    """The logarithm of another base."""
    made = op.node("Log", [op.value()], op.shape())
    return [op.node("Mul", [made, op.scalar(_BY_A_NUMBER[op.source.op], made)], op.shape())]


@emits("log1p", "expm1")
def near_zero(op: Operation) -> Outputs:
    """Log of one more, Exp less one."""
    one, shape = op.scalar(1, op.value()), op.shape()
    if op.source.op == "log1p":
        return [op.node("Log", [op.node("Add", [op.value(), one], shape)], shape)]
    return [op.node("Sub", [op.node("Exp", [op.value()], shape), one], shape)]


@emits("fix", "trunc", "round")
def rounded(op: Operation) -> Outputs:
    """Toward zero, or to the nearest with halves away from zero."""
    value, shape = op.value(), op.shape()
    size = op.node("Abs", [value], shape)
    if op.source.op == "round":
        size = op.node("Add", [size, op.scalar(0.5, value)], shape)
    size = op.node("Floor", [size], shape)
    return [op.node("Mul", [size, op.node("Sign", [value], shape)], shape)]


@emits(*_BINARY)
def binary(op: Operation) -> Outputs:
    """Two tensors, spread along axes of size 1."""
    first, second = _both(op)
    return [op.node(_BINARY[op.source.op], [first, second], _shape(op, first, second))]


@emits("mod")
def modulo(op: Operation) -> Outputs:
    """The remainder, of the divisor's sign."""
    first, second = _both(op)
    return [_remainder(op, first, second)]


def _remainder(op: Operation, first: ir.Value, second: ir.Value) -> ir.Value:
    shape = _shape(op, first, second)
    if not (first.dtype or ir.DataType.FLOAT).is_floating_point():
        return op.node("Mod", [first, second], shape)
    whole = op.node("Floor", [op.node("Div", [first, second], shape)], shape)
    return op.node("Sub", [first, op.node("Mul", [whole, second], shape)], shape)


@emits(*_COMPARED, "not_equal")
def compared(op: Operation) -> Outputs:
    """1 where it holds and 0 elsewhere, in the operands' element type; numpy's own is bool."""
    return [_compared(op, op.source.op, *_both(op))]


def _compared(op: Operation, name: str, first: ir.Value, second: ir.Value) -> ir.Value:
    shape, dtypes = _shape(op, first, second), [ir.DataType.BOOL]
    made = op.emit(_COMPARED.get(name, "Equal"), [first, second], [shape], {}, dtypes=dtypes)[0]
    if name == "not_equal":
        made = op.node("Not", [made], shape)
    return made if op.is_numpy else op.cast(made, first.dtype or ir.DataType.FLOAT)


@emits("logical_and", "logical_or", "logical_not")
def logical(op: Operation) -> Outputs:
    """1 and 0 for truth, anything but 0 being true."""
    given = op.exactly(1 if op.source.op == "logical_not" else 2)
    made = [op.cast(value, ir.DataType.BOOL) for value in given]
    shape = shape_of(given[0]) if len(given) == 1 else _shape(op, *given)
    kind = {"logical_and": "And", "logical_or": "Or"}.get(op.source.op, "Not")
    return [op.cast(op.node(kind, made, shape), given[0].dtype or ir.DataType.FLOAT)]


def _both(op: Operation) -> tuple[ir.Value, ir.Value]:
    first, second = op.exactly(2)
    return first, second


def _shape(op: Operation, first: ir.Value, second: ir.Value) -> tuple[int | str | None, ...]:
    made = broadcast(shape_of(first), shape_of(second))
    if made is None:
        raise op.error(
            f"combines {said(shape_of(first))} with {said(shape_of(second))}",
            mend="make the shapes of its inputs fit",
        )
    return made


def _with_number(name: str) -> Callable[[Operation], Outputs]:
    kind, swapped = _SCALARS[name]

    def emit(op: Operation) -> Outputs:
        value = op.value()
        number = op.scalar(op.settings.number("scalar"), value)
        return [op.node(kind, [number, value] if swapped else [value, number], op.shape())]

    return emit


for _name in _SCALARS:
    emits(f"{_name}_scalar")(_with_number(_name))


@emits(*(f"{name}_scalar" for name in (*_COMPARED, "not_equal")))
def compared_with_number(op: Operation) -> Outputs:
    """1 where it holds and 0 elsewhere."""
    number = op.scalar(op.settings.number("scalar"), op.value())
    return [_compared(op, op.source.op.removesuffix("_scalar"), op.value(), number)]


@emits("mod_scalar")
def modulo_number(op: Operation) -> Outputs:
    """The remainder by a number."""
    return [_remainder(op, op.value(), op.scalar(op.settings.number("scalar"), op.value()))]


@emits("add_n")
def add_n(op: Operation) -> Outputs:
    """Sum of any number of tensors of one shape."""
    given = op.values()
    shape = op.shape()
    for value in given:
        if shape_of(value) != shape:
            raise op.error("adds tensors of different shapes", mend="make them alike")
    return [op.node("Sum", given, shape)]


@emits("clip")
def clip(op: Operation) -> Outputs:
    """Clip to `a_min` and `a_max`."""
    value = op.value()
    low = op.scalar(op.settings.number("a_min"), value, "a_min")
    high = op.scalar(op.settings.number("a_max"), value, "a_max")
    return [op.node("Clip", [value, low, high], op.shape())]


@emits("where")
def where(op: Operation) -> Outputs:
    """The second where the first is not 0, else the third."""
    picked = op.cast(op.value(0), ir.DataType.BOOL)
    first, second = op.value(1), op.value(2)
    shape = _shape(op, first, second)
    if shape_of(picked) != shape and len(shape_of(picked)) == 1:
        rows = (*shape_of(picked), *[1] * (len(shape) - 1))
        picked = op.reshaped(picked, [dim if isinstance(dim, int) else 1 for dim in rows])
    inputs = [picked, first, second]
    return [op.emit("Where", inputs, [shape], {}, dtypes=[first.dtype or ir.DataType.FLOAT])[0]]


@emits("smooth_l1")
def smooth_l1(op: Operation) -> Outputs:
    """Quadratic near zero, linear beyond: drawn as it is."""
    return op.opaque([op.shape()])


@emits("div_sqrt_dim")
def div_sqrt_dim(op: Operation) -> Outputs:
    """Division by the root of the last axis' size."""
    size = op.sizes(least=1)[-1]
    return [op.node("Div", [op.value(), op.scalar(math.sqrt(size), op.value())], op.shape())]


@emits("gamma", "gammaln", "erfinv", "digamma", "cbrt", "rcbrt", "degrees", "radians", "box_nms")
def kept_shape(op: Operation) -> Outputs:
    """What ONNX lacks, and keeps its input's shape."""
    return op.opaque([op.shape()])


@emits("Cast")
def cast(op: Operation) -> Outputs:
    """Another element type."""
    from modeldocs.loaders.mxnet.inputs import by_name

    wanted = by_name(op.settings.text("dtype"))
    if wanted is None:
        raise op.error("casts to an unknown `dtype`", mend="use one such as float32")
    attributes = {"to": int(wanted)}
    return op.emit("Cast", [op.value()], [op.shape()], attributes, dtypes=[wanted])
