"""From a softmax up to the product of queries and keys: scales, masks and caps on the way."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import onnx_ir as ir

from modeldocs.normal import values, views
from modeldocs.normal.attention import parts, scalings
from modeldocs.normal.attention.parts import Mask
from modeldocs.normal.idioms import matching

_ON_THE_WAY = ("Mul", "Div", "Add", "Tanh", "Cast", "Transpose", *views.RESHAPES)
_REACH = 12
"""Nodes between a softmax and the product of queries and keys."""


@dataclass
class Scores:
    """What was found above a softmax, from the bottom up; `product` is of queries and keys."""

    scale: float = 1.0
    softcap: float = 0.0
    masks: list[Mask] = field(default_factory=list)
    factors: list[ir.Value] = field(default_factory=list)
    """Tensors that scale all scores of a head alike."""
    nodes: list[ir.Node] = field(default_factory=list)
    product: ir.Node | None = None
    turned: bool = False
    """Whether the product is of keys and queries, and turned behind it."""


def above(softmax: ir.Node) -> Scores | None:
    """The scores that a softmax reads; None where they are no product of queries and keys."""
    found = Scores()
    value = softmax.inputs[0]
    while value is not None and len(found.nodes) < _REACH:
        node = value.producer()
        if node is None or values.sole_consumer(value) is None:
            return None
        found.nodes.append(node)
        if values.is_operator(node, "MatMul"):
            found.product = node
            return found
        value = _before(node, found)
    return None


def _before(node: ir.Node, found: Scores) -> ir.Value | None:
    """The scores that a node reads, with what it does to them noted; None for another node."""
    if values.is_operator(node, "Cast", "Identity"):
        return node.inputs[0]
    if values.is_operator(node, *views.RESHAPES):
        return node.inputs[0] if _keeps_places(node) else None
    if values.is_operator(node, "Mul", "Div"):
        return _past_factor(node, found)
    if values.is_operator(node, "Tanh"):
        return _past_cap(node, found)
    if values.is_operator(node, "Transpose") and views.swaps_last(node):
        found.turned = not found.turned
        return node.inputs[0]
    if found.turned or found.factors or found.softcap:
        return None
    if values.is_operator(node, "Add") and found.scale > 0:
        for scores, added in (tuple(node.inputs), tuple(node.inputs)[::-1]):
            if scores is not None and added is not None and _leads_to_product(scores):
                found.masks.append(_added(added, node, found.scale))
                return scores
    if values.is_operator(node, "Where") and found.scale == 1:
        made = parts.of_where(node)
        if made is not None:
            found.masks.append(made[0])
            return made[1]
    return None


def _added(value: ir.Value, node: ir.Node, scale: float) -> Mask:
    """The mask that an Add adds, to scores that `scale` multiplies behind it."""
    return Mask(value, values.shape(node.outputs[0]), scale=scale)


def _keeps_places(node: ir.Node) -> bool:
    """Whether a Reshape leaves the axes of queries and keys alone."""
    before, after = values.shape(node.inputs[0]), values.shape(node.outputs[0])
    return before is not None and after is not None and before[-2:] == after[-2:]


def _past_factor(node: ir.Node, found: Scores) -> ir.Value | None:
    scores, number = scalings.factor(node)
    if scores is not None and number is not None:
        found.scale *= number
        return scores
    if node.op_type != "Mul" or found.softcap or found.turned:
        return None
    for value, other in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        dims = values.shape(other)
        flat = dims is not None and all(dim == 1 for dim in dims[-2:])
        if flat and value is not None and other is not None and _leads_to_product(value):
            found.factors.append(other)
            return value
    return None


def _past_cap(node: ir.Node, found: Scores) -> ir.Value | None:
    """The scores before cap * tanh(scores / cap): the cap was read as a scale."""
    inner = matching.producer(node.inputs[0], "Mul", "Div")
    scores, number = scalings.factor(inner) if inner is not None else (None, None)
    cap = found.scale
    if inner is None or scores is None or number is None or found.softcap or found.factors:
        return None
    if cap == 1 or not math.isclose(number * cap, 1, rel_tol=1e-5):
        return None
    found.softcap, found.scale = cap, 1.0
    found.nodes.append(inner)
    return scores


def _leads_to_product(value: ir.Value) -> bool:
    """Whether scores come from a product of two computed tensors."""
    waiting = [(value, 0)]
    while waiting:
        held, depth = waiting.pop()
        node = held.producer()
        if node is None or depth > _REACH or values.sole_consumer(held) is None:
            continue
        if values.is_operator(node, "MatMul"):
            return True
        if values.is_operator(node, *_ON_THE_WAY):
            waiting.extend((v, depth + 1) for v in node.inputs if v is not None)
        elif values.is_operator(node, "Where"):
            waiting.extend((v, depth + 1) for v in node.inputs[1:] if v is not None)
    return False
