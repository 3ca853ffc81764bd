"""Operations that one layer of Keras computes together."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from modeldocs.generators import syntax
from modeldocs.generators.operation import LoweredOperation

_ACTIVATED = ("layers.Conv", "layers.Dense", "layers.DepthwiseConv")

Renamed = dict[str, str]
"""The tensor that took the place of another, by the id of that."""


def merged(
    operations: Sequence[LoweredOperation], outputs: Sequence[str]
) -> tuple[list[LoweredOperation], Renamed]:
    """Operations with activations in the layers before them, and global pools without axes of 1.

    `outputs` are the ids of what the network returns.
    """
    uses = Counter(outputs)
    for one in operations:
        uses.update(syntax.values_of(one.expression))
    parts = Counter(part.key for one in operations for part in one.parts)
    makers: dict[str, LoweredOperation] = {}
    renamed: Renamed = {}
    kept: list[LoweredOperation] = []
    for one in operations:
        operation = _with_renamed(one, renamed)
        (read, *others) = syntax.values_of(operation.expression) or ("",)
        maker = makers.get(read) if not others and uses[read] == 1 else None
        joined = _joined(maker, operation, parts) if maker is not None else None
        if maker is not None and joined is not None:
            kept[next(i for i, own in enumerate(kept) if own is maker)] = joined
            makers[read] = joined
            renamed[one.results[0]] = read
            uses[read] = uses[one.results[0]]
            continue
        kept.append(operation)
        if len(operation.results) == 1:
            makers[operation.results[0]] = operation
    return kept, renamed


def _with_renamed(operation: LoweredOperation, renamed: Renamed) -> LoweredOperation:
    expression = syntax.substitute(
        operation.expression, lambda name: syntax.value(renamed.get(name, name)), syntax.part
    )
    return replace(operation, expression=expression)


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
