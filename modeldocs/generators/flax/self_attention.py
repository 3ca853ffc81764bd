"""Attention with its projections, which `nnx.MultiHeadAttention` computes together."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from modeldocs.generators import syntax
from modeldocs.generators.flax.projections import Projection, projection, projections_of
from modeldocs.generators.operation import LoweredOperation, Part
from modeldocs.generators.syntax import call

_ATTENTION = "jax.nn.dot_product_attention"
_NAMES = ("query", "key", "value", "out")
_OPERANDS = 3


def together(
    operations: Sequence[LoweredOperation], outputs: Sequence[str]
) -> list[LoweredOperation]:
    """Operations, with each attention and its projections as one.

    `outputs` are the ids of what the network returns.
    """
    uses = Counter(outputs)
    for one in operations:
        uses.update(syntax.values_of(one.expression))
    shared = Counter(part.key for one in operations for part in one.parts)
    makers = {name: one for one in operations for name in one.results}
    replaced: dict[int, LoweredOperation] = {}
    gone: set[int] = set()
    for last in operations:
        found = _found(last, makers)
        if found is None or any(shared[key] > 1 for key in found.parts()):
            continue
        inner = found.inner()
        if all(uses[name] == 1 for one in inner for name in one.results):
            replaced[id(last)] = found.operation()
            gone |= {id(one) for one in inner}
    return [replaced.get(id(one), one) for one in operations if id(one) not in gone]


@dataclass(frozen=True)
class _ProjectedAttention:
    """An attention, what projects its queries, keys, values and results, and the last operation.

    `heads` are those of the queries and of the keys.
    """

    last: LoweredOperation
    attention: LoweredOperation
    projections: tuple[Projection, ...]
    heads: tuple[int, int]
    is_causal: bool

    def inner(self) -> list[LoweredOperation]:
        """The operations before the last one."""
        each = [one for own in self.projections[:_OPERANDS] for one in own.operations]
        return [self.attention, *{id(one): one for one in each}.values()]

    def parts(self) -> list[str]:
        """The keys of its members."""
        return [part.key for one in (*self.inner(), self.last) for part in one.parts]

    def operation(self) -> LoweredOperation:
        """All of it as one."""
        (own,) = self.last.parts
        weights = {
            f"{name}.{attribute}": weight
            for name, one in zip(_NAMES, self.projections, strict=True)
            for attribute, weight in one.weights.items()
        }
        part = Part(own.key, self._constructor(), own.name, weights)
        read = [one.read for one in self.projections[:_OPERANDS]]
        while len(read) > 1 and read[-1] == read[-2]:
            read.pop()
        settings = {"is_causal": True} if self.is_causal else {}
        expression = call(syntax.part(part.key), *map(syntax.value, read), **settings)
        return replace(self.last, expression=expression, parts=(part,))

    def _constructor(self) -> ast.expr:
        query, key, _, out = self.projections
        others = {
            "qkv_features": query.outputs,
            "out_features": out.outputs,
            "in_kv_features": key.inputs,
        }
        settings = {name: size for name, size in others.items() if size != query.inputs}
        if self.heads[0] != self.heads[1]:
            settings["num_kv_heads"] = self.heads[1]
        return call(
            "nnx.MultiHeadAttention",
            num_heads=self.heads[0],
            in_features=query.inputs,
            **settings,
            use_bias=out.use_bias,
            decode=False,
        )


def _found(
    last: LoweredOperation, makers: Mapping[str, LoweredOperation]
) -> _ProjectedAttention | None:
    """The attention whose result an operation projects; None where there is none, or one that does
    more than the layer.
    """
    out = projection(last)
    attention = makers.get(out.read) if out is not None else None
    parsed = _parsed(attention.expression) if attention is not None else None
    if out is None or attention is None or parsed is None:
        return None
    sources, heads, is_causal = parsed
    operands = projections_of(sources, makers)
    if operands is None:
        return None
    _, key, value = operands
    is_alike = len({one.use_bias for one in (*operands, out)}) == 1
    if not is_alike or (key.inputs, key.outputs) != (value.inputs, value.outputs):
        return None
    return _ProjectedAttention(last, attention, (*operands, out), heads, is_causal)


def _parsed(expression: ast.expr) -> tuple[list[str], tuple[int, int], bool] | None:
    """The tensors that an attention of rows reads, its heads, and whether it is causal; None for
    others.
    """
    outer = _reshaped(expression)
    attention = outer[0] if outer is not None else None
    if not isinstance(attention, ast.Call) or syntax.text(attention.func) != _ATTENTION:
        return None
    settings = {one.arg: syntax.constant_of(one.value) for one in attention.keywords}
    is_causal = settings.pop("is_causal", None) == (True,)
    if any(value != (None,) for value in settings.values()):
        return None
    split = [_reshaped(one) for one in attention.args]
    names = [name for one in split if one and (name := syntax.is_value(one[0])) is not None]
    heads = [one[1][2] for one in split if one and len(one[1]) == 4]
    if len(names) != _OPERANDS or len(heads) != _OPERANDS:
        return None
    return names, (heads[0], heads[1]), is_causal


def _reshaped(expression: ast.expr) -> tuple[ast.expr, list[int]] | None:
    """A tensor and the sizes that it is reshaped to; None for other expressions."""
    if not isinstance(expression, ast.Call) or not isinstance(expression.func, ast.Attribute):
        return None
    sizes = [syntax.constant_of(one) for one in expression.args]
    known = [one[0] for one in sizes if one is not None and isinstance(one[0], int)]
    is_reshape = expression.func.attr == "reshape" and len(known) == len(sizes)
    return (expression.func.value, known) if is_reshape else None
