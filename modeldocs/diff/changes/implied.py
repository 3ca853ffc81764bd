"""Settings that a layer leaves out and that follow from the sizes of what it reads."""

from __future__ import annotations

import math
from typing import Any

from modeldocs.diff.function.attributes import frozen
from modeldocs.diff.function.windows import input_shape
from modeldocs.ir import Layer

Told = tuple[str, Any, Any, str, Any]


def declared(a: Layer, b: Layer, told: list[Told]) -> list[Told]:
    """What two layers state differently, with the number that one of them only implies.

    An Attention without a scale divides by the root of the width of a head. Where the other
    states that very number there is nothing to tell.
    """
    if a.operator != "Attention" or all(name != "scale" for name, *_ in told):
        return told
    found = []
    for name, before, after, means, alike in told:
        if name == "scale":
            before = scale(a) if before is None else before
            after = scale(b) if after is None else after
            if before == after:
                continue
        found.append((name, before, after, means, alike))
    return found


def scale(layer: Layer) -> Any:
    """By what an Attention multiplies its scores, None where the width of a head is not known."""
    given = layer.attributes.get("scale")
    if given is not None:
        return frozen(given)
    shape = input_shape(layer) or ()
    width = shape[-1] if shape else None
    if len(shape) == 3:  # heads side by side in the last axis
        heads = layer.attributes.get("q_num_heads") or layer.attributes.get("num_heads")
        width = width // heads if isinstance(width, int) and isinstance(heads, int) else None
    return frozen(1 / math.sqrt(width)) if isinstance(width, int) and width else None
