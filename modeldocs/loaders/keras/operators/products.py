"""Emitters of Keras' matrix products, and of sums of products by an equation."""

from __future__ import annotations

import string

import onnx_ir as ir

from modeldocs.loaders.keras.emitters import computes
from modeldocs.loaders.keras.operation import Operation


def _operands(op: Operation) -> tuple[ir.Value, ir.Value]:
    first, second = (op.promote(op.value(name)) for name in ("x1", "x2"))
    return first, second


@computes("Matmul")
def matmul(op: Operation) -> ir.Value:
    """MatMul."""
    return op.node("MatMul", _operands(op))


@computes("Dot", "Inner")
def dot(op: Operation) -> ir.Value:
    """Numpy's `dot` and `inner`, of operands with at most two axes or a matrix as the second."""
    first, second = _operands(op)
    if max(len(op.shape(first)), len(op.shape(second))) > 2 and len(op.shape(second)) != 2:
        raise NotImplementedError("its operands have many axes")
    if 0 in (len(op.shape(first)), len(op.shape(second))):
        return op.node("Mul", [first, second])
    if op.kind == "Inner" and len(op.shape(second)) == 2:
        second = op.transpose(second, [1, 0])
    return op.node("MatMul", [first, second])


@computes("Tensordot")
def tensordot(op: Operation) -> ir.Value:
    """Einsum, or MatMul, over some axes of each operand."""
    first, second = _operands(op)
    ranks = len(op.shape(first)), len(op.shape(second))
    setting = op.source.axes
    if isinstance(setting, int):
        axes = [list(range(ranks[0] - setting, ranks[0])), list(range(setting))]
    else:
        axes = [
            [left_axis] if isinstance(left_axis, int) else list(left_axis) for left_axis in setting
        ]
    left_letters = list(string.ascii_lowercase[: ranks[0]])
    right_letters = list(string.ascii_lowercase[ranks[0] : sum(ranks)])
    for left_axis, right_axis in zip(*axes, strict=True):
        right_letters[right_axis] = left_letters[left_axis]
    kept = [c for c in left_letters if c not in right_letters] + [
        c for c in right_letters if c not in left_letters
    ]
    equation = f"{''.join(left_letters)},{''.join(right_letters)}->{''.join(kept)}"
    return product(op, first, second, equation)


@computes("Einsum")
def einsum(op: Operation) -> ir.Value:
    """Einsum, or MatMul where the equation is a product of matrices."""
    equation = op.source.subscripts.replace(" ", "")
    operands = [op.promote(value) for value in op.values("operands")]
    if len(operands) == 2 and "->" in equation and "." not in equation:
        return product(op, operands[0], operands[1], equation)
    return op.node("Einsum", [*operands], equation=equation)


def product(op: Operation, first: ir.Value, second: ir.Value, equation: str) -> ir.Value:
    """MatMul with transposed operands where an equation of two is such a product, else Einsum."""
    sources, out = equation.split("->")
    left, right = sources.split(",")
    batch = [c for c in out if c in left and c in right]
    summed = [c for c in left if c in right and c not in out]
    rows = [c for c in out if c in left and c not in right]
    columns = [c for c in out if c in right and c not in left]
    is_matrix = len(summed) == len(rows) == len(columns) == 1
    is_complete = set(left) == {*batch, *summed, *rows} and set(right) == {
        *batch,
        *summed,
        *columns,
    }
    repeated = any(len(set(part)) < len(part) for part in (left, right, out))
    if not is_matrix or not is_complete or repeated:
        return op.node("Einsum", [first, second], equation=equation)
    left_matrix = op.transpose(first, [left.index(c) for c in [*batch, *rows, *summed]])
    right_matrix = op.transpose(second, [right.index(c) for c in [*batch, *summed, *columns]])
    order = [*batch, *rows, *columns]
    value = op.node("MatMul", [left_matrix, right_matrix])
    return op.transpose(value, [order.index(c) for c in out])


@computes("Outer")
def outer(op: Operation) -> ir.Value:
    """Mul of a column and a row."""
    first, second = _operands(op)
    column, row = op.reshape(first, [None, 1]), op.reshape(second, [1, None])
    return op.node("Mul", [column, row])
