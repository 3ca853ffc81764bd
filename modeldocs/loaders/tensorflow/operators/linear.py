"""Emitters of TensorFlow's matrix products."""

from __future__ import annotations

from modeldocs.loaders.emission.layouts import matrices_turned
from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)


@emits("MatMul")
def matrix_product(op: TensorFlowOperation) -> Outputs:
    """Gemm; transposed operands become attributes, and a bias can join it."""
    a, b = op.flag("transpose_a"), op.flag("transpose_b")
    return [op.set_main(op.node("Gemm", [op.input(0), op.input(1)], transA=a, transB=b))]


@emits("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def batched_product(op: TensorFlowOperation) -> Outputs:
    """MatMul over the last two axes."""
    operands = []
    for slot, name in ((0, "adj_x"), (1, "adj_y")):
        value, rank = op.input(slot), len(op.shape(slot))
        if op.attribute(name, False):
            value = op.transpose(value, matrices_turned(rank))
        operands.append(value)
    return op.result("MatMul", operands)


@emits("Einsum")
def einsum(op: TensorFlowOperation) -> Outputs:
    """Einsum; both frameworks write equations alike."""
    equation = op.attribute("equation")
    if not isinstance(equation, str):
        raise UnsupportedError("has no equation")
    return op.result("Einsum", op.values(), equation=equation)
