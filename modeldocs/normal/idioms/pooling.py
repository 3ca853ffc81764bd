"""Pools that are spelled as something else."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs import origin
from modeldocs.normal import values
from modeldocs.normal.building import Builder
from modeldocs.normal.idioms import matching

_POOLS = {"ReduceMean": "GlobalAveragePool", "ReduceMax": "GlobalMaxPool"}


def global_pool(node: ir.Node, builder: Builder) -> bool:
    """A reduction over all spatial axes of N x C x H x W: a global pool, its axes kept or not."""
    operator = _POOLS.get(node.op_type)
    source = values.operand(node, 0)
    if operator is None or source is None or node.domain not in values.DEFAULT_DOMAIN:
        return False
    rank = values.rank(source) or 0
    dims = source.shape
    if rank < 4 or dims is None or matching.reduced_axes(node) != tuple(range(2, rank)):
        return False
    if values.attribute(node, "keepdims", 1):
        matching.replace([node], operator, [source], [])
        return True
    shape = [*dims[:2], *(1,) * (rank - 2)]
    pooled = builder.node(operator, [source], like=source, shape=shape)
    origin.merge(pooled, node)
    builder.before(node, pooled)
    matching.replace([node], "Flatten", [pooled.outputs[0]], [ir.AttrInt64("axis", 1)])
    return True
