"""Operators of MXNet's own numpy (`_np_`, `_npi_`, `_npx_`) that differ from those before them."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.dims import said
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.inference import broadcast, shape_of
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits


@emits("_npi_concatenate", "_np_concatenate")
def concatenate(op: Operation) -> Outputs:
    """Joined along `axis`, 0 unless given; all of each as one where it is None."""
    given = op.values()
    if op.source.attributes.get("axis") == "None":
        given = [op.reshaped(value, (-1,)) for value in given]
        return op.opaque([(None,)], given)
    axis = op.axis("axis", 0, len(op.shape(least=1)))
    return [cutting.joined(op, given, axis)]


@emits("_np_dot", "_npi_matmul")
def product(op: Operation) -> Outputs:
    """MatMul; a product with more than a matrix behind it is another for `dot`."""
    first, second = op.exactly(2)
    left, right = shape_of(first), shape_of(second)
    stacked = op.source.op == "_npi_matmul"
    if len(left) < 2 or len(right) < 2 or (len(right) > 2 and not stacked):
        return op.opaque([None])
    stack = broadcast(left[:-2], right[:-2])
    if stack is None or left[-1] != right[-2]:
        raise op.error(f"multiplies {said(left)} by {said(right)}", fix="make their sizes meet")
    return [op.node("MatMul", [first, second])]


@emits("_np_reshape", "_npi_reshape")
def reshape(op: Operation) -> Outputs:
    """Reshape, one size of which may be left to be told by the others."""
    return [_fitted(op, list(op.settings.sizes("newshape")))]


@emits("_npx_reshape")
def coded_reshape(op: Operation) -> Outputs:
    """Reshape by codes: -2 keeps, -3 drops a 1, -4 keeps the rest, -5 merges, -6 splits."""
    shape, codes = list(op.sizes()), list(op.settings.sizes("newshape"))
    turned = op.settings.flag("reverse", default=False)
    if turned:
        shape, codes = shape[::-1], codes[::-1]
    made = _decoded(op, shape, codes)
    return [_fitted(op, made[::-1] if turned else made)]


def _decoded(op: Operation, shape: list[int], codes: list[int]) -> list[int]:
    made: list[int] = []
    rest, waiting = list(shape), list(codes)
    while waiting:
        code = waiting.pop(0)
        takes = {-4: 0, -5: 2}.get(code, 1)
        if code < -6 or (code != -1 and len(rest) < takes and code < 0):
            raise _unfit(op)
        if code == -2:
            made.append(rest.pop(0))
        elif code == -3:
            rest.pop(0)
        elif code == -4:
            made, rest = [*made, *rest], []
        elif code == -5:
            made.append(rest.pop(0) * rest.pop(0))
        elif code == -6:
            made += _split(op, rest.pop(0), [waiting.pop(0) for _ in waiting[:2]])
        else:
            made.append(code)
            rest = rest[1:]
    return made


def _split(op: Operation, size: int, parts: list[int]) -> list[int]:
    known = [part for part in parts if part > 0]
    if len(parts) != 2 or not known:
        raise _unfit(op)
    return [part if part > 0 else size // known[0] for part in parts]


def _fitted(op: Operation, wanted: list[int]) -> ir.Value:
    total, known = math.prod(op.sizes()), math.prod(size for size in wanted if size != -1)
    if wanted.count(-1) > 1 or min(wanted, default=1) < -1 or known < 1 or total % known:
        raise _unfit(op)
    made = tuple(total // known if size == -1 else size for size in wanted)
    if math.prod(made) != total:
        raise _unfit(op)
    return op.reshaped(op.value(), made)


def _unfit(op: Operation) -> Exception:
    return op.error(
        f"cannot reshape {said(op.shape())} to {op.settings.text('newshape', '()')[:100]}",
        fix="check it, or pass --input with the shape that it was made for",
    )


@emits("_npi_true_divide")
def quotient(op: Operation) -> Outputs:
    """Div, of integers too as that of floating numbers."""
    first, second = (_floating(op, value) for value in op.exactly(2))
    shape = broadcast(shape_of(first), shape_of(second))
    if shape is None:
        raise op.error("divides tensors that do not fit", fix="make their shapes fit")
    return [op.node("Div", [first, second])]


@emits("_npi_true_divide_scalar", "_npi_rtrue_divide_scalar")
def quotient_by_number(op: Operation) -> Outputs:
    """Div by a number, or of it."""
    value = _floating(op, op.value())
    operands = [value, op.scalar(op.settings.number("scalar"), value)]
    turned = op.source.op == "_npi_rtrue_divide_scalar"
    return [op.node("Div", operands[::-1] if turned else operands)]


def _floating(op: Operation, value: ir.Value) -> ir.Value:
    whole = value.dtype is not None and not value.dtype.is_floating_point()
    return op.cast(value, ir.DataType.FLOAT) if whole else value


@emits("shape_array", "size_array")
def measured(op: Operation) -> Outputs:
    """The sizes that its input has, or how many elements, as int64."""
    sizes = op.sizes()
    told = list(sizes) if op.source.op == "shape_array" else [math.prod(sizes)]
    held = op.constant(np.array(told, np.int64), role="sizes")
    return [op.node("Identity", [held])]
