"""Emitter of scaled dot-product attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs.loaders.pytorch.operators.pooling import dropout


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,  # noqa: ARG001
) -> Any:
    """Attention over (batch, heads, length, width); other ranks are reshaped to four axes."""
    from onnxscript import opset23

    op: Any = opset23
    rank = len(query.shape)
    if rank > 4 and attn_mask is not None:
        raise NotImplementedError("attention with a mask over more than four axes")
    operands = [query, key, value]
    if rank != 4:
        operands = [_to_four_axes(op, operand) for operand in operands]
    if attn_mask is not None:
        operands.append(attn_mask)
    if dropout_p:
        if tuple(query.shape[:-2]) != tuple(key.shape[:-2]):
            raise NotImplementedError("attention of grouped heads that drops weights in inference")
        if is_causal:
            allowed = np.tri(int(query.shape[-2]), int(key.shape[-2]), dtype=bool)
            operands.append(op.Constant(value=onnx.numpy_helper.from_array(allowed)))
        y = _dropping(op, operands, dropout_p, scale or int(query.shape[-1]) ** -0.5)
    else:
        y, *_ = op.Attention(*operands, scale=scale, is_causal=is_causal)
    if rank == 4:
        return y
    shape = [int(size) for size in (*query.shape[:-1], value.shape[-1])]
    return op.Reshape(y, op.Constant(value_ints=shape))


def _dropping(op: Any, operands: list[Any], ratio: float, scale: float) -> Any:
    """Attention that drops some of its weights, in inference too: ONNX's operator cannot."""
    query, key, value, *masks = operands
    scores = op.MatMul(query, op.Transpose(key, perm=[0, 1, 3, 2]))
    scores = op.Mul(scores, op.Constant(value_float=scale))
    for mask in masks:
        is_bool = getattr(mask, "dtype", None) in (None, ir.DataType.BOOL)
        lowest = op.Constant(value_float=float("-inf"))
        scores = op.Where(mask, scores, lowest) if is_bool else op.Add(scores, mask)
    return op.MatMul(dropout(op.Softmax(scores, axis=-1), ratio, train=True), value)


def _to_four_axes(op: Any, operand: Any) -> Any:
    """A tensor (..., length, width) of known shape as (1, heads, length, width)."""
    length, width = (int(size) for size in operand.shape[-2:])
    return op.Reshape(operand, op.Constant(value_ints=[1, -1, length, width]))
