"""Attention as normal form has it: batch x length x (heads · size), heads as attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from modeldocs.normal import permutations, values
from modeldocs.normal.attention import heads
from modeldocs.normal.attention.heads import Heads
from modeldocs.normal.attention.masks import Told
from modeldocs.normal.building import Builder

_HEADS_FIRST: permutations.Permutation = (0, 2, 1, 3)


@dataclass(frozen=True)
class Layout:
    """The heads of queries, keys and values."""

    query: Heads
    key: Heads
    value: Heads

    @property
    def result(self) -> Heads:
        """The heads of what attention gives: of queries, each as large as one of values."""
        return Heads(self.query.batch, self.query.count, self.query.length, self.value.size)


def heads_of(operands: Sequence[ir.Value], scaled: Sequence[ir.Node] = ()) -> Layout | None:
    """The heads of tensors of … x length x size; None where they do not fit.

    `scaled` are the nodes that queries and keys come from where numbers multiply them.
    """
    above = [held for node in scaled for held in node.inputs if held is not None]
    folded = max((heads.folded(held) or 0 for held in (*operands, *above)), default=0)
    grouped = heads.are_grouped(operands)
    found = [heads.in_groups(held) if grouped else heads.of(held, folded) for held in operands]
    q, k, v = found
    if q is None or k is None or v is None:
        return None
    fits = q.size == k.size and k.count == v.count and q.count % k.count == 0
    return Layout(q, k, v) if fits and q.batch == k.batch == v.batch else None


def emit(
    operands: Sequence[ir.Value],
    mask: Told,
    layout: Layout,
    settings: Sequence[ir.Attr],
    builder: Builder,
    at: ir.Node,
) -> ir.Node:
    """An Attention before a node, of operands of … x length x size."""
    query = joined(operands[0], layout.query, builder, at)
    sides = []
    for operand, told in zip(operands[1:], (layout.key, layout.value), strict=True):
        source = heads.shared(operand, builder, at)
        dims = values.shape(source) if source is not operand else None
        count = told.count
        if dims:
            count = dims[1] if len(dims) > 3 else dims[0] // told.batch
        shared = Heads(told.batch, count, told.length, told.size)
        sides.append((source, shared, operand, told))
    if len({held.count for _, held, _, _ in sides}) > 1:
        sides = [(operand, told, operand, told) for _, _, operand, told in sides]
    inputs = [query, *(joined(source, held, builder, at) for source, held, _, _ in sides)]
    if mask.value is not None:
        inputs.append(mask.value)
    attributes = [
        ir.AttrInt64("q_num_heads", layout.query.count),
        ir.AttrInt64("kv_num_heads", sides[0][1].count),
        *settings,
    ]
    if mask.causal:
        attributes.append(ir.AttrInt64("is_causal", 1))
    result = layout.result
    shape = [result.batch, result.length, result.count * result.size]
    made = builder.node("Attention", inputs, attributes, like=operands[2], shape=shape)
    builder.before(at, made)
    return made


def scale(number: float, size: int) -> list[ir.Attr]:
    """The scale as an attribute; none where it is the usual one but for rounding."""
    usual = math.isclose(number * math.sqrt(size), 1, rel_tol=1e-4)
    return [] if usual else [ir.AttrFloat32("scale", number)]


def joined(value: ir.Value, told: Heads, builder: Builder, at: ir.Node) -> ir.Value:
    """A tensor of … x heads x length x size as batch x length x (heads · size).

    One that has all heads on its last axis is that already.
    """
    whole = value.shape is not None and value.shape[-1] == told.count * told.size
    if values.rank(value) == 3 and (told.count == 1 or whole):
        return value
    if values.rank(value) != 4:
        wanted = [told.batch, told.count, told.length, told.size]
        value = builder.before(at, _reshape(value, wanted, builder))
    value = builder.before(at, builder.transpose(value, _HEADS_FIRST))
    wanted = [told.batch, told.length, told.count * told.size]
    return builder.before(at, _reshape(value, wanted, builder))


def apart(
    value: ir.Value, told: Heads, dims: Sequence[Any], builder: Builder, at: ir.Node
) -> ir.Value:
    """Batch x length x (heads · size) as the tensor of … x length x size that it stands for."""
    if told.count == 1 and len(dims) == 3:
        return value
    wanted = [told.batch, told.length, told.count, told.size]
    value = builder.before(at, _reshape(value, wanted, builder))
    value = builder.before(at, builder.transpose(value, _HEADS_FIRST))
    return value if len(dims) == 4 else builder.before(at, _reshape(value, dims, builder))


def _reshape(value: ir.Value, dims: Sequence[Any], builder: Builder) -> ir.Node:
    """A Reshape in which one dimension may be open, and those that stay may be symbolic."""
    held = list(value.shape or ())
    target = [
        dim if isinstance(dim, int) else 0 if held[index : index + 1] == [dim] else -1
        for index, dim in enumerate(dims)
    ]
    shape = builder.numbers(target, "shape/" + "x".join(map(str, target)))
    return builder.node("Reshape", [value, shape], like=value, shape=dims)
