"""Emitter of Keras' attention: products of queries and keys, softmax, products with values."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras.emitters import computes
from modeldocs.loaders.keras.operation import KerasOperation

_HEADS_FIRST = [0, 2, 1, 3]


@computes("DotProductAttention")
def dot_product_attention(op: KerasOperation) -> ir.Value:
    """Attention of (batch, steps, heads, width); masks keep what is true."""
    if op.source.attn_logits_soft_cap is not None:
        raise NotImplementedError("its scores are capped")
    query, key, value = (op.promote(op.argument(name)) for name in ("query", "key", "value"))
    heads = op.size(op.shape_of(query)[2])
    key, value = _shared(op, key, heads), _shared(op, value, heads)
    setting = op.arguments.get("scale")
    width = op.size(op.shape_of(key)[-1])
    scale = 1 / math.sqrt(width) if setting is None else float(setting)
    transposed_key = op.transpose(key, [0, 2, 3, 1])
    scores = op.node("MatMul", [op.transpose(query, _HEADS_FIRST), transposed_key])
    scores = op.node("Mul", [scores, op.number(scale, name="scale")], label="scale")
    weights = op.node("Softmax", [_masked(op, scores)], axis=-1, label="softmax")
    result = op.node("MatMul", [weights, op.transpose(value, _HEADS_FIRST)], label="values")
    return op.transpose(result, _HEADS_FIRST)


def _shared(op: KerasOperation, value: ir.Value, heads: int) -> ir.Value:
    """Keys or values for each head of the queries, where several share one."""
    batch, steps, key_heads, width = op.shape_of(value)
    count = op.size(key_heads)
    if count in (1, heads):
        return value
    grouped = op.reshape(value, [batch, steps, count, 1, width])
    times = op.integers([1, 1, 1, heads // count, 1], "repeats")
    return op.reshape(op.node("Tile", [grouped, times]), [batch, steps, heads, width])


def _masked(op: KerasOperation, scores: ir.Value) -> ir.Value:
    bias, mask = op.arguments.get("bias"), op.arguments.get("mask")
    if bias is not None:
        scores = op.node("Add", [scores, op.argument("bias")], label="bias")
    masks = [] if mask is None else [op.boolean("mask")]
    if op.source.is_causal:
        _, _, steps, positions = (op.size(size) for size in op.shape_of(scores)[-4:])
        masks.append(op.causal(steps, positions))
    if not masks:
        return scores
    allowed = masks[0] if len(masks) == 1 else op.node("And", [*masks])
    assert scores.dtype is not None
    minimum = float(np.finfo(scores.dtype.numpy()).min) * 0.7
    fill = op.number(minimum, scores.dtype, "lowest")
    return op.node("Where", [allowed, scores, fill], label="mask")
