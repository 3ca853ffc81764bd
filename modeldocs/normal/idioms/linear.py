"""Dense layers."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.idioms import matching


def dense(node: ir.Node) -> bool:
    """A product with a parameter, and the parameter vector added to it, as one Gemm."""
    if not values.is_operator(node, "MatMul") or values.rank(node.inputs[1]) != 2:
        return False
    weight = node.inputs[1]
    transpose = matching.producer(weight, "Transpose")
    swaps = transpose is not None and values.attribute(transpose, "perm", (1, 0)) == (1, 0)
    root = transpose.inputs[0] if transpose is not None and swaps else weight
    if not values.is_parameter(root) or values.is_parameter(node.inputs[0]):
        return False
    add = values.sole_consumer(node.outputs[0])
    bias = matching.parameter_operand(add) if values.is_operator(add, "Add") else None
    features = (values.shape(weight) or (None, None))[1]
    if bias is None or add is None or values.shape(bias) not in ((features,), (1,)):
        absorbed, operands = [node], [node.inputs[0], root]
    else:
        absorbed, operands = [node, add], [node.inputs[0], root, bias]
    matching.replace(absorbed, "Gemm", operands, [ir.AttrInt64("transB", int(swaps))])
    return True
