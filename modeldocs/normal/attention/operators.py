"""Attention that is one operator already, brought to the layout of normal form."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.attention import factors, head_order, layer, masks
from modeldocs.normal.attention.heads import Heads
from modeldocs.normal.attention.layer import HeadLayout
from modeldocs.normal.attention.mask_terms import Mask
from modeldocs.normal.attention.masks import CombinedMask
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import reshape_transpose
from modeldocs.normal.fusions import matching

_MASK_SLOT = 3


def replace(node: ir.Node, builder: GraphBuilder) -> None:
    """Replace an Attention by one in the layout of normal form; not one with a key-value cache."""
    operands = [one for slot in range(3) if (one := values.operand(node, slot)) is not None]
    if len(operands) < 3 or any(values.operand(node, s) for s in range(4, len(node.inputs))):
        return
    if any(o.uses() or o.is_graph_output() for o in node.outputs[1:]):
        return
    layout = _layout(node, operands)
    mask = _mask(node, layout, builder) if layout is not None else None
    if layout is None or mask is None:
        return
    mask.causal = mask.causal or bool(values.attribute(node, "is_causal", 0))
    rewritten = ("q_num_heads", "kv_num_heads", "is_causal", "scale")
    settings = [one for name, one in node.attributes.items() if name not in rewritten]
    scaled = factors.above(operands[:2])
    default = 1 / math.sqrt(layout.query.size)
    scale = (values.attribute(node, "scale", 0) or default) * factors.bypass(operands, scaled)
    settings.extend(layer.scale_attribute(scale, layout.query.size))
    head_order.restore(operands, builder, node)
    attention = layer.emit(operands, mask, layout, settings, builder, node)
    origin.merge(attention, *scaled, node)
    output, dims = attention.outputs[0], list(node.outputs[0].shape or ())
    if len(dims) != 3:
        output = layer.split_heads(output, layout.result, dims, builder, node)
    reshape_transpose.replace(node.outputs[0], output, builder)
    matching.remove_dead(builder.graph, scaled)


def _layout(node: ir.Node, operands: list[ir.Value]) -> HeadLayout | None:
    """The heads of the operands, by their own axis or by the attributes with their number."""
    if values.rank(operands[0]) != 3:
        return layer.heads_of(operands)
    counts = [values.attribute(node, name) for name in ("q_num_heads", *("kv_num_heads",) * 2)]
    operand_heads = []
    for value, count in zip(operands, counts, strict=True):
        width = list(value.shape or (None,) * 3)[2]
        if not count or not isinstance(width, int) or values.rank(value) != 3:
            return None
        batch, length, _ = value.shape or (None,) * 3
        operand_heads.append(Heads(batch, int(count), length, width // int(count)))
    return HeadLayout(*operand_heads)


def _mask(node: ir.Node, layout: HeadLayout, builder: GraphBuilder) -> CombinedMask | None:
    mask = values.operand(node, _MASK_SLOT)
    query, length = layout.query, layout.key.length
    dims = (query.batch, query.count, query.length, length)
    scores = dims if all(isinstance(dim, int) for dim in dims) else None
    given = [Mask(mask, scores)] if mask is not None else []
    return masks.combine(given, scores, builder, node)
