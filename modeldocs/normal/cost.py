"""Cost of a layer: multiply-accumulates, and bytes of its outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from modeldocs.ir import Body, Operand, Parameter, TensorType, operators
from modeldocs.ir.operators import CONTRIBUTED
from modeldocs.ir.totals import known_sum
from modeldocs.normal import attention_cost, einsum_cost, products
from modeldocs.normal.products import OperatorCall


def activation_bytes(outputs: Sequence[TensorType]) -> int | None:
    """Bytes of all outputs; None where a shape or type is not known."""
    return known_sum(output.bytes for output in outputs)


def macs(
    operator: str,
    attributes: Mapping[str, Any],
    inputs: Sequence[Operand],
    parameters: Sequence[Parameter],
    outputs: Sequence[TensorType],
) -> int | None:
    """Multiply-accumulates of one call; None where they are unknown.

    A convolution has the size of one filter for each element of its output, a transposed one for
    each element of its input; a matrix product its inner dimension for each output element; a
    recurrent layer the input and hidden sizes for each gate of each state. Attention has two
    products: queries by keys, and weights by values. The other operators of ONNX have none; of
    operators that are not ONNX's, those with a matrix among their parameters are unknown, and those
    of onnxruntime that are not known to multiply nothing.
    """
    rule = _RULES.get(operator)
    if rule is not None:
        return rule(OperatorCall(operator, attributes, inputs, parameters, outputs))
    if operators.is_contributed(operator):
        known = operators.TABLE.get(operator)
        return 0 if known is not None and not known.products else None
    has_matrix = any(len(parameter.shape) > 1 for parameter in parameters)
    return None if "::" in operator and has_matrix else 0


def of_bodies(operator: str, bodies: Mapping[str, Body]) -> int | None:
    """Multiply-accumulates of a layer with bodies.

    None where branches differ, and for a loop, whose body may run any number of times.
    """
    figures = {known_sum(layer.macs for layer in body.layers) for body in bodies.values()}
    runs_once = operator not in ("Loop", "Scan", "SequenceMap")
    return figures.pop() if len(figures) == 1 and (runs_once or figures == {0}) else None


_ONNX: dict[str, Callable[[OperatorCall], int | None]] = {
    **dict.fromkeys(
        ("Conv", "ConvInteger", "QLinearConv", "DeformConv", "CausalConvWithState"),
        products.convolution,
    ),
    "ConvTranspose": products.transposed_convolution,
    "Gemm": products.gemm,
    **dict.fromkeys(("MatMul", "MatMulInteger", "QLinearMatMul"), products.matrix_product),
    "Einsum": einsum_cost.einsum,
    **dict.fromkeys(("RNN", "GRU", "LSTM"), products.recurrent),
    "Attention": attention_cost.attention,
    "LinearAttention": lambda _: None,
    "ai.onnx.preview::FlexAttention": attention_cost.attention,
}
"""The rule of each operator that adds up products."""

_CONTRIBUTED: dict[str, Callable[[OperatorCall], int | None]] = {
    **dict.fromkeys(
        ("FusedConv", "NhwcFusedConv", "NhwcConv", "QLinearConv"), products.convolution
    ),
    **dict.fromkeys(("FusedGemm", "QGemm"), products.stored_gemm),
    **dict.fromkeys(
        ("FusedMatMul", "FusedMatMulActivation", "TransposeMatMul", "MatMulIntegerToFloat"),
        products.matrix_product,
    ),
    **dict.fromkeys(("DynamicQuantizeMatMul", "MatMulInteger16"), products.matrix_product),
    **dict.fromkeys(("MatMulNBits", "MatMulBnb4"), products.packed_product),
    "DynamicQuantizeLSTM": products.recurrent,
    **dict.fromkeys(("Attention", "QAttention"), attention_cost.projected),
    "MultiHeadAttention": attention_cost.multi_head,
    "GroupQueryAttention": attention_cost.group_query,
}
"""The same of onnxruntime's own."""

_RULES = _ONNX | {CONTRIBUTED + name: rule for name, rule in _CONTRIBUTED.items()}
