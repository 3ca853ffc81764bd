"""Global pooling that other operators compute."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.ir import operators, origin
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import permutations
from modeldocs.normal.fusions import matching


def global_pool(node: ir.Node, builder: GraphBuilder) -> bool:
    """A reduction over all axes but those of batch and channels, as a global pooling.

    The channels may be any axis, the reduced axes kept or not, and reduced one after another.
    """
    one = operators.of(node.op_type)
    if not one.reduces or not one.over_plane or node.domain not in values.DEFAULT_DOMAIN:
        return False
    source, axes, nodes = _reduction(node)
    rank = values.rank(source) or 0
    remaining = [axis for axis in range(1, rank) if axis not in axes]
    if source is None or rank < 4 or 0 in axes or len(remaining) != 1 or source.shape is None:
        return False
    channels, batch = source.shape[remaining[0]], source.shape[0]
    if remaining[0] != 1:
        order = permutations.channels_first(rank, remaining[0])
        source = builder.before(node, builder.transpose(source, order))
    pooled = builder.node(
        one.over_plane, [source], like=source, shape=[batch, channels, *(1,) * len(axes)]
    )
    origin.merge(pooled, *nodes)
    result = builder.before(node, pooled)
    if not values.attribute(node, "keepdims", 1):
        matching.replace([*nodes], "Flatten", [result], [ir.AttrInt64("axis", 1)])
    elif remaining[0] != 1:
        back = permutations.inverse(permutations.channels_first(rank, remaining[0]))
        matching.replace([*nodes], "Transpose", [result], [ir.AttrInt64s("perm", back)])
    else:
        matching.replace([*nodes], "Identity", [result], [])
    return True


def _reduction(node: ir.Node) -> tuple[ir.Value | None, tuple[int, ...], list[ir.Node]]:
    """The operand of a chain of reductions, its axes that are reduced, and the nodes."""
    source, axes = values.operand(node, 0), matching.reduced_axes(node) or ()
    first = matching.producer(source, node.op_type)
    if first is None or source is None or values.sole_consumer(source) is not node:
        return source, axes, [node]
    operand, earlier, nodes = _reduction(first)
    left = list(range(values.rank(operand) or 0))
    if not values.attribute(first, "keepdims", 1):
        left = [axis for axis in left if axis not in earlier]
    if not earlier or any(axis >= len(left) for axis in axes):
        return source, axes, [node]
    return operand, tuple(sorted({*earlier, *(left[axis] for axis in axes)})), [*nodes, node]


def full_window(node: ir.Node, _: GraphBuilder) -> bool:
    """An AveragePool with one window over all of each channel, as a global pooling."""
    dims = values.shape(values.operand(node, 0))
    if not values.is_operator(node, "AveragePool") or dims is None or len(dims) < 3:
        return False
    window = tuple(values.attribute(node, "kernel_shape", ()))
    settings = [values.attribute(node, name, ()) for name in ("pads", "dilations")]
    is_plain = not any(settings[0]) and all(step == 1 for step in settings[1])
    output_dims = values.shape(node.outputs[0])
    if window != dims[2:] or not is_plain or output_dims is None:
        return False
    if math.prod(output_dims[2:]) != 1:
        return False
    matching.replace([node], "GlobalAveragePool", [node.inputs[0]], [])
    return True
