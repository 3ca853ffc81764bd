"""Normalisations that arrive in pieces."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.building import Builder
from modeldocs.normal.idioms import matching
from modeldocs.normal.idioms.algebra import uniform


def affine_batch_normalization(node: ir.Node, builder: Builder) -> bool:
    """BatchNormalization without gamma and beta, then Mul and Add per channel (Caffe's Scale)."""
    if not values.is_operator(node, "BatchNormalization") or not _is_bare(node):
        return False
    multiply = values.sole_consumer(node.outputs[0])
    gamma = _per_channel(multiply, "Mul", node.outputs[0], builder)
    if multiply is None or gamma is None:
        return False
    add = values.sole_consumer(multiply.outputs[0])
    beta = _per_channel(add, "Add", multiply.outputs[0], builder)
    operands = [node.inputs[0], gamma, beta or node.inputs[2], *node.inputs[3:5]]
    absorbed = [node, multiply, add] if add is not None and beta else [node, multiply]
    matching.replace(absorbed, "BatchNormalization", operands, list(node.attributes.values()))
    return True


def _is_bare(node: ir.Node) -> bool:
    return uniform(node.inputs[1]) == 1 and uniform(node.inputs[2]) == 0


def _per_channel(
    node: ir.Node | None, operator: str, data: ir.Value, builder: Builder
) -> ir.Value | None:
    """The parameter that an operator spreads over the channels of `data`."""
    if node is None or not values.is_operator(node, operator):
        return None
    other = next((value for value in node.inputs if value is not data), None)
    return matching.by_channel(other, data, builder)


def local_response_normalization(node: ir.Node, _: Builder) -> bool:
    """X / (k + alpha * mean of squares over `size` channels) ** beta, as PyTorch spells LRN."""
    if not values.is_operator(node, "Div") or node.inputs[0] is None:
        return False
    source = node.inputs[0]
    power = matching.producer(node.inputs[1], "Pow")
    beta = values.scalar(power.inputs[1]) if power else None
    add = matching.producer(power.inputs[0], "Add") if power else None
    scaled, bias = matching.constant_and_rest(add)
    multiply = matching.producer(scaled, "Mul")
    mean, alpha = matching.constant_and_rest(multiply)
    pool = matching.above(mean, "AveragePool", through=("Squeeze", "Reshape"))
    pooled = pool.inputs[0] if pool else None
    square = matching.above(pooled, "Mul", through=("Reshape", "Unsqueeze"))
    if None in (power, beta, add, bias, multiply, alpha, pool, square):
        return False
    assert square and pool and multiply and add and power
    size = _channels_averaged(pool, source)
    if size is None or list(square.inputs) != [source, source]:
        return False
    numbers = {"alpha": alpha, "beta": beta, "bias": bias}
    settings = [ir.AttrFloat32(name, number or 0.0) for name, number in numbers.items()]
    matching.replace(
        [square, pool, multiply, add, power, node],
        "LRN",
        [source],
        [*settings, ir.AttrInt64("size", size)],
    )
    return True


def _channels_averaged(pool: ir.Node, source: ir.Value) -> int | None:
    """How many channels around each a pool averages, missing ones as zeros; None for other pools.

    The pool sees N x 1 x C x …: the channels as its first spatial axis.
    """
    seen = pool.inputs[0].shape if pool.inputs[0] is not None else None
    kernel = tuple(values.attribute(pool, "kernel_shape", ()))
    if seen is None or source.shape is None or len(seen) != len(kernel) + 2 or len(seen) < 4:
        return None
    size, around = kernel[0], len(kernel) - 1
    pads = ((size - 1) // 2, *(0,) * around, size // 2, *(0,) * around)
    averages = (
        (seen[1], seen[2]) == (1, source.shape[1])
        and kernel[1:] == (1,) * around
        and set(values.attribute(pool, "strides", (1,))) == {1}
        and set(values.attribute(pool, "dilations", (1,))) == {1}
        and tuple(values.attribute(pool, "pads", (0,) * len(pads))) == pads
        and bool(values.attribute(pool, "count_include_pad", 0) or size == 1)
    )
    return size if averages else None


def group_normalization(node: ir.Node, builder: Builder) -> bool:
    """Instances of as many channels as there are groups, then scale and bias by channel."""
    if not values.is_operator(node, "InstanceNormalization") or not _is_bare(node):
        return False
    folded = matching.producer(node.inputs[0], "Reshape")
    unfolded = values.sole_consumer(node.outputs[0])
    x = folded.inputs[0] if folded else None
    groups = _groups(x, node.inputs[0])
    if not values.is_operator(unfolded, "Reshape") or unfolded is None or groups is None:
        return False
    if x is None or folded is None or values.shape(unfolded.outputs[0]) != values.shape(x):
        return False
    multiply = values.sole_consumer(unfolded.outputs[0])
    scale = _per_channel(multiply, "Mul", unfolded.outputs[0], builder)
    if multiply is None or scale is None:
        return False
    add = values.sole_consumer(multiply.outputs[0])
    bias = _per_channel(add, "Add", multiply.outputs[0], builder)
    if bias is None or add is None:
        return False
    epsilon = ir.AttrFloat32("epsilon", values.attribute(node, "epsilon", 1e-5))
    matching.replace(
        [folded, node, unfolded, multiply, add],
        "GroupNormalization",
        [x, scale, bias],
        [epsilon, ir.AttrInt64("num_groups", groups)],
    )
    return True


def _groups(x: ir.Value | None, folded: ir.Value | None) -> int | None:
    """Into how many instances the channels of `x` are folded: N x groups x rest."""
    dims, wide = (folded.shape if folded else None), (x.shape if x else None)
    if dims is None or wide is None or len(dims) != 3 or len(wide) < 3 or dims[0] != wide[0]:
        return None
    groups, channels = dims[1], wide[1]
    if not isinstance(groups, int) or not isinstance(channels, int) or channels % groups:
        return None
    return groups


_SUMS = ("ReduceL2", "ReduceSum", "ReduceSumSquare")
_SMALL = 1e-5
"""What is added to a length, or its least, changes no number that is not nearly zero."""


def lp_normalization(node: ir.Node, _: Builder) -> bool:
    """X by its length along one axis, however the length is kept from being zero."""
    if not values.is_operator(node, "Div", "Mul") or node.inputs[0] is None:
        return False
    for x, length in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        if node.op_type == "Mul":
            inverse = matching.producer(length, "Reciprocal")
            nodes = [inverse] if inverse is not None else []
            length = inverse.inputs[0] if inverse is not None else None
        else:
            nodes = []
        found = _length(x, length, nodes) if x is not None and length is not None else None
        if found is not None:
            axis, epsilon = found
            settings = [ir.AttrInt64("axis", axis), ir.AttrInt64("p", 2)]
            settings += [ir.AttrFloat32("epsilon", epsilon)] if epsilon else []
            matching.replace([*reversed(nodes), node], "LpNormalization", [x], settings)
            return True
        if node.op_type == "Div":
            return False
    return False


def _length(x: ir.Value, value: ir.Value, nodes: list[ir.Node]) -> tuple[int, float] | None:
    """The axis that a length is taken along, and what keeps it from being zero."""
    epsilon, rooted = 0.0, False
    while (node := value.producer()) is not None:
        nodes.append(node)
        if values.is_operator(node, *_SUMS):
            return _reduction(node, x, nodes, epsilon, rooted=rooted)
        if values.is_operator(node, "Sqrt") and not rooted:
            rooted = True
        elif values.is_operator(node, "Clip", "Max", "Add"):
            least = _least(node)
            if least is None or not 0 <= least <= _SMALL or epsilon:
                return None
            epsilon = least**0.5 if rooted else least
        elif not values.is_operator(node, "Expand"):
            return None
        above = next((v for v in node.inputs if v and values.constant(v) is None), None)
        if above is None:
            return None
        value = above
    return None


def _least(node: ir.Node) -> float | None:
    if node.op_type == "Clip":
        least, greatest = matching.bounds(node)
        return least if greatest is None else None
    return matching.constant_and_rest(node)[1]


def _reduction(
    node: ir.Node, x: ir.Value, nodes: list[ir.Node], epsilon: float, *, rooted: bool
) -> tuple[int, float] | None:
    axes = matching.reduced_axes(node)
    if axes is None or len(axes) != 1 or not values.attribute(node, "keepdims", 1):
        return None
    if node.op_type == "ReduceL2":
        return (axes[0], epsilon) if node.inputs[0] is x and not rooted else None
    if node.op_type == "ReduceSumSquare":
        return (axes[0], epsilon) if node.inputs[0] is x and rooted else None
    base = matching.squared(node.inputs[0])
    if base is None or base[0] is not x or not rooted:
        return None
    nodes.extend(base[1])
    return axes[0], epsilon
