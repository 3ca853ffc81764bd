"""The parameters of recurrent layers as they read them, however they are stored."""

from __future__ import annotations

from collections import Counter

from modeldocs.ir import Layer, operators


def parameter_shapes(layer: Layer) -> dict[str, tuple[int, ...]]:
    """The shapes by role: W and R (rows, columns) for each direction, and all biases in one vector.

    Frameworks have gates in one weight or in several, along either axis, and one bias or two, whose
    number of values is told.
    """
    stored: Counter[str] = Counter()
    for parameter in layer.parameters:
        stored[parameter.role] += parameter.elements
    rows = operators.of(layer.operator).gates * _hidden(layer)
    shapes: dict[str, tuple[int, ...]] = {}
    for role, count in stored.items():
        is_matrix = role in ("W", "R") and rows and count % rows == 0
        name = "biases" if role == "B" else role
        shapes[name] = (rows, count // rows) if is_matrix else (count,)
    return shapes


def _hidden(layer: Layer) -> int:
    """The hidden size: that of the layer's steps; 0 where it is unknown."""
    last = (layer.outputs[0].shape or (None,))[-1]
    return last if isinstance(last, int) else 0
