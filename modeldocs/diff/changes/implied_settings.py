"""Attributes that a layer does not declare, and that follow from the shape of its input."""

from __future__ import annotations

import math
from typing import Any

from modeldocs.diff.function.attributes import frozen
from modeldocs.diff.function.windows import input_shape
from modeldocs.ir import Layer

Difference = tuple[str, Any, Any, str, Any]


def with_implied(a: Layer, b: Layer, differences: list[Difference]) -> list[Difference]:
    """The differing attributes of two layers, with the value that one of them only implies.

    An Attention without a scale divides by the square root of the width of a head. Where the other
    declares that very number, they do not differ.
    """
    if a.operator != "Attention" or all(name != "scale" for name, *_ in differences):
        return differences
    implied = []
    for name, before, after, consequence, merge_key in differences:
        if name == "scale":
            before = scale(a) if before is None else before
            after = scale(b) if after is None else after
            if before == after:
                continue
        implied.append((name, before, after, consequence, merge_key))
    return implied


def scale(layer: Layer) -> Any:
    """The factor of an Attention's scores, None where the width of a head is not known."""
    declared = layer.attributes.get("scale")
    if declared is not None:
        return frozen(declared)
    shape = input_shape(layer) or ()
    width = shape[-1] if shape else None
    if len(shape) == 3:  # heads side by side in the last axis
        heads = layer.attributes.get("q_num_heads") or layer.attributes.get("num_heads")
        width = width // heads if isinstance(width, int) and isinstance(heads, int) else None
    return frozen(1 / math.sqrt(width)) if isinstance(width, int) and width else None
