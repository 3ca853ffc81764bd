"""Weight normalization: a weight that is stored as a direction and the lengths of its slices.

`weight = length * direction / norm(direction)` (Salimans and Kingma, 2016), the norm over all axes
along which `length` has one element. The layer that reads the weight has both as its parameters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.normal import values


@dataclass(frozen=True)
class WeightNorm:
    """The nodes that compute a weight, `output`, of its direction and length over `axes`."""

    direction: ir.Value
    length: ir.Value
    axes: tuple[int, ...]
    output: ir.Value
    nodes: tuple[ir.Node, ...]


def weight_norms(nodes: Iterable[ir.Node]) -> Iterator[WeightNorm]:
    """All normalized weights of a graph."""
    for node in nodes:
        if values.is_operator(node, "ReduceL2") and values.is_parameter(node.inputs[0]):
            found = _around(node)
            if found is not None:
                yield found


def _around(norm: ir.Node) -> WeightNorm | None:
    """The product that a norm of a parameter divides: `length / norm * direction`, or `direction /
    norm * length`.
    """
    direction, axes = norm.inputs[0], _axes(norm)
    divide = values.sole_consumer(norm.outputs[0])
    if direction is None or axes is None or not values.is_operator(divide, "Div"):
        return None
    assert divide is not None
    multiply = values.sole_consumer(divide.outputs[0])
    if divide.inputs[1] is not norm.outputs[0] or not values.is_operator(multiply, "Mul"):
        return None
    assert multiply is not None
    other = next((one for one in multiply.inputs if one is not divide.outputs[0]), None)
    pair = (divide.inputs[0], other)
    lengths = [one for one in pair if one is not None and one is not direction]
    if len(lengths) != 1 or not values.is_parameter(lengths[0]):
        return None
    shape, length = values.shape(direction) or (), values.shape(lengths[0]) or ()
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    if math.prod(length) != math.prod(kept) or len(length) > len(kept):
        return None
    return WeightNorm(direction, lengths[0], axes, multiply.outputs[0], (norm, divide, multiply))


def _axes(norm: ir.Node) -> tuple[int, ...] | None:
    """The axes of a norm that keeps them; None for others."""
    array, rank = values.constant(values.operand(norm, 1)), values.rank(norm.inputs[0])
    if array is None or not rank or not values.attribute(norm, "keepdims", 1):
        return None
    return tuple(sorted(int(axis) % rank for axis in array.reshape(-1).tolist()))
