"""Normalisations that arrive in pieces."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs import origin
from modeldocs.normal import values
from modeldocs.normal.idioms import matching


def affine_batch_normalization(node: ir.Node) -> bool:
    """BatchNormalization without gamma and beta, then Mul and Add per channel (Caffe's Scale)."""
    if not values.is_operator(node, "BatchNormalization") or not _is_bare(node):
        return False
    multiply = _next_with_parameter(node, "Mul")
    if multiply is None:
        return False
    gamma = matching.parameter_operand(multiply)
    add = _next_with_parameter(multiply, "Add")
    beta = matching.parameter_operand(add)
    channels = values.shape(node.inputs[3])
    if gamma is None or not _per_channel(gamma, channels) or not _per_channel(beta, channels):
        return False
    operands = [node.inputs[0], _flat(gamma), _flat(beta) or node.inputs[2], *node.inputs[3:5]]
    absorbed = [node, multiply, add] if add is not None else [node, multiply]
    matching.replace(absorbed, "BatchNormalization", operands, list(node.attributes.values()))
    return True


def _is_bare(node: ir.Node) -> bool:
    scale, shift = values.constant(node.inputs[1]), values.constant(node.inputs[2])
    return (
        scale is not None and shift is not None and bool((scale == 1).all() and (shift == 0).all())
    )


def _next_with_parameter(node: ir.Node, operator: str) -> ir.Node | None:
    consumer = values.sole_consumer(node.outputs[0])
    matches = values.is_operator(consumer, operator)
    return consumer if matches and matching.parameter_operand(consumer) else None


def _per_channel(value: ir.Value | None, channels: tuple[int, ...] | None) -> bool:
    if value is None:
        return True
    dims = values.shape(value)
    return dims is not None and channels is not None and math.prod(dims) == channels[0] == max(dims)


def _flat(value: ir.Value | None) -> ir.Value | None:
    """The per-channel parameter as a vector, as BatchNormalization holds it."""
    if value is not None and value.dtype is not None:
        count = (math.prod(values.shape(value) or ()),)
        value.shape = ir.Shape(count)
        value.const_value = origin.absent_tensor(str(value.name), count, value.dtype)
    return value


def local_response_normalization(node: ir.Node) -> bool:
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


def layer_normalization(node: ir.Node) -> bool:
    """(x - mean) / sqrt(var + epsilon) * scale + bias over the last axes."""
    if not values.is_operator(node, "Add"):
        return False
    shift = matching.parameter_operand(node)
    multiply = matching.first_producer(node, "Mul")
    scale = matching.parameter_operand(multiply)
    divide = matching.first_producer(multiply, "Div")
    centred = matching.producer(divide.inputs[0], "Sub") if divide else None
    root = matching.producer(divide.inputs[1], "Sqrt") if divide else None
    shifted = matching.producer(root.inputs[0], "Add") if root else None
    variance, epsilon = matching.constant_and_rest(shifted)
    averaged = matching.producer(variance, "ReduceMean")
    if None in (shift, scale, centred, averaged, epsilon):
        return False
    assert multiply and divide and root and shifted and averaged and centred and scale
    assert epsilon is not None
    square = averaged.inputs[0].producer() if averaged.inputs[0] else None
    mean = matching.producer(centred.inputs[1], "ReduceMean")
    axes = values.rank(scale)
    if (
        square is None
        or mean is None
        or mean.inputs[0] is not centred.inputs[0]
        or not _is_square(square, centred.outputs[0])
        or not (_over_last(mean, axes) and _over_last(averaged, axes))
        or values.shape(shift) != values.shape(scale)
    ):
        return False
    matching.replace(
        [mean, centred, square, averaged, shifted, root, divide, multiply, node],
        "LayerNormalization",
        [centred.inputs[0], scale, shift],
        [ir.AttrFloat32("epsilon", epsilon), ir.AttrInt64("axis", -(axes or 1))],
    )
    return True


def _is_square(node: ir.Node, value: ir.Value) -> bool:
    if values.is_operator(node, "Pow"):
        return node.inputs[0] is value and values.scalar(node.inputs[1]) == 2
    return values.is_operator(node, "Mul") and list(node.inputs) == [value, value]


def _over_last(mean: ir.Node, count: int | None) -> bool:
    """Whether a mean is taken over the last `count` axes, which stay as axes of one element."""
    rank = values.rank(mean.inputs[0])
    operand = values.constant(values.operand(mean, 1))
    axes = operand.reshape(-1).tolist() if operand is not None else None
    axes = axes if axes is not None else values.attribute(mean, "axes")
    if not rank or axes is None or count is None or not values.attribute(mean, "keepdims", 1):
        return False
    return sorted(axis % rank for axis in axes) == list(range(rank - count, rank))
