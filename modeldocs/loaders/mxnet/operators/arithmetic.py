"""Arithmetic element by element: of one tensor, of two, and with a number."""

from __future__ import annotations

import math
from collections.abc import Callable

import onnx_ir as ir

from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits

_UNARY = {**elementwise.NUMPY, "rint": "Round"}
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


@emits(*_UNARY)
def unary(op: Operation) -> Outputs:
    """An operator that ONNX has under another name."""
    return [op.node(_UNARY[op.source.op], [op.value()])]


@emits("square")
def square(op: Operation) -> Outputs:
    """The product with itself."""
    return [op.node("Mul", [op.value(), op.value()])]


_SPELLED_OUT = {
    "rsqrt": elementwise.rsqrt,
    "log1p": elementwise.log1p,
    "expm1": elementwise.expm1,
}


@emits(*_SPELLED_OUT)
def spelled_out(op: Operation) -> Outputs:
    """What ONNX has no operator for, made of several."""
    return [_SPELLED_OUT[op.source.op](op, op.value())]


@emits(*elementwise.BASES)
def logarithm(op: Operation) -> Outputs:
    """The logarithm of another base."""
    return [elementwise.logarithm(op, op.value(), elementwise.BASES[op.source.op])]


@emits("fix", "trunc", "round")
def rounded(op: Operation) -> Outputs:
    """Toward zero, or to the nearest with halves away from zero."""
    value = op.value()
    size = op.node("Abs", [value])
    if op.source.op == "round":
        size = op.node("Add", [size, op.scalar(0.5, value)])
    size = op.node("Floor", [size])
    return [op.node("Mul", [size, op.node("Sign", [value])])]


@emits(*_BINARY)
def binary(op: Operation) -> Outputs:
    """Two tensors, spread along axes of size 1."""
    return [op.node(_BINARY[op.source.op], op.exactly(2))]


@emits("mod")
def modulo(op: Operation) -> Outputs:
    """The remainder, of the divisor's sign."""
    first, second = op.exactly(2)
    return [elementwise.remainder(op, first, second)]


@emits(*_COMPARED, "not_equal")
def compared(op: Operation) -> Outputs:
    """1 where it holds and 0 elsewhere, in the operands' element type; numpy's own is bool."""
    first, second = op.exactly(2)
    return [_compared(op, op.source.op, first, second)]


def _compared(op: Operation, name: str, first: ir.Value, second: ir.Value) -> ir.Value:
    if name == "not_equal":
        made = elementwise.not_equal(op, first, second)
    else:
        made = op.node(_COMPARED[name], [first, second])
    return made if op.is_numpy else op.cast(made, first.dtype or ir.DataType.FLOAT)


@emits("logical_and", "logical_or", "logical_not")
def logical(op: Operation) -> Outputs:
    """1 and 0 for truth, anything but 0 being true."""
    given = op.exactly(1 if op.source.op == "logical_not" else 2)
    made = [op.cast(value, ir.DataType.BOOL) for value in given]
    kind = {"logical_and": "And", "logical_or": "Or"}.get(op.source.op, "Not")
    return [op.cast(op.node(kind, made), given[0].dtype or ir.DataType.FLOAT)]


def _with_number(name: str) -> Callable[[Operation], Outputs]:
    kind, swapped = _SCALARS[name]

    def emit(op: Operation) -> Outputs:
        value = op.value()
        number = op.scalar(op.settings.number("scalar"), value)
        return [op.node(kind, [number, value] if swapped else [value, number])]

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
    return [
        elementwise.remainder(op, op.value(), op.scalar(op.settings.number("scalar"), op.value()))
    ]


@emits("add_n")
def add_n(op: Operation) -> Outputs:
    """Sum of any number of tensors of one shape."""
    given = op.values()
    shape = op.shape()
    for value in given:
        if shape_of(value) != shape:
            raise op.error("adds tensors of different shapes", fix="make them alike")
    return [op.node("Sum", given)]


@emits("clip")
def clip(op: Operation) -> Outputs:
    """Clip to `a_min` and `a_max`."""
    value = op.value()
    low, high = op.settings.number("a_min"), op.settings.number("a_max")
    return [elementwise.clip(op, value, low, high)]


@emits("where")
def where(op: Operation) -> Outputs:
    """The second where the first is not 0, else the third."""
    picked = op.cast(op.value(0), ir.DataType.BOOL)
    first, second = op.value(1), op.value(2)
    rank = max(len(shape_of(first)), len(shape_of(second)))
    if len(shape_of(picked)) == 1 and rank > 1:
        picked = op.reshape(picked, (*shape_of(picked), *[1] * (rank - 1)))
    return [op.node("Where", [picked, first, second], dtype=first.dtype)]


@emits("smooth_l1")
def smooth_l1(op: Operation) -> Outputs:
    """Quadratic near zero, linear beyond: drawn as it is."""
    return op.opaque([op.shape()])


@emits("div_sqrt_dim")
def div_sqrt_dim(op: Operation) -> Outputs:
    """Division by the root of the last axis' size."""
    size = op.sizes(least=1)[-1]
    return [op.node("Div", [op.value(), op.scalar(math.sqrt(size), op.value())])]


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
        raise op.error("casts to an unknown `dtype`", fix="use one such as float32")
    return [op.node("Cast", [op.value()], dtype=wanted, to=int(wanted))]
