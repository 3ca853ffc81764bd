"""Attention layers of normal form: operands (batch, length, heads · size), heads as attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.attention import heads
from modeldocs.normal.attention.heads import Heads
from modeldocs.normal.attention.masks import CombinedMask
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import permutations

_HEADS_FIRST: permutations.Permutation = (0, 2, 1, 3)


@dataclass(frozen=True)
class HeadLayout:
    """The heads of queries, keys and values."""

    query: Heads
    key: Heads
    value: Heads

    @property
    def result(self) -> Heads:
        """The heads of the output: as many as queries have, of the size of values."""
        return Heads(self.query.batch, self.query.count, self.query.length, self.value.size)


def heads_of(operands: Sequence[ir.Value], scaled: Sequence[ir.Node] = ()) -> HeadLayout | None:
    """The heads of operands of shape (…, length, size); None where they do not match.

    `scaled` are nodes before queries and keys that multiply them by numbers.
    """
    sources = [value for node in scaled for value in node.inputs if value is not None]
    folded = max((heads.folded_count(value) or 0 for value in (*operands, *sources)), default=0)
    if heads.are_grouped(operands):
        q, k, v = (heads.in_groups(value) for value in operands)
    else:
        q, k, v = (heads.of(value, folded) for value in operands)
    if q is None or k is None or v is None:
        return None
    fits = q.size == k.size and k.count == v.count and q.count % k.count == 0
    return HeadLayout(q, k, v) if fits and q.batch == k.batch == v.batch else None


def emit(
    operands: Sequence[ir.Value],
    mask: CombinedMask,
    layout: HeadLayout,
    settings: Sequence[ir.Attr],
    builder: GraphBuilder,
    at: ir.Node,
) -> ir.Node:
    """Insert an Attention before `at`, of operands of shape (…, length, size)."""
    repeated = list(zip(operands[1:], (layout.key, layout.value), strict=True))
    shared = []
    for operand, its_heads in repeated:
        source = heads.without_repeats(operand, builder, at)
        dims = values.shape(source) if source is not operand else None
        count = its_heads.count
        if dims:
            count = dims[1] if len(dims) > 3 else dims[0] // its_heads.batch
        shared.append((source, Heads(its_heads.batch, count, its_heads.length, its_heads.size)))
    if shared[0][1].count != shared[1][1].count:
        shared = repeated
    pairs = [(operands[0], layout.query), *shared]
    inputs = [merge_heads(source, its_heads, builder, at) for source, its_heads in pairs]
    if mask.value is not None:
        inputs.append(mask.value)
    attributes = [
        ir.AttrInt64("q_num_heads", layout.query.count),
        ir.AttrInt64("kv_num_heads", shared[0][1].count),
        *settings,
    ]
    if mask.causal:
        attributes.append(ir.AttrInt64("is_causal", 1))
    result = layout.result
    shape = [result.batch, result.length, result.count * result.size]
    node = builder.node("Attention", inputs, attributes, like=operands[2], shape=shape)
    builder.before(at, node)
    return node


def scale_attribute(number: float, size: int) -> list[ir.Attr]:
    """The scale as an attribute; none where it is the default 1 / √size, but for rounding."""
    is_default = math.isclose(number * math.sqrt(size), 1, rel_tol=1e-4)
    return [] if is_default else [ir.AttrFloat32("scale", number)]


def merge_heads(value: ir.Value, its_heads: Heads, builder: GraphBuilder, at: ir.Node) -> ir.Value:
    """A tensor (…, heads, length, size) as (batch, length, heads · size).

    A tensor with all heads on its last axis is returned as it is.
    """
    width = its_heads.count * its_heads.size
    is_merged = value.shape is not None and value.shape[-1] == width
    if values.rank(value) == 3 and (its_heads.count == 1 or is_merged):
        return value
    if values.rank(value) != 4:
        dims = [its_heads.batch, its_heads.count, its_heads.length, its_heads.size]
        value = builder.before(at, _reshape(value, dims, builder))
    value = builder.before(at, builder.transpose(value, _HEADS_FIRST))
    dims = [its_heads.batch, its_heads.length, width]
    return builder.before(at, _reshape(value, dims, builder))


def split_heads(
    value: ir.Value, its_heads: Heads, dims: Sequence[Any], builder: GraphBuilder, at: ir.Node
) -> ir.Value:
    """A tensor (batch, length, heads · size) as one of shape `dims`: (…, length, size)."""
    if its_heads.count == 1 and len(dims) == 3:
        return value
    separate = [its_heads.batch, its_heads.length, its_heads.count, its_heads.size]
    value = builder.before(at, _reshape(value, separate, builder))
    value = builder.before(at, builder.transpose(value, _HEADS_FIRST))
    return value if len(dims) == 4 else builder.before(at, _reshape(value, dims, builder))


def _reshape(value: ir.Value, dims: Sequence[Any], builder: GraphBuilder) -> ir.Node:
    """A Reshape to dimensions of which one may be unknown, and unchanged ones symbolic."""
    before = list(value.shape or ())
    target = [
        dim if isinstance(dim, int) else 0 if before[index : index + 1] == [dim] else -1
        for index, dim in enumerate(dims)
    ]
    shape = builder.numbers(target, "shape/" + "x".join(map(str, target)))
    return builder.node("Reshape", [value, shape], like=value, shape=dims)
