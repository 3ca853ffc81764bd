"""Products of tensors with weight matrices."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.inference import shape_of


def fully_connected(
    layer: NodeBuilder,
    value: ir.Value,
    weight: ir.Value,
    bias: ir.Value | None,
    *,
    transposed: bool = True,
    shape: Sequence[Dim] | None = None,
) -> ir.Value:
    """The product of the last axis with a weight, plus a bias: Gemm, or MatMul and Add.

    The weight is outputs × inputs, or inputs × outputs where it is not `transposed`. A value of
    which the result has this `shape` is taken to be a matrix, as ONNX's Gemm asks for.
    """
    if shape is not None or len(shape_of(value)) == 2:
        operands = [value, weight] if bias is None else [value, weight, bias]
        return layer.node("Gemm", operands, shape=shape, transB=int(transposed))
    factor = layer.transpose(weight, (1, 0)) if transposed else weight
    product = layer.node("MatMul", [value, factor])
    return product if bias is None else layer.node("Add", [product, bias])
