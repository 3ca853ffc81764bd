"""Emitter of scaled dot-product attention."""

from __future__ import annotations

from typing import Any


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,  # noqa: ARG001
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
    y, *_ = op.Attention(*operands, scale=scale, is_causal=is_causal)
    if rank == 4:
        return y
    shape = [int(size) for size in (*query.shape[:-1], value.shape[-1])]
    return op.Reshape(y, op.Constant(value_ints=shape))


def _to_four_axes(op: Any, operand: Any) -> Any:
    """A tensor (..., length, width) of known shape as (1, heads, length, width)."""
    length, width = (int(size) for size in operand.shape[-2:])
    return op.Reshape(operand, op.Constant(value_ints=[1, -1, length, width]))
