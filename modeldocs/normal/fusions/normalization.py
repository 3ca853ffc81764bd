"""Normalizations that several nodes compute: batch with Scale, local response, and group."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.fusions import matching


def affine_batch_normalization(node: ir.Node, builder: GraphBuilder) -> bool:
    """BatchNormalization without scale and bias, then Mul and Add per channel (Caffe's Scale)."""
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
    settings = list(node.attributes.values())
    whole = matching.replace(absorbed, "BatchNormalization", operands, settings)
    # In training mode ONNX asks for the running statistics, whether they are read or not.
    whole.resize_outputs(len(node.outputs))
    for output in whole.outputs[1:]:
        output.name = builder.name(f"{whole.outputs[0].name}/statistics")
        output.type = whole.outputs[0].type
    return True


def _is_bare(node: ir.Node) -> bool:
    """Whether its scale is 1 and its bias is 0."""
    return values.uniform(node.inputs[1]) == 1 and values.uniform(node.inputs[2]) == 0


def _per_channel(
    node: ir.Node | None, operator: str, data: ir.Value, builder: GraphBuilder
) -> ir.Value | None:
    """The parameter that an operator combines with the channels of `data`."""
    if node is None or not values.is_operator(node, operator):
        return None
    other = next((value for value in node.inputs if value is not data), None)
    return matching.by_channel(other, data, builder)


def affine_layer_normalization(node: ir.Node, builder: GraphBuilder) -> bool:
    """LayerNormalization or RMSNormalization without a scale, then Mul, and Add, by arrays of its
    shape that depend on parameters alone.
    """
    if not _is_plain(node):
        return False
    scale = node.inputs[1]
    multiply = values.sole_consumer(node.outputs[0])
    gamma = _of_shape(multiply, "Mul", node.outputs[0], values.shape(scale), builder)
    if multiply is None or gamma is None:
        return False
    absorbed, operands = [node, multiply], [node.inputs[0], gamma]
    if node.op_type == "LayerNormalization":
        add = values.sole_consumer(multiply.outputs[0])
        beta = _of_shape(add, "Add", multiply.outputs[0], values.shape(scale), builder)
        if add is not None and beta is not None:
            absorbed, operands = [*absorbed, add], [*operands, beta]
    matching.replace(absorbed, node.op_type, operands, list(node.attributes.values()))
    return True


def _of_shape(
    node: ir.Node | None,
    operator: str,
    data: ir.Value,
    shape: tuple[int, ...] | None,
    builder: GraphBuilder,
) -> ir.Value | None:
    """What an operator combines with `data`, where that depends on parameters alone, in a shape."""
    if node is None or shape is None or not values.is_operator(node, operator):
        return None
    other = next((value for value in node.inputs if value is not data), None)
    dims = values.shape(other)
    if other is None or dims is None or dims[len(dims) - len(shape) :] != shape:
        return None
    if set(dims[: len(dims) - len(shape)]) - {1} or not matching.is_static(other):
        return None
    if dims == shape:
        return other
    return builder.at_start(builder.reshape(other, shape)) if values.is_parameter(other) else None


def local_response_normalization(node: ir.Node, _: GraphBuilder) -> bool:
    """X / (k + alpha * mean of squares over `size` channels) ** beta, PyTorch's LRN."""
    if not values.is_operator(node, "Div") or node.inputs[0] is None:
        return False
    source = node.inputs[0]
    power = matching.producer(node.inputs[1], "Pow")
    beta = values.scalar(power.inputs[1]) if power else None
    add = matching.producer(power.inputs[0], "Add") if power else None
    product, bias = matching.constant_and_rest(add)
    multiply = matching.producer(product, "Mul")
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
    """The number of channels that a pooling averages, with zeros beyond the ends; else None.

    The pooling reads (N, 1, C, …): the channels are its first spatial axis.
    """
    dims = pool.inputs[0].shape if pool.inputs[0] is not None else None
    kernel = tuple(values.attribute(pool, "kernel_shape", ()))
    if dims is None or source.shape is None or len(dims) != len(kernel) + 2 or len(dims) < 4:
        return None
    size, others = kernel[0], len(kernel) - 1
    pads = ((size - 1) // 2, *(0,) * others, size // 2, *(0,) * others)
    is_average = (
        (dims[1], dims[2]) == (1, source.shape[1])
        and kernel[1:] == (1,) * others
        and set(values.attribute(pool, "strides", (1,))) == {1}
        and set(values.attribute(pool, "dilations", (1,))) == {1}
        and tuple(values.attribute(pool, "pads", (0,) * len(pads))) == pads
        and bool(values.attribute(pool, "count_include_pad", 0) or size == 1)
    )
    return size if is_average else None


def group_normalization(node: ir.Node, builder: GraphBuilder) -> bool:
    """InstanceNormalization with a group as a channel, or LayerNormalization with a group as a row,
    then scale and bias per channel.
    """
    if not _is_of_rows(node):
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


def _is_of_rows(node: ir.Node) -> bool:
    """Whether it norms each row of (N, groups, rest) by itself, and does nothing else."""
    if values.is_operator(node, "InstanceNormalization"):
        return _is_bare(node)
    is_last = values.attribute(node, "axis", -1) in (-1, 2)
    return values.is_operator(node, "LayerNormalization") and is_last and _is_plain(node)


def _is_plain(node: ir.Node) -> bool:
    """Whether a norm has no scale, no bias, and one output that is read."""
    several = any(value.uses() for value in node.outputs[1:])
    bias = values.operand(node, 2)
    return (
        not several
        and values.uniform(node.inputs[1]) == 1
        and (bias is None or values.uniform(bias) == 0)
    )


def _groups(x: ir.Value | None, folded: ir.Value | None) -> int | None:
    """The number of groups that the channels of `x` are folded into: (N, groups, rest)."""
    dims, source_dims = (folded.shape if folded else None), (x.shape if x else None)
    if dims is None or source_dims is None or len(dims) != 3 or len(source_dims) < 3:
        return None
    if dims[0] != source_dims[0]:
        return None
    groups, channels = dims[1], source_dims[1]
    if not isinstance(groups, int) or not isinstance(channels, int) or channels % groups:
        return None
    return groups
