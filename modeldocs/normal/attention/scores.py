"""The scores that a softmax reads: scales, masks and caps of a product of queries and keys."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import casts, values
from modeldocs.normal.attention import factors, mask_terms
from modeldocs.normal.attention.mask_terms import Mask
from modeldocs.normal.data_movement import strided_views
from modeldocs.normal.fusions import matching

_SCORE_OPERATORS = (
    operators.named(affine="scale")
    | operators.named(affine="shift")
    | operators.moving("cast", "reshape", "transpose")
    | {"Tanh"}
)
_MAX_NODES = 12
"""Most nodes between a product of queries and keys and its softmax."""


@dataclass
class Scores:
    """What a softmax reads: softcap · tanh(scale · product / softcap) + masks.

    `nodes` are those of the scores, the last first.
    """

    scale: float = 1.0
    softcap: float = 0.0
    masks: list[Mask] = field(default_factory=list)
    factors: list[ir.Value] = field(default_factory=list)
    """Tensors with one factor for all scores of a head."""
    nodes: list[ir.Node] = field(default_factory=list)
    product: ir.Node | None = None
    transposed: bool = False
    """Whether the product is of keys and queries, and transposed afterwards."""


def match(softmax: ir.Node) -> Scores | None:
    """The scores that a softmax reads; None where they are no product of two computed tensors."""
    scores = Scores()
    value = softmax.inputs[0]
    while value is not None and len(scores.nodes) < _MAX_NODES:
        node = value.producer()
        if node is None or values.sole_consumer(value) is None:
            return None
        scores.nodes.append(node)
        if values.is_operator(node, "MatMul"):
            scores.product = node
            return scores
        value = _before(node, scores)
    return None


def _before(node: ir.Node, scores: Scores) -> ir.Value | None:
    """The value that a node of scores reads, once its effect is recorded; None for other nodes."""
    if values.is_operator(node, "Cast", "Identity") and not casts.loses_values(node):
        return node.inputs[0]
    if values.is_operator(node, *strided_views.RESHAPES):
        return node.inputs[0] if _keeps_last_axes(node) else None
    if values.is_operator(node, "Mul", "Div"):
        return _before_factor(node, scores)
    if values.is_operator(node, "Tanh"):
        return _before_cap(node, scores)
    if values.is_operator(node, "Transpose") and strided_views.swaps_last(node):
        scores.transposed = not scores.transposed
        return node.inputs[0]
    if scores.transposed or scores.factors or scores.softcap:
        return None
    if values.is_operator(node, "Add") and scores.scale > 0:
        for value, added in (tuple(node.inputs), tuple(node.inputs)[::-1]):
            if value is not None and added is not None and _leads_to_product(value):
                shape = values.shape(node.outputs[0])
                scores.masks.append(Mask(added, shape, scale=scores.scale))
                return value
    if values.is_operator(node, "Sub") and scores.scale > 0:
        value, subtracted = node.inputs
        if value is not None and values.constant(subtracted) is not None:
            assert subtracted is not None
            shape = values.shape(node.outputs[0])
            scores.masks.append(Mask(subtracted, shape, scale=-scores.scale))
            return value
    if values.is_operator(node, "Where") and scores.scale == 1:
        masked = mask_terms.of_where(node)
        if masked is not None:
            mask, value = masked
            scores.masks.append(mask)
            return value
    return None


def _keeps_last_axes(node: ir.Node) -> bool:
    """Whether a Reshape leaves the axes of queries and keys alone."""
    before, after = values.shape(node.inputs[0]), values.shape(node.outputs[0])
    return before is not None and after is not None and before[-2:] == after[-2:]


def _before_factor(node: ir.Node, scores: Scores) -> ir.Value | None:
    """The scores before a factor: a number, or a tensor with one number for each head."""
    source, number = factors.factor(node)
    if source is not None and number is not None:
        scores.scale *= number
        return source
    if node.op_type != "Mul" or scores.softcap or scores.transposed:
        return None
    for value, other in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        dims = values.shape(other)
        is_per_head = dims is not None and all(dim == 1 for dim in dims[-2:])
        if is_per_head and value is not None and other is not None and _leads_to_product(value):
            scores.factors.append(other)
            return value
    return None


def _before_cap(node: ir.Node, scores: Scores) -> ir.Value | None:
    """The scores before cap * tanh(scores / cap), whose cap was recorded as the scale."""
    inner = matching.producer(node.inputs[0], "Mul", "Div")
    source, number = factors.factor(inner) if inner is not None else (None, None)
    cap = scores.scale
    if inner is None or source is None or number is None or scores.softcap or scores.factors:
        return None
    if cap == 1 or not math.isclose(number * cap, 1, rel_tol=1e-5):
        return None
    scores.softcap, scores.scale = cap, 1.0
    scores.nodes.append(inner)
    return source


def _leads_to_product(value: ir.Value) -> bool:
    """Whether scores come from a product of two computed tensors."""
    pending = [(value, 0)]
    while pending:
        current, depth = pending.pop()
        node = current.producer()
        if node is None or depth > _MAX_NODES or values.sole_consumer(current) is None:
            continue
        if values.is_operator(node, "MatMul"):
            return True
        if values.is_operator(node, *_SCORE_OPERATORS):
            pending.extend((v, depth + 1) for v in node.inputs if v is not None)
        elif values.is_operator(node, "Where"):
            pending.extend((v, depth + 1) for v in node.inputs[1:] if v is not None)
    return False
