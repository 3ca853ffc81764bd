"""Rectifiers that are spelled as a choice: x where it is above zero, a part of it elsewhere."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import Builder
from modeldocs.normal.idioms import matching

_ABOVE = ("Greater", "GreaterOrEqual")
_BELOW = ("Less", "LessOrEqual")


def leaky(node: ir.Node, _: Builder) -> bool:
    """A Where on the sign of a tensor as a LeakyRelu, or as a Relu where nothing is left below."""
    if not values.is_operator(node, "Where"):
        return False
    asked = matching.producer(node.inputs[0], *_ABOVE, *_BELOW)
    if asked is None:
        return False
    x, above = _sign(asked)
    kept, bent = node.inputs[1:3] if above else node.inputs[2:0:-1]
    if x is None or kept is not x or x.dtype is None or not x.dtype.is_floating_point():
        return False
    if values.scalar(bent) == 0:
        matching.replace([asked, node], "Relu", [x], [])
        return True
    scaled = matching.producer(bent, "Mul")
    rest, slope = _times(scaled) if scaled is not None else (None, None)
    if scaled is None or rest is not x or slope is None:
        return False
    alpha = ir.AttrFloat32("alpha", slope)
    matching.replace([asked, scaled, node], "LeakyRelu", [x], [alpha])
    return True


def _sign(asked: ir.Node) -> tuple[ir.Value | None, bool]:
    """The tensor that is compared with 0, and whether the choice is of where it lies above."""
    left, right = asked.inputs
    above = asked.op_type in _ABOVE
    if values.scalar(right) == 0:
        return left, above
    return (right, not above) if values.scalar(left) == 0 else (None, above)


def _times(scaled: ir.Node) -> tuple[ir.Value | None, float | None]:
    first, second = scaled.inputs
    if values.scalar(second) is not None:
        return first, values.scalar(second)
    return second, values.scalar(first)
