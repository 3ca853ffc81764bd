"""Attention that is spelled out: found at its softmax, and put in one layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import permutations, rearrangements, values, views
from modeldocs.normal.attention import features, layer, masks, scalings, scores, silent
from modeldocs.normal.attention.layer import Layout
from modeldocs.normal.attention.masks import Told
from modeldocs.normal.attention.scores import Scores
from modeldocs.normal.building import Builder
from modeldocs.normal.idioms import algebra, matching


@dataclass(frozen=True)
class _Weighted:
    """The product of the weights and the values; `turned` where both stand on their side."""

    product: ir.Node
    value: ir.Value
    turned: bool
    nodes: tuple[ir.Node, ...]


def replace(softmax: ir.Node, builder: Builder) -> None:
    """Put one Attention in place of softmax(Q · Kᵀ · scale + mask) · V, if it is that."""
    rank = values.rank(softmax.outputs[0]) or 0
    if rank < 2 or values.attribute(softmax, "axis", -1) not in (-1, rank - 1):
        return
    weighted = _weighted(softmax)
    found = scores.above(softmax) if weighted is not None else None
    if weighted is None or found is None or found.product is None:
        return
    first, second = found.product.inputs
    if first is None or second is None or not _shuts_again(weighted, found):
        return
    at = weighted.product
    second = _turned(second, builder, at)
    value = _turned(weighted.value, builder, at) if weighted.turned else weighted.value
    query, key = (second, first) if found.turned else (first, second)
    _put([query, key, value], softmax, weighted, found, builder)
    made = [held.producer() for held in (second, value)]
    matching.remove_dead(builder.graph, [node for node in made if node is not None])


def _put(
    operands: list[ir.Value],
    softmax: ir.Node,
    weighted: _Weighted,
    found: Scores,
    builder: Builder,
) -> None:
    """One Attention of queries, keys and values in place of what was found."""
    at = weighted.product
    multiplied = scalings.above(found.product.inputs if found.product else ())
    layout = layer.heads_of(operands, multiplied)
    mask = _mask(found, values.shape(softmax.outputs[0]), layout, builder, at)
    if layout is None or mask is None:
        return
    found.scale *= scalings.bypass(operands, multiplied)
    found.nodes.extend(multiplied)
    silent.skip(at, found.masks, builder)
    features.in_order(operands, builder, at)
    for factor in found.factors:
        scaled = builder.node("Mul", [operands[0], factor], like=operands[0])
        operands[0] = builder.before(at, scaled)
    settings = layer.scale(found.scale, layout.query.size)
    if found.softcap:
        settings.append(ir.AttrFloat32("softcap", found.softcap))
    made = layer.emit(operands, mask, layout, settings, builder, at)
    origin.merge(made, *reversed(found.nodes), softmax, *weighted.nodes, at)
    rearrangements.put(_result(made, weighted, layout, builder), at.outputs[0], builder)
    matching.remove_dead(builder.graph, multiplied)


def _mask(
    found: Scores,
    dims: tuple[int, ...] | None,
    layout: Layout | None,
    builder: Builder,
    at: ir.Node,
) -> Told | None:
    """All masks as one over batch x heads x queries x keys."""
    if layout is None:
        return None
    query, length = layout.query, layout.key.length
    whole = (query.batch, query.count, query.length, length)
    wanted = whole if dims is not None else None
    return masks.told(found.masks, wanted, builder, at)


def _result(made: ir.Node, weighted: _Weighted, layout: Layout, builder: Builder) -> ir.Value:
    """What attention gives, as the product of weights and values had it."""
    at = weighted.product
    dims = list(at.outputs[0].shape or ())
    if not weighted.turned:
        return layer.apart(made.outputs[0], layout.result, dims, builder, at)
    dims[-2:] = dims[-1], dims[-2]
    return _turned(layer.apart(made.outputs[0], layout.result, dims, builder, at), builder, at)


def _weighted(softmax: ir.Node) -> _Weighted | None:
    """The product of the weights and the values, past a Dropout, a Cast, and a Transpose."""
    value = softmax.outputs[0]
    nodes: list[ir.Node] = []
    turned = False
    reader = values.sole_consumer(value)
    while reader is not None and not values.is_operator(reader, "MatMul"):
        if values.is_operator(reader, "Transpose"):
            if turned or not views.swaps_last(reader):
                return None
            turned = True
        elif values.is_operator(reader, *views.RESHAPES):
            before, after = values.shape(value), values.shape(reader.outputs[0])
            if before is None or after is None or before[-2:] != after[-2:]:
                return None
        elif values.is_operator(reader, "Where"):
            if turned or reader.inputs[1] is not value or algebra.uniform(reader.inputs[2]) != 0:
                return None
        elif not values.is_operator(reader, "Dropout", "Cast", "Identity"):
            return None
        if any(o.uses() or o.is_graph_output() for o in reader.outputs[1:]):
            return None
        nodes.append(reader)
        value = reader.outputs[0]
        reader = values.sole_consumer(value)
    slot = int(turned)
    if reader is None or reader.inputs[slot] is not value:
        return None
    other = reader.inputs[1 - slot]
    return None if other is None else _Weighted(reader, other, turned, tuple(nodes))


def _on_side(rank: int) -> permutations.Permutation:
    """Swaps the last two axes."""
    return (*range(rank - 2), rank - 1, rank - 2)


def _shuts_again(weighted: _Weighted, found: Scores) -> bool:
    """Whether weights that are put to zero are those whose scores were shut: nothing changes.

    But for queries that no key is open to: what these attend to is nothing, in ONNX's words.
    """
    shut = [node.inputs[0] for node in weighted.nodes if node.op_type == "Where"]
    masks = [mask.value for mask in found.masks if not mask.shuts]
    return all(any(_same(value, mask) for mask in masks) for value in shut)


def _same(first: ir.Value | None, second: ir.Value | None, depth: int = 6) -> bool:
    """Whether two values are made alike of the same values."""
    if first is second:
        return True
    ours, theirs = (value.producer() if value is not None else None for value in (first, second))
    if ours is None or theirs is None or not depth or ours.op_type != theirs.op_type:
        return False
    alike = {n: a.value for n, a in ours.attributes.items()} == {
        n: a.value for n, a in theirs.attributes.items()
    }
    pairs = list(zip(ours.inputs, theirs.inputs, strict=False))
    if len(ours.inputs) != len(theirs.inputs) or not alike:
        return False
    return all(_same(a, b, depth - 1) or _are_equal(a, b) for a, b in pairs)


def _are_equal(first: ir.Value | None, second: ir.Value | None) -> bool:
    """Whether both are small constants of the same elements."""
    held = [values.constant(value) for value in (first, second)]
    return held[0] is not None and held[1] is not None and np.array_equal(held[0], held[1])


def _turned(value: ir.Value, builder: Builder, at: ir.Node) -> ir.Value:
    """A tensor with its last two axes swapped; what had swapped them is taken back."""
    order = _on_side(values.rank(value) or 2)
    node = matching.producer(value, "Transpose")
    if node is not None and views.swaps_last(node) and node.inputs[0] is not None:
        return node.inputs[0]
    return builder.before(at, builder.transpose(value, order))
