"""Products of matrices, and sums of products by an equation."""

from __future__ import annotations

import string

import onnx_ir as ir

from modeldocs.loaders.keras import shapes
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import computes


def _operands(call: Call, names: tuple[str, str]) -> tuple[ir.Value, ir.Value]:
    target = shapes.dtype(call.outputs[0].dtype)
    first, second = (call.cast(call.value(name), target) for name in names)
    return first, second


@computes("Matmul")
def matmul(call: Call) -> ir.Value:
    """The product of matrices, those before the last axes in parallel."""
    return call.node("MatMul", [*_operands(call, ("x1", "x2"))])


@computes("Dot", "Inner")
def dot(call: Call) -> ir.Value:
    """As numpy's: the last axis of one with the last but one of the other."""
    first, second = _operands(call, ("x1", "x2"))
    if max(len(call.shape(first)), len(call.shape(second))) > 2 and len(call.shape(second)) != 2:
        raise NotImplementedError("its operands have many axes")
    if 0 in (len(call.shape(first)), len(call.shape(second))):
        return call.node("Mul", [first, second])
    if type(call.operation).__name__ == "Inner" and len(call.shape(second)) == 2:
        second = call.transpose(second, [1, 0])
    return call.node("MatMul", [first, second])


@computes("Tensordot")
def tensordot(call: Call) -> ir.Value:
    """Sums of products over some axes of each."""
    first, second = _operands(call, ("x1", "x2"))
    ranks = len(call.shape(first)), len(call.shape(second))
    given = call.operation.axes
    if isinstance(given, int):
        axes = [list(range(ranks[0] - given, ranks[0])), list(range(given))]
    else:
        axes = [[one] if isinstance(one, int) else list(one) for one in given]
    left = list(string.ascii_lowercase[: ranks[0]])
    right = list(string.ascii_lowercase[ranks[0] : sum(ranks)])
    for one, other in zip(*axes, strict=True):
        right[other] = left[one]
    out = [c for c in left if c not in right] + [c for c in right if c not in left]
    equation = f"{''.join(left)},{''.join(right)}->{''.join(out)}"
    return product(call, first, second, equation)


@computes("Einsum")
def einsum(call: Call) -> ir.Value:
    """By its equation."""
    equation = call.operation.subscripts.replace(" ", "")
    target = shapes.dtype(call.outputs[0].dtype)
    operands = [call.cast(value, target) for value in call.values("operands")]
    if len(operands) == 2 and "->" in equation and "." not in equation:
        return product(call, operands[0], operands[1], equation)
    return call.node("Einsum", [*operands], equation=equation)


def product(call: Call, first: ir.Value, second: ir.Value, equation: str) -> ir.Value:
    """An equation of two as a product of matrices with axes moved, where it is one."""
    sources, out = equation.split("->")
    left, right = sources.split(",")
    batch = [c for c in out if c in left and c in right]
    summed = [c for c in left if c in right and c not in out]
    rows = [c for c in out if c in left and c not in right]
    columns = [c for c in out if c in right and c not in left]
    plain = len(summed) == len(rows) == len(columns) == 1
    whole = set(left) == {*batch, *summed, *rows} and set(right) == {*batch, *summed, *columns}
    repeated = any(len(set(part)) < len(part) for part in (left, right, out))
    if not plain or not whole or repeated:
        return call.node("Einsum", [first, second], equation=equation)
    one = call.transpose(first, [left.index(c) for c in [*batch, *rows, *summed]])
    other = call.transpose(second, [right.index(c) for c in [*batch, *summed, *columns]])
    order = [*batch, *rows, *columns]
    made = call.node("MatMul", [one, other])
    return call.transpose(made, [order.index(c) for c in out])


@computes("Outer")
def outer(call: Call) -> ir.Value:
    """Each element of one times each of the other."""
    first, second = _operands(call, ("x1", "x2"))
    column, row = call.reshape(first, [None, 1]), call.reshape(second, [1, None])
    return call.node("Mul", [column, row])
