"""Operations that layers are made of: activations, normalisations, windows."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import elementwise, normalization
from modeldocs.loaders.keras import activations, shapes
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import OPERATIONS, Emit, computes
from modeldocs.loaders.keras.layers import convolution, layout, pooling
from modeldocs.loaders.keras.operations.elementwise import floating

_ACTIVATIONS = {
    "Relu": "relu",
    "Relu6": "relu6",
    "Selu": "selu",
    "Softplus": "softplus",
    "Softsign": "softsign",
    "HardSigmoid": "hard_sigmoid",
    "HardSilu": "hard_silu",
    "Silu": "silu",
}


def _activation(name: str) -> Emit:
    def emit(call: Call) -> ir.Value:
        return activations.ACTIVATIONS[name](call, floating(call, call.input), "")

    return emit


OPERATIONS.update({name: _activation(known) for name, known in _ACTIVATIONS.items()})


@computes("ReLU")
def rectified(call: Call) -> ir.Value:
    """`keras.activations.relu` with settings of its own."""
    operation = call.operation
    return activations.relu(
        call,
        call.input,
        slope=operation.negative_slope,
        maximum=operation.max_value,
        threshold=operation.threshold,
    )


@computes("LeakyRelu")
def leaky_relu(call: Call) -> ir.Value:
    """With a slope for what is negative."""
    return activations.relu(call, call.input, slope=call.operation.negative_slope)


@computes("Elu", "Celu")
def elu(call: Call) -> ir.Value:
    """Exponential for what is negative."""
    operator = type(call.operation).__name__
    alpha = float(call.operation.alpha)
    return call.node(operator, [floating(call, call.input)], alpha=alpha)


@computes("Gelu")
def gelu(call: Call) -> ir.Value:
    """Exact, or by tanh."""
    approximate = bool(call.operation.approximate)
    return activations.gelu(call, floating(call, call.input), approximate=approximate)


@computes("Softmax", "LogSoftmax")
def softmax(call: Call) -> ir.Value:
    """Along one axis, or over several at once."""
    axis, source = call.operation.axis, floating(call, call.input)
    operator = type(call.operation).__name__
    if isinstance(axis, int):
        return call.node(operator, [source], axis=axis)
    rank = len(call.shape())
    axes = range(rank) if axis is None else sorted(int(one) % rank for one in axis)
    listed = call.integers(list(axes), "axes")
    off = call.node("Sub", [source, call.node("ReduceLogSumExp", [source, listed], keepdims=1)])
    return off if operator == "LogSoftmax" else call.node("Exp", [off])


@computes("LogSigmoid")
def log_sigmoid(call: Call) -> ir.Value:
    """The logarithm of the sigmoid, safe for large numbers."""
    inner = call.node("Softplus", [call.node("Neg", [call.input])])
    return call.node("Neg", [inner])


@computes("HardTanh")
def hard_tanh(call: Call) -> ir.Value:
    """Kept between -1 and 1."""
    return activations.clip(call, call.input, -1.0, 1.0)


@computes("TanhShrink")
def tanh_shrink(call: Call) -> ir.Value:
    """Less its tanh."""
    return call.node("Sub", [call.input, call.node("Tanh", [call.input])])


@computes("SoftShrink", "HardShrink")
def shrink(call: Call) -> ir.Value:
    """Zero near zero; the rest nearer to it by as much, or as it is."""
    bound = float(call.operation.threshold)
    bias = bound if type(call.operation).__name__ == "SoftShrink" else 0.0
    return call.node("Shrink", [call.input], lambd=bound, bias=bias)


@computes("Glu")
def glu(call: Call) -> ir.Value:
    """One half times the sigmoid of the other."""
    axis = int(call.operation.axis)
    first, second = call.node_of_several("Split", [call.input], 2, axis=axis, num_outputs=2)
    return elementwise.gated_by_half(call, first, second)


@computes("OneHot")
def one_hot(call: Call) -> ir.Value:
    """A one at the place that a number names."""
    target = shapes.dtype(call.outputs[0].dtype)
    depth = call.number(int(call.operation.num_classes), ir.DataType.INT64, "depth")
    values = call.number(np.array([0, 1]), target, "values")
    indices = call.cast(call.input, ir.DataType.INT64)
    axis = int(call.operation.axis)
    return call.node("OneHot", [indices, depth, values], axis=axis)


@computes("BatchNorm")
def batch_norm(call: Call) -> ir.Value:
    """By given statistics."""
    source, axis = call.value("x"), int(call.operation.axis)
    channels = call.size(call.shape(source)[axis])
    scale, offset = (
        call.number(np.broadcast_to(fill, (channels,)), name=name)
        if call.arguments.get(name) is None
        else call.value(name)
        for name, fill in (("scale", 1.0), ("offset", 0.0))
    )
    operands = [scale, offset, call.value("mean"), call.value("variance")]
    return normalization.batch_normalization(
        call, source, operands, axis=axis, epsilon=float(call.operation.epsilon)
    )


@computes("Normalize")
def normalize(call: Call) -> ir.Value:
    """By the length of the vector, which counts as epsilon at least."""
    operation, source = call.operation, floating(call, call.input)
    if operation.order != 2:
        raise NotImplementedError(f"its length is of the order {operation.order}")
    axis = operation.axis
    axes = [axis] if isinstance(axis, int) else list(axis)
    epsilon = 1e-7 if operation.epsilon is None else float(operation.epsilon)
    return normalization.by_length(call, source, axes, epsilon)


@computes("MaxPool", "AveragePool")
def pool(call: Call) -> ir.Value:
    """The largest or the mean of each window."""
    return pooling.pool(call, type(call.operation).__name__)


@computes("Conv")
def conv(call: Call) -> ir.Value:
    """A convolution with a kernel of its own."""
    first = layout.to_first(call, call.value("inputs"))
    rank = len(call.shape(first)) - 2
    kernel = call.transpose(call.value("kernel"), [rank + 1, rank, *range(rank)])
    group = call.size(call.shape(first)[1]) // call.size(call.shape(kernel)[1])
    return layout.back(call, convolution.convolve(call, first, kernel, None, group=group))


@computes("DepthToSpace", "SpaceToDepth")
def depth_and_space(call: Call) -> ir.Value:
    """Channels as blocks of pixels, or the other way round."""
    operator, size = type(call.operation).__name__, int(call.operation.block_size)
    made = call.node(operator, [layout.to_first(call, call.input)], blocksize=size)
    return layout.back(call, made)
