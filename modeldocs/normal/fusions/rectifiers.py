"""Rectifiers that are computed by a Where: x where it is above 0, a multiple of it elsewhere."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.fusions import matching

_GREATER = operators.named(comparison="greater")
_LESS = operators.named(comparison="less")


def leaky_relu(node: ir.Node, _: GraphBuilder) -> bool:
    """A Where on the sign of a tensor as a LeakyRelu, or as a Relu where the slope below 0 is 0."""
    if not values.is_operator(node, "Where"):
        return False
    comparison = matching.producer(node.inputs[0], *_GREATER, *_LESS)
    if comparison is None:
        return False
    x, is_above = _compared_with_zero(comparison)
    above, below = node.inputs[1:3] if is_above else node.inputs[2:0:-1]
    if x is None or above is not x or x.dtype is None or not x.dtype.is_floating_point():
        return False
    if values.scalar(below) == 0:
        matching.replace([comparison, node], "Relu", [x], [])
        return True
    product = matching.producer(below, "Mul")
    source, slope = matching.constant_and_rest(product)
    if product is None or source is not x or slope is None:
        return False
    alpha = ir.AttrFloat32("alpha", slope)
    matching.replace([comparison, product, node], "LeakyRelu", [x], [alpha])
    return True


def _compared_with_zero(comparison: ir.Node) -> tuple[ir.Value | None, bool]:
    """The tensor that is compared with 0, and whether the comparison is true above 0."""
    left, right = comparison.inputs
    is_greater = comparison.op_type in _GREATER
    if values.scalar(right) == 0:
        return left, is_greater
    return (right, not is_greater) if values.scalar(left) == 0 else (None, is_greater)
