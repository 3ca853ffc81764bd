"""Vectors divided by their L2 norms, as LpNormalization."""

from __future__ import annotations

from typing import NamedTuple

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.fusions import matching

_MAX_EPSILON = 1e-5
"""Largest epsilon of a norm: a larger one would do more than keep it from being 0."""

EPSILON_MODE = "epsilon_mode"
"""The attribute of LpNormalization for how epsilon keeps the norm above 0.

Without it the output is x / sqrt(sum of squares + epsilon²).
"""

ADDED, MINIMUM = "added", "minimum"
"""Modes: x / (norm + epsilon), and x / max(norm, epsilon)."""


class _Norm(NamedTuple):
    """An L2 norm along an axis, its epsilon, and the mode of that."""

    axis: int
    epsilon: float
    mode: str


def lp_normalization(node: ir.Node, _: GraphBuilder) -> bool:
    """X divided by its L2 norm along one axis, with any mode of epsilon."""
    if not values.is_operator(node, "Div", "Mul") or node.inputs[0] is None:
        return False
    for x, divisor in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        if node.op_type == "Mul":
            inverse = matching.producer(divisor, "Reciprocal")
            nodes = [inverse] if inverse is not None else []
            divisor = inverse.inputs[0] if inverse is not None else None
        else:
            nodes = []
        norm = _norm(x, divisor, nodes) if x is not None and divisor is not None else None
        if norm is not None:
            settings = [ir.AttrInt64("axis", norm.axis), ir.AttrInt64("p", 2)]
            if norm.epsilon:
                settings += [ir.AttrFloat32("epsilon", norm.epsilon)]
                settings += [ir.AttrString(EPSILON_MODE, norm.mode)] if norm.mode else []
            matching.replace([*reversed(nodes), node], "LpNormalization", [x], settings)
            return True
        if node.op_type == "Div":
            return False
    return False


def _norm(x: ir.Value, value: ir.Value, nodes: list[ir.Node]) -> _Norm | None:
    """The norm of `x` that a value is; the nodes that compute it are appended to `nodes`."""
    epsilon, mode, is_rooted = 0.0, "", False
    while (node := value.producer()) is not None:
        nodes.append(node)
        if values.is_operator(node, "ReduceL2", "ReduceSum", "ReduceSumSquare"):
            axis = _reduction(node, x, nodes, is_rooted=is_rooted)
            return _Norm(axis, epsilon, mode) if axis is not None else None
        if values.is_operator(node, "Sqrt") and not is_rooted:
            is_rooted = True
        elif values.is_operator(node, "Clip", "Max", "Add"):
            number = _guard(node)
            if number is None or not 0 <= number <= _MAX_EPSILON or epsilon:
                return None
            epsilon = number**0.5 if is_rooted else number
            if node.op_type == "Add" and is_rooted:
                mode = ""
            else:
                mode = ADDED if node.op_type == "Add" else MINIMUM
        elif not values.is_operator(node, "Expand"):
            return None
        source = next((v for v in node.inputs if v and values.constant(v) is None), None)
        if source is None:
            return None
        value = source
    return None


def _guard(node: ir.Node) -> float | None:
    """The number that a Clip, Max or Add keeps a norm above 0 by."""
    if node.op_type == "Clip":
        least, greatest = matching.bounds(node)
        return least if greatest is None else None
    return matching.constant_and_rest(node)[1]


def _reduction(node: ir.Node, x: ir.Value, nodes: list[ir.Node], *, is_rooted: bool) -> int | None:
    """The axis that squares of `x` are summed along; None for other reductions."""
    axes = matching.reduced_axes(node)
    if axes is None or len(axes) != 1 or not values.attribute(node, "keepdims", 1):
        return None
    if node.op_type == "ReduceL2":
        return axes[0] if node.inputs[0] is x and not is_rooted else None
    if node.op_type == "ReduceSumSquare":
        return axes[0] if node.inputs[0] is x and is_rooted else None
    square = matching.squared(node.inputs[0])
    if square is None or square[0] is not x or not is_rooted:
        return None
    nodes.extend(square[1])
    return axes[0]
