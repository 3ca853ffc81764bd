"""Operations that one layer of Keras computes together."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from modeldocs.generators import joining, syntax
from modeldocs.generators.joining import Renamed
from modeldocs.generators.operation import LoweredOperation

_ACTIVATED = ("layers.Conv", "layers.Dense", "layers.DepthwiseConv")


def merged(
    operations: Sequence[LoweredOperation], outputs: Sequence[str]
) -> tuple[list[LoweredOperation], Renamed]:
    """Operations with activations in the layers before them, and global pools without axes of 1.

    `outputs` are the ids of what the network returns.
    """
    return joining.joined(operations, outputs, _joined)


def _joined(
    first: LoweredOperation, second: LoweredOperation, parts: Counter[str]
) -> LoweredOperation | None:
    """Two operations as one; None where Keras has no layer that computes both."""
    layer = _layer_of(second)
    if layer is None:
        return None
    name = syntax.text(layer.func)
    if name == "layers.Activation" and len(first.parts) == 1 and parts[first.parts[0].key] == 1:
        return _activated(first, layer.args[0])
    pool = _layer_of(first)
    if name == "layers.Flatten" and pool is not None and "layers.Global" in syntax.text(pool.func):
        plain = copy.deepcopy(first.expression)
        assert isinstance(plain, ast.Call)
        plain.func = ast.Call(func=pool.func, args=[], keywords=[])
        return replace(first, expression=plain)
    return None


def _layer_of(operation: LoweredOperation) -> ast.Call | None:
    """The constructor of the layer without weights that an operation calls; None for others."""
    call = operation.expression
    is_layer = isinstance(call, ast.Call) and isinstance(call.func, ast.Call)
    return call.func if is_layer else None  # type: ignore[attr-defined]


def _activated(first: LoweredOperation, activation: ast.expr) -> LoweredOperation | None:
    """A layer with weights and the activation behind it."""
    (part,) = first.parts
    call = first.expression
    is_plain = isinstance(call, ast.Call) and syntax.is_part(call.func) == part.key
    constructor = copy.deepcopy(part.constructor)
    assert isinstance(constructor, ast.Call)
    settings = [one.arg for one in constructor.keywords]
    if not is_plain or "activation" in settings:
        return None
    if not syntax.text(constructor.func).startswith(_ACTIVATED):
        return None
    place = settings.index("use_bias")
    constructor.keywords.insert(place, ast.keyword(arg="activation", value=activation))
    return replace(first, parts=(replace(part, constructor=constructor),))
