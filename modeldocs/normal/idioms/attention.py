"""Attention: softmax of scaled products of queries and keys, times values.

Tensors are batch x heads x length x size, as ONNX's `Attention` has them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from modeldocs.normal import permutations, values
from modeldocs.normal.building import Builder, permuted
from modeldocs.normal.idioms import matching
from modeldocs.normal.plumbing import composed

_TURNED: permutations.Permutation = (0, 1, 3, 2)
_SHUT = -1e4
"""A score below this gives a weight of zero in any float type."""


@dataclass
class _Parts:
    """What was found above the softmax, from the bottom up."""

    scale: float = 1.0
    mask: ir.Value | None = None
    causal: bool = False
    nodes: list[ir.Node] = field(default_factory=list)


def decomposed(node: ir.Node, builder: Builder) -> bool:
    """softmax(Q · Kᵀ · scale + mask) · V, the scale and the mask where frameworks put them."""
    if not values.is_operator(node, "Softmax") or values.rank(node.outputs[0]) != 4:
        return False
    if values.attribute(node, "axis", -1) not in (-1, 3) or node.inputs[0] is None:
        return False
    product, behind = _product_with_values(node)
    parts = _Parts()
    scores = _scores(node.inputs[0], parts) if product is not None else None
    if scores is None or product is None:
        return False
    query, key = scores.inputs[:2]
    query, key = _unscaled(query, parts), _unscaled(key, parts)
    if query is None or key is None or values.rank(query) != 4 or values.rank(key) != 4:
        return False
    operands = [query, _turned_back(key, scores, builder), product.inputs[1]]
    if parts.mask is not None:
        operands.append(parts.mask)
    attributes: list[ir.Attr] = [ir.AttrFloat32("scale", _rounded(parts.scale, query))]
    if parts.causal:
        attributes.append(ir.AttrInt64("is_causal", 1))
    absorbed = [*reversed(parts.nodes), node, *behind, product]
    matching.replace(absorbed, "Attention", operands, attributes)
    return True


def _rounded(scale: float, query: ir.Value) -> float:
    """The scale; where it is the root of the size but for rounding, exactly that."""
    size = (values.shape(query) or (1,))[-1]
    usual = 1 / math.sqrt(max(size, 1))
    return usual if math.isclose(scale, usual, rel_tol=1e-5) else scale


def _product_with_values(softmax: ir.Node) -> tuple[ir.Node | None, list[ir.Node]]:
    """The product of the weights and the values, and the Dropout on the way to it."""
    behind: list[ir.Node] = []
    value = softmax.outputs[0]
    reader = values.sole_consumer(value)
    if reader is not None and values.is_operator(reader, "Dropout") and _drops_one(reader):
        behind.append(reader)
        value = reader.outputs[0]
        reader = values.sole_consumer(value)
    if reader is None or not values.is_operator(reader, "MatMul"):
        return None, []
    return (reader, behind) if reader.inputs[0] is value else (None, [])


def _drops_one(dropout: ir.Node) -> bool:
    return not any(o.uses() or o.is_graph_output() for o in dropout.outputs[1:])


def _scores(value: ir.Value, parts: _Parts) -> ir.Node | None:
    """The product of queries and keys, past masks and scales that are read by this alone."""
    while True:
        node = value.producer()
        if node is None or values.sole_consumer(value) is None:
            return None
        parts.nodes.append(node)
        if values.is_operator(node, "MatMul"):
            return node
        above = _past_scale(node, parts) or _past_mask(node, parts)
        if above is None:
            return None
        value = above


def _past_scale(node: ir.Node, parts: _Parts) -> ir.Value | None:
    """The scores before a number multiplied or divided them."""
    if not values.is_operator(node, "Mul", "Div"):
        return None
    above, number = _factor(node)
    if above is None or number is None:
        return None
    parts.scale *= number
    return above


def _factor(node: ir.Node) -> tuple[ir.Value | None, float | None]:
    """What a Mul or Div reads, and the number that it multiplies it by."""
    if node.op_type == "Mul":
        return matching.constant_and_rest(node)
    number = values.scalar(node.inputs[1])
    return node.inputs[0], 1 / number if number else None


def _past_mask(node: ir.Node, parts: _Parts) -> ir.Value | None:
    """The scores before something was added to them, or put in place of some.

    A mask that is scaled with the scores is none of ONNX's.
    """
    if parts.mask is not None or parts.causal or parts.scale != 1:
        return None
    if values.is_operator(node, "Where"):
        kept, above, shut = node.inputs
        lowest = values.scalar(shut)
        if kept is None or above is None or lowest is None or lowest > _SHUT:
            return None
        parts.causal = _is_causal(values.constant(kept))
    elif values.is_operator(node, "Add"):
        above, kept = _product_first(node)
        if kept is None or above is None:
            return None
        array = values.constant(kept)
        parts.causal = array is not None and bool(_is_causal_sum(array))
    else:
        return None
    rank = values.rank(kept)
    if not parts.causal and (rank is None or rank < 2):
        return None
    parts.mask = None if parts.causal else kept
    return above


def _product_first(add: ir.Node) -> tuple[ir.Value | None, ir.Value | None]:
    """The operand that comes from a product, then the other."""
    for value, other in (tuple(add.inputs), tuple(add.inputs)[::-1]):
        node = matching.producer(value, "Mul", "Div", "MatMul")
        while node is not None and node.op_type != "MatMul":
            node = matching.producer(node.inputs[0], "Mul", "Div", "MatMul")
        if node is not None:
            return value, other
    return None, None


def _is_causal(kept: np.ndarray | None) -> bool:
    """Whether each place sees itself and those before it, and no other."""
    if kept is None or kept.dtype != np.bool_ or kept.ndim < 2 or kept.size <= 1:
        return False
    steps = kept.shape[-1]
    square = kept.size == steps * steps and kept.shape[-2] == steps
    return square and bool((kept.reshape(steps, steps) == np.tri(steps, dtype=bool)).all())


def _is_causal_sum(added: np.ndarray) -> bool:
    if added.dtype.kind != "f" or not bool(((added == 0) | (added <= _SHUT)).all()):
        return False
    return _is_causal(added == 0)


def _unscaled(value: ir.Value | None, parts: _Parts) -> ir.Value | None:
    """Queries or keys before a number multiplied them."""
    node = matching.producer(value, "Mul", "Div")
    if value is None or node is None or values.sole_consumer(value) is None:
        return value
    above, number = _factor(node)
    if above is None or number is None:
        return value
    parts.scale *= number
    parts.nodes.append(node)
    return above


def _turned_back(key: ir.Value, reader: ir.Node, builder: Builder) -> ir.Value:
    """Keys with their length before their size: as they were before they were turned."""
    source, order = key, _TURNED
    turned = matching.producer(key, "Transpose")
    if turned is not None and turned.inputs[0] is not None:
        source = turned.inputs[0]
        order = composed(permutations.of_node(turned) or (), _TURNED)
    if not order:
        return source
    made = builder.transpose(source, order)
    made.outputs[0].shape = permuted(source.shape, order)
    return builder.before(reader, made)


def whole(node: ir.Node, _: Builder) -> bool:
    """An Attention that leaves its scale open: by the root of the size, written out."""
    if not values.is_operator(node, "Attention") or "scale" in node.attributes:
        return False
    dims = values.shape(node.inputs[0])
    heads = int(values.attribute(node, "q_num_heads", 1)) if dims and len(dims) == 3 else 1
    if not dims or not dims[-1]:
        return False
    node.attributes["scale"] = ir.AttrFloat32("scale", 1 / math.sqrt(dims[-1] / heads))
    return True
