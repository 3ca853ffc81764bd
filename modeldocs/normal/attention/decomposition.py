"""Attention that is decomposed into operators: matched at its softmax, replaced by one layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import casts, values
from modeldocs.normal.attention import factors, head_order, layer, masked_rows, masks, scores
from modeldocs.normal.attention.layer import HeadLayout
from modeldocs.normal.attention.masks import CombinedMask
from modeldocs.normal.attention.scores import Scores
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import reshape_transpose, strided_views
from modeldocs.normal.fusions import matching
from modeldocs.numeric.execution.operation import is_random


@dataclass(frozen=True)
class _Weighted:
    """The product of the weights and the values.

    `transposed` is whether it is Vᵀ · Aᵀ. `nodes` are those between the softmax and the product.
    """

    product: ir.Node
    value: ir.Value
    transposed: bool
    nodes: tuple[ir.Node, ...]


def replace(softmax: ir.Node, builder: GraphBuilder) -> None:
    """Replace softmax(Q · Kᵀ · scale + mask) · V around a softmax by one Attention."""
    rank = values.rank(softmax.outputs[0]) or 0
    if rank < 2 or values.attribute(softmax, "axis", -1) not in (-1, rank - 1):
        return
    weighted = _weighted(softmax)
    matched = scores.match(softmax) if weighted is not None else None
    if weighted is None or matched is None or matched.product is None:
        return
    first, second = matched.product.inputs
    if first is None or second is None or not _masks_again(weighted, matched):
        return
    at = weighted.product
    second = _transposed(second, builder, at)
    value = _transposed(weighted.value, builder, at) if weighted.transposed else weighted.value
    query, key = (second, first) if matched.transposed else (first, second)
    _emit([query, key, value], softmax, weighted, matched, builder)
    producers = [operand.producer() for operand in (second, value)]
    matching.remove_dead(builder.graph, [node for node in producers if node is not None])


def _emit(
    operands: list[ir.Value],
    softmax: ir.Node,
    weighted: _Weighted,
    matched: Scores,
    builder: GraphBuilder,
) -> None:
    """Replace the matched nodes by one Attention of `operands`: queries, keys and values."""
    at = weighted.product
    scaled = factors.above(matched.product.inputs if matched.product else ())
    layout = layer.heads_of(operands, scaled)
    mask = _mask(matched, values.shape(softmax.outputs[0]), layout, builder, at)
    if layout is None or mask is None:
        return
    matched.scale *= factors.bypass(operands, scaled)
    matched.nodes.extend(scaled)
    masked_rows.remove_zeroing(at, matched.masks, builder)
    head_order.restore(operands, builder, at)
    for factor in matched.factors:
        product = builder.node("Mul", [operands[0], factor], like=operands[0])
        operands[0] = builder.before(at, product)
    settings = layer.scale_attribute(matched.scale, layout.query.size)
    if matched.softcap:
        settings.append(ir.AttrFloat32("softcap", matched.softcap))
    attention = layer.emit(operands, mask, layout, settings, builder, at)
    origin.merge(attention, *reversed(matched.nodes), softmax, *weighted.nodes, at)
    output = _output(attention, weighted, layout, builder)
    reshape_transpose.replace(at.outputs[0], output, builder)
    matching.remove_dead(builder.graph, scaled)


def _mask(
    matched: Scores,
    dims: tuple[int, ...] | None,
    layout: HeadLayout | None,
    builder: GraphBuilder,
    at: ir.Node,
) -> CombinedMask | None:
    """All masks as one over scores of shape (batch, heads, queries, keys)."""
    if layout is None:
        return None
    query, length = layout.query, layout.key.length
    shape = (query.batch, query.count, query.length, length) if dims is not None else None
    return masks.combine(matched.masks, shape, builder, at)


def _output(
    attention: ir.Node, weighted: _Weighted, layout: HeadLayout, builder: GraphBuilder
) -> ir.Value:
    """The output of attention in the layout of the product of weights and values."""
    at = weighted.product
    dims = list(at.outputs[0].shape or ())
    if weighted.transposed:
        dims[-2:] = dims[-1], dims[-2]
    output = layer.split_heads(attention.outputs[0], layout.result, dims, builder, at)
    return _transposed(output, builder, at) if weighted.transposed else output


def _weighted(softmax: ir.Node) -> _Weighted | None:
    """The product of weights and values behind a softmax; None where others follow it."""
    value = softmax.outputs[0]
    nodes: list[ir.Node] = []
    transposed = False
    reader = values.sole_consumer(value)
    while reader is not None and not values.is_operator(reader, "MatMul"):
        if values.is_operator(reader, "Transpose"):
            if transposed or not strided_views.swaps_last(reader):
                return None
            transposed = True
        elif values.is_operator(reader, *strided_views.RESHAPES):
            before, after = values.shape(value), values.shape(reader.outputs[0])
            if before is None or after is None or before[-2:] != after[-2:]:
                return None
        elif values.is_operator(reader, "Where"):
            if transposed or reader.inputs[1] is not value or values.uniform(reader.inputs[2]) != 0:
                return None
        elif (
            not values.is_operator(reader, "Dropout", "Cast", "Identity")
            or is_random(reader)
            or casts.loses_values(reader)
        ):
            return None
        if any(o.uses() or o.is_graph_output() for o in reader.outputs[1:]):
            return None
        nodes.append(reader)
        value = reader.outputs[0]
        reader = values.sole_consumer(value)
    slot = int(transposed)
    if reader is None or reader.inputs[slot] is not value:
        return None
    other = reader.inputs[1 - slot]
    return None if other is None else _Weighted(reader, other, transposed, tuple(nodes))


def _masks_again(weighted: _Weighted, matched: Scores) -> bool:
    """Whether all weights that a Where sets to zero have masked scores, which gives zero anyway.

    Queries that may attend to no key are an exception, see `masked_rows`.
    """
    conditions = [node.inputs[0] for node in weighted.nodes if node.op_type == "Where"]
    kept = [mask.value for mask in matched.masks if not mask.is_inverted]
    return all(any(_are_same(value, mask) for mask in kept) for value in conditions)


def _are_same(first: ir.Value | None, second: ir.Value | None, depth: int = 6) -> bool:
    """Whether two values are computed by the same operators from the same values."""
    if first is second:
        return True
    ours, theirs = (value.producer() if value is not None else None for value in (first, second))
    if ours is None or theirs is None or not depth or ours.op_type != theirs.op_type:
        return False
    our_settings, their_settings = (
        {name: attribute.value for name, attribute in node.attributes.items()}
        for node in (ours, theirs)
    )
    if len(ours.inputs) != len(theirs.inputs) or our_settings != their_settings:
        return False
    pairs = zip(ours.inputs, theirs.inputs, strict=True)
    return all(_are_same(a, b, depth - 1) or _are_equal(a, b) for a, b in pairs)


def _are_equal(first: ir.Value | None, second: ir.Value | None) -> bool:
    """Whether both are constants of the same elements."""
    ours, theirs = values.constant(first), values.constant(second)
    return ours is not None and theirs is not None and np.array_equal(ours, theirs)


def _transposed(value: ir.Value, builder: GraphBuilder, at: ir.Node) -> ir.Value:
    """A tensor with its last two axes swapped; the source of a Transpose that swapped them."""
    rank = values.rank(value) or 2
    order = (*range(rank - 2), rank - 1, rank - 2)
    node = matching.producer(value, "Transpose")
    if node is not None and strided_views.swaps_last(node) and node.inputs[0] is not None:
        return node.inputs[0]
    return builder.before(at, builder.transpose(value, order))
