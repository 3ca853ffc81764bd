"""Emitters of Keras' matrix products, and of sums of products by an equation."""

from __future__ import annotations

import string

import onnx_ir as ir

from modeldocs.loaders.keras.emitters import computes
from modeldocs.loaders.keras.operation import KerasOperation


def _operands(op: KerasOperation) -> tuple[ir.Value, ir.Value]:
    first, second = (op.promote(op.argument(name)) for name in ("x1", "x2"))
    return first, second


@computes("Matmul")
def matmul(op: KerasOperation) -> ir.Value:
    return op.node("MatMul", _operands(op))


@computes("Dot", "Inner")
def dot(op: KerasOperation) -> ir.Value:
    """Numpy's `dot` and `inner`, of operands with at most two axes or a matrix as the second."""
    first, second = _operands(op)
    if max(len(op.shape_of(first)), len(op.shape_of(second))) > 2 and len(op.shape_of(second)) != 2:
        raise NotImplementedError("its operands have more than two axes")
    if 0 in (len(op.shape_of(first)), len(op.shape_of(second))):
        return op.node("Mul", [first, second])
    if op.kind == "Inner" and len(op.shape_of(second)) == 2:
        second = op.transpose(second, [1, 0])
    return op.node("MatMul", [first, second])


@computes("Tensordot")
def tensordot(op: KerasOperation) -> ir.Value:
    """Einsum, or MatMul, over some axes of each operand."""
    first, second = _operands(op)
    rank, other_rank = len(op.shape_of(first)), len(op.shape_of(second))
    setting = op.source.axes
    if isinstance(setting, int):
        setting = [list(range(rank - setting, rank)), list(range(setting))]
    axes, other_axes = ([one] if isinstance(one, int) else list(one) for one in setting)
    left = list(string.ascii_lowercase[:rank])
    right = list(string.ascii_lowercase[rank : rank + other_rank])
    for axis, other_axis in zip(axes, other_axes, strict=True):
        right[other_axis] = left[axis]
    kept = [c for c in left if c not in right] + [c for c in right if c not in left]
    equation = f"{''.join(left)},{''.join(right)}->{''.join(kept)}"
    return _product(op, first, second, equation)


@computes("Einsum")
def einsum(op: KerasOperation) -> ir.Value:
    """Einsum, or MatMul where the equation is a product of matrices."""
    equation = op.source.subscripts.replace(" ", "")
    operands = [op.promote(value) for value in op.arguments_of("operands")]
    if len(operands) == 2 and "->" in equation and "." not in equation:
        return _product(op, operands[0], operands[1], equation)
    return op.node("Einsum", operands, equation=equation)


def _product(op: KerasOperation, first: ir.Value, second: ir.Value, equation: str) -> ir.Value:
    """MatMul with transposed operands where an equation of two is such a product, else Einsum."""
    sources, out = equation.split("->")
    left, right = sources.split(",")
    batch = [c for c in out if c in left and c in right]
    summed = [c for c in left if c in right and c not in out]
    rows = [c for c in out if c in left and c not in right]
    columns = [c for c in out if c in right and c not in left]
    left_order, right_order = [*batch, *rows, *summed], [*batch, *summed, *columns]
    is_product = (
        len(summed) == len(rows) == len(columns) == 1
        and sorted(left) == sorted(left_order)
        and sorted(right) == sorted(right_order)
        and len(set(out)) == len(out)
    )
    if not is_product:
        return op.node("Einsum", [first, second], equation=equation)
    left_matrix = op.transpose(first, [left.index(c) for c in left_order])
    right_matrix = op.transpose(second, [right.index(c) for c in right_order])
    order = [*batch, *rows, *columns]
    value = op.node("MatMul", [left_matrix, right_matrix])
    return op.transpose(value, [order.index(c) for c in out])


@computes("Outer")
def outer(op: KerasOperation) -> ir.Value:
    """Mul of a column and a row."""
    first, second = _operands(op)
    column, row = op.reshape(first, [None, 1]), op.reshape(second, [1, None])
    return op.node("Mul", [column, row])
