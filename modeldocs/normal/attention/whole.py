"""Attention that is one operator already: in the layout of normal form, its mask as it is told."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import rearrangements, values
from modeldocs.normal.attention import features, layer, masks, scalings
from modeldocs.normal.attention.heads import Heads
from modeldocs.normal.attention.layer import Layout
from modeldocs.normal.attention.masks import Told
from modeldocs.normal.attention.parts import Mask
from modeldocs.normal.building import Builder
from modeldocs.normal.idioms import matching

_MASK = 3


def replace(node: ir.Node, builder: Builder) -> None:
    """Put an Attention of heads on an axis of their own in the layout of normal form."""
    given = [values.operand(node, slot) for slot in range(3)]
    if None in given or any(values.operand(node, slot) for slot in range(4, len(node.inputs))):
        return
    if any(o.uses() or o.is_graph_output() for o in node.outputs[1:]):
        return
    operands = [value for value in given if value is not None]
    layout = _layout(node, operands)
    told = _mask(node, layout, builder) if layout is not None else None
    if layout is None or told is None:
        return
    told.causal = told.causal or bool(values.attribute(node, "is_causal", 0))
    left = ("q_num_heads", "kv_num_heads", "is_causal", "scale")
    settings = [held for name, held in node.attributes.items() if name not in left]
    scaled = scalings.above(operands[:2])
    usual = 1 / math.sqrt(layout.query.size)
    number = (values.attribute(node, "scale", 0) or usual) * scalings.bypass(operands, scaled)
    settings.extend(layer.scale(number, layout.query.size))
    features.in_order(operands, builder, node)
    made = layer.emit(operands, told, layout, settings, builder, node)
    origin.merge(made, *scaled, node)
    result = node.outputs[0]
    output, dims = made.outputs[0], list(result.shape or ())
    if len(dims) != 3:
        output = layer.apart(output, layout.result, dims, builder, node)
    rearrangements.put(output, result, builder)
    matching.remove_dead(builder.graph, scaled)


def _layout(node: ir.Node, operands: list[ir.Value]) -> Layout | None:
    """The heads of the operands, by their own axis or by the attributes that count them."""
    if values.rank(operands[0]) != 3:
        return layer.heads_of(operands)
    counts = [values.attribute(node, name) for name in ("q_num_heads", *("kv_num_heads",) * 2)]
    found = []
    for value, count in zip(operands, counts, strict=True):
        width = list(value.shape or (None,) * 3)[2]
        if not count or not isinstance(width, int) or values.rank(value) != 3:
            return None
        batch, length, _ = value.shape or (None,) * 3
        found.append(Heads(batch, int(count), length, width // int(count)))
    return Layout(*found)


def _mask(node: ir.Node, layout: Layout, builder: Builder) -> Told | None:
    mask = values.operand(node, _MASK)
    query, length = layout.query, layout.key.length
    dims = (query.batch, query.count, query.length, length)
    scores = dims if all(isinstance(dim, int) for dim in dims) else None
    return masks.told([Mask(mask, scores)] if mask is not None else [], scores, builder, node)
