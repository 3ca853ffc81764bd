"""Attention: scaled products of queries and keys, softmax, products with values."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras import shapes
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import computes

_HEADS_FIRST = [0, 2, 1, 3]


@computes("DotProductAttention")
def dot_product_attention(call: Call) -> ir.Value:
    """Of (batch, steps, heads, width); masks keep what is true."""
    if call.operation.attn_logits_soft_cap is not None:
        raise NotImplementedError("its scores are capped")
    target = shapes.dtype(call.outputs[0].dtype)
    query, key, value = (call.cast(call.value(n), target) for n in ("query", "key", "value"))
    heads = call.size(call.shape(query)[2])
    key, value = _shared(call, key, heads), _shared(call, value, heads)
    given = call.arguments.get("scale")
    width = call.size(call.shape(key)[-1])
    scale = 1 / math.sqrt(width) if given is None else float(given)
    turned = call.transpose(key, [0, 2, 3, 1])
    scores = call.node("MatMul", [call.transpose(query, _HEADS_FIRST), turned])
    scores = call.node("Mul", [scores, call.number(scale, name="scale")], label="scale")
    weights = call.node("Softmax", [_masked(call, scores)], axis=-1, label="softmax")
    made = call.node("MatMul", [weights, call.transpose(value, _HEADS_FIRST)], label="values")
    return call.transpose(made, _HEADS_FIRST)


def _shared(call: Call, value: ir.Value, heads: int) -> ir.Value:
    """Keys or values for each query head, where several share one."""
    batch, steps, held, width = call.shape(value)
    count = call.size(held)
    if count in (1, heads):
        return value
    wide = call.reshape(value, [batch, steps, count, 1, width])
    times = call.integers([1, 1, 1, heads // count, 1], "repeats")
    return call.reshape(call.node("Tile", [wide, times]), [batch, steps, heads, width])


def _masked(call: Call, scores: ir.Value) -> ir.Value:
    bias, mask = call.arguments.get("bias"), call.arguments.get("mask")
    if bias is not None:
        scores = call.node("Add", [scores, call.value("bias")], label="bias")
    masks = [] if mask is None else [call.boolean("mask")]
    if call.operation.is_causal:
        _, _, steps, seen = (call.size(size) for size in call.shape(scores)[-4:])
        masks.append(call.causal(steps, seen))
    if not masks:
        return scores
    both = masks[0] if len(masks) == 1 else call.node("And", [*masks])
    assert scores.dtype is not None
    lowest = float(np.finfo(scores.dtype.numpy()).min) * 0.7
    least = call.number(lowest, scores.dtype, "lowest")
    return call.node("Where", [both, scores, least], label="mask")
