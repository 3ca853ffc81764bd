"""Vectors divided by their lengths, which arrive in pieces."""

from __future__ import annotations

from typing import NamedTuple

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import Builder
from modeldocs.normal.idioms import matching

_SUMS = ("ReduceL2", "ReduceSum", "ReduceSumSquare")
_SMALL = 1e-5
"""What is added to a length, or its least, changes no number that is not nearly zero."""


EPSILON_MODE = "epsilon_mode"
"""How LpNormalization keeps a length from being zero: x / sqrt(sum of squares + epsilon²) where it
is not told, else one of these."""

ADDED, MINIMUM = "added", "minimum"
"""Lengths plus epsilon; lengths of epsilon at least."""


class _Length(NamedTuple):
    """A length along an axis, and what keeps it from being zero in which way."""

    axis: int
    epsilon: float
    mode: str


def lp_normalization(node: ir.Node, _: Builder) -> bool:
    """X by its length along one axis, however the length is kept from being zero."""
    if not values.is_operator(node, "Div", "Mul") or node.inputs[0] is None:
        return False
    for x, length in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        if node.op_type == "Mul":
            inverse = matching.producer(length, "Reciprocal")
            nodes = [inverse] if inverse is not None else []
            length = inverse.inputs[0] if inverse is not None else None
        else:
            nodes = []
        found = _length(x, length, nodes) if x is not None and length is not None else None
        if found is not None:
            settings = [ir.AttrInt64("axis", found.axis), ir.AttrInt64("p", 2)]
            if found.epsilon:
                settings += [ir.AttrFloat32("epsilon", found.epsilon)]
                settings += [ir.AttrString(EPSILON_MODE, found.mode)] if found.mode else []
            matching.replace([*reversed(nodes), node], "LpNormalization", [x], settings)
            return True
        if node.op_type == "Div":
            return False
    return False


def _length(x: ir.Value, value: ir.Value, nodes: list[ir.Node]) -> _Length | None:
    """The length of `x` that a value is, through what keeps it from being zero."""
    epsilon, mode, rooted = 0.0, "", False
    while (node := value.producer()) is not None:
        nodes.append(node)
        if values.is_operator(node, *_SUMS):
            axis = _reduction(node, x, nodes, rooted=rooted)
            return _Length(axis, epsilon, mode) if axis is not None else None
        if values.is_operator(node, "Sqrt") and not rooted:
            rooted = True
        elif values.is_operator(node, "Clip", "Max", "Add"):
            least = _least(node)
            if least is None or not 0 <= least <= _SMALL or epsilon:
                return None
            epsilon = least**0.5 if rooted else least
            mode = MINIMUM if node.op_type != "Add" else "" if rooted else ADDED
        elif not values.is_operator(node, "Expand"):
            return None
        above = next((v for v in node.inputs if v and values.constant(v) is None), None)
        if above is None:
            return None
        value = above
    return None


def _least(node: ir.Node) -> float | None:
    if node.op_type == "Clip":
        least, greatest = matching.bounds(node)
        return least if greatest is None else None
    return matching.constant_and_rest(node)[1]


def _reduction(node: ir.Node, x: ir.Value, nodes: list[ir.Node], *, rooted: bool) -> int | None:
    """The axis that squares of `x` are summed along."""
    axes = matching.reduced_axes(node)
    if axes is None or len(axes) != 1 or not values.attribute(node, "keepdims", 1):
        return None
    if node.op_type == "ReduceL2":
        return axes[0] if node.inputs[0] is x and not rooted else None
    if node.op_type == "ReduceSumSquare":
        return axes[0] if node.inputs[0] is x and rooted else None
    base = matching.squared(node.inputs[0])
    if base is None or base[0] is not x or not rooted:
        return None
    nodes.extend(base[1])
    return axes[0]
