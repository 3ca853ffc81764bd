"""Pools that are spelled as something else."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import permutations, values
from modeldocs.normal.builder import Builder
from modeldocs.normal.idioms import matching

_POOLS = {"ReduceMean": "GlobalAveragePool", "ReduceMax": "GlobalMaxPool"}


def global_pool(node: ir.Node, builder: Builder) -> bool:
    """A reduction over all axes but those of batch and channels: a global pool.

    The channels may lie on any axis, and the axes that are reduced be kept or not, or taken one
    after the other.
    """
    operator = _POOLS.get(node.op_type)
    if operator is None or node.domain not in values.DEFAULT_DOMAIN:
        return False
    source, axes, nodes = _reduced(node)
    rank = values.rank(source) or 0
    left = [axis for axis in range(1, rank) if axis not in axes]
    if source is None or rank < 4 or 0 in axes or len(left) != 1 or source.shape is None:
        return False
    channels, batch = source.shape[left[0]], source.shape[0]
    if left[0] != 1:
        order = permutations.channels_first(rank, left[0])
        source = builder.before(node, builder.transpose(source, order))
    pooled = builder.node(
        operator, [source], like=source, shape=[batch, channels, *(1,) * len(axes)]
    )
    origin.merge(pooled, *nodes)
    result = builder.before(node, pooled)
    if not values.attribute(node, "keepdims", 1):
        matching.replace([*nodes], "Flatten", [result], [ir.AttrInt64("axis", 1)])
    elif left[0] != 1:
        back = permutations.inverse(permutations.channels_first(rank, left[0]))
        matching.replace([*nodes], "Transpose", [result], [ir.AttrInt64s("perm", back)])
    else:
        matching.replace([*nodes], "Identity", [result], [])
    return True


def _reduced(node: ir.Node) -> tuple[ir.Value | None, tuple[int, ...], list[ir.Node]]:
    """What a chain of reductions reads, the axes that it takes of it, and its nodes."""
    source, axes = values.operand(node, 0), matching.reduced_axes(node) or ()
    first = matching.producer(source, node.op_type)
    if first is None or source is None or values.sole_consumer(source) is not node:
        return source, axes, [node]
    above, earlier, nodes = _reduced(first)
    left = list(range(values.rank(above) or 0))
    if not values.attribute(first, "keepdims", 1):
        left = [axis for axis in left if axis not in earlier]
    if not earlier or any(axis >= len(left) for axis in axes):
        return source, axes, [node]
    return above, tuple(sorted({*earlier, *(left[axis] for axis in axes)})), [*nodes, node]


def whole_window(node: ir.Node, _: Builder) -> bool:
    """An AveragePool whose one window is all of each channel: a global pool."""
    dims = values.shape(values.operand(node, 0))
    if not values.is_operator(node, "AveragePool") or dims is None or len(dims) < 3:
        return False
    window = tuple(values.attribute(node, "kernel_shape", ()))
    settings = [values.attribute(node, name, ()) for name in ("pads", "dilations")]
    plain = not any(settings[0]) and all(step == 1 for step in settings[1])
    made = values.shape(node.outputs[0])
    if window != dims[2:] or not plain or made is None or math.prod(made[2:]) != 1:
        return False
    matching.replace([node], "GlobalAveragePool", [node.inputs[0]], [])
    return True
