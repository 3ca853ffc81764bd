"""Emitters of Caffe's normalizations."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.caffe.format.record import CaffeMessage
from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.emission import normalization
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Outputs


@emits("BatchNorm")
def batch_norm(op: CaffeOperation) -> Outputs:
    """BatchNormalization with a scale of ones and a bias of zeros, which a Scale layer may follow.

    Caffe's third blob divides the two others. ONNX has no operand for it, so it is a parameter
    that no node reads: whoever fills in weights divides mean and variance by it.
    """
    param, shape = op.param("batch_norm_param"), op.shape()
    mean = op.parameter("mean", (shape[1] if len(shape) > 1 else 1,), 0, trainable=False)
    (channels,) = shape_of(mean)
    variance = op.parameter("var", (channels,), 1, trainable=False)
    factor = op.parameter("scale_factor", (1,), 2, trainable=False)
    if param.flag("scale_bias"):  # NVIDIA's fork has a scale and a bias of its own
        scale = op.parameter("scale", (channels,), 3)
        bias = op.parameter("bias", (channels,), 4)
    elif isinstance(channels, int):
        scale, bias = op.filled(channels, 1), op.filled(channels, 0)
    else:
        operands = [op.input(), mean, variance, factor]
        return op.opaque([shape], param="batch_norm_param", inputs=operands)
    stored = param.get("use_global_stats")
    training = op.phase != "TEST" if stored is None else not stored
    momentum = param.number("moving_average_fraction")
    return [_normalized(op, [scale, bias, mean, variance], param, momentum, training=training)]


def _normalized(
    op: CaffeOperation,
    operands: list[ir.Value],
    param: CaffeMessage,
    momentum: float,
    *,
    training: bool,
) -> ir.Value:
    return normalization.batch_normalization(
        op,
        op.input(),
        operands,
        epsilon=param.number("eps"),
        momentum=momentum if training else None,
        training=training,
    )


@emits("BN")
def batch_norm_of_forks(op: CaffeOperation) -> Outputs:
    """The batch normalization of two forks, whose scale and shift are blobs of its own.

    PSPNet's has blobs of mean and variance, too. SegNet's has a `bn_mode`: INFERENCE only scales
    and shifts, the statistics being multiplied into both; LEARN, its default, normalizes by the
    statistics of the batch.
    """
    param, shape = op.param("bn_param"), op.shape(least=2)
    channels = shape[1]
    of_segnet = param.has("scale_filler") or param.has("shift_filler")
    mode = param.text("bn_mode") or ("LEARN" if of_segnet else "")
    if mode == "INFERENCE":
        wide = (channels, *[1] * (len(shape) - 2))
        scaled = op.node("Mul", [op.input(), op.parameter("scale", wide, 0)])
        return [op.node("Add", [scaled, op.parameter("shift", wide, 1)])]
    operands = [op.parameter("scale", (channels,), 0), op.parameter("shift", (channels,), 1)]
    training = mode == "LEARN"
    if not training:
        operands.append(op.parameter("mean", (channels,), 2, trainable=False))
        operands.append(op.parameter("var", (channels,), 3, trainable=False))
    elif isinstance(channels, int):
        operands += [op.filled(channels, 0), op.filled(channels, 1)]
    else:
        return op.opaque([shape], param="bn_param", inputs=[op.input(), *operands])
    return [_normalized(op, operands, param, param.number("momentum"), training=training)]


@emits("LRN")
def lrn(op: CaffeOperation) -> Outputs:
    """LRN across channels, where both divide alpha by the size, or within each channel."""
    param = op.param("lrn_param")
    size = param.integer("local_size")
    if size % 2 == 0:
        raise op.error(f"has the even size {size}", at="lrn_param", fix="use an odd size")
    if param.text("norm_region") == "WITHIN_CHANNEL":
        return _within_channel(op, param, size)
    alpha, beta, bias = (param.number(name) for name in ("alpha", "beta", "k"))
    return [op.node("LRN", [op.input()], size=size, alpha=alpha, beta=beta, bias=bias)]


def _within_channel(op: CaffeOperation, param: CaffeMessage, size: int) -> Outputs:
    """X / (1 + alpha · mean of squares in a window) ** beta; pads count as zeros."""
    op.shape(least=4)
    square = op.node("Mul", [op.input(), op.input()])
    mean = op.node(
        "AveragePool",
        [square],
        kernel_shape=[size, size],
        strides=[1, 1],
        pads=[size // 2] * 4,
        count_include_pad=1,
    )
    scaled = op.node("Mul", [mean, op.scalar(param.number("alpha"))])
    shifted = op.node("Add", [scaled, op.scalar(1)])
    power = op.node("Pow", [shifted, op.scalar(param.number("beta"))])
    return [op.node("Div", [op.input(), power])]


@emits("MVN")
def mvn(op: CaffeOperation) -> Outputs:
    """MeanVarianceNormalization of each channel or sample, which has an epsilon of 1e-9.

    With another epsilon, or without the variance, it is written as single operators; Caffe adds
    epsilon to the standard deviation, not to the variance.
    """
    param = op.param("mvn_param")
    first = 1 if param.flag("across_channels") else 2
    shape = op.shape(least=first + 1)
    axes = list(range(first, len(shape)))
    epsilon, by_variance = param.number("eps"), param.flag("normalize_variance")
    if by_variance and epsilon == 1e-9:
        return [op.node("MeanVarianceNormalization", [op.input()], axes=axes)]
    over = op.integers(axes, "axes")
    mean = op.node("ReduceMean", [op.input(), over], keepdims=1)
    centred = op.node("Sub", [op.input(), mean])
    if not by_variance:
        return [centred]
    square = op.node("Mul", [centred, centred])
    variance = op.node("ReduceMean", [square, over], keepdims=1)
    divisor = op.node("Add", [op.node("Sqrt", [variance]), op.scalar(epsilon)])
    return [op.node("Div", [centred, divisor])]


@emits("Normalize")
def normalize(op: CaffeOperation) -> Outputs:
    """SSD's L2 normalization, over the channels or all of a sample, times a learned scale."""
    param, shape = op.param("norm_param"), op.shape(least=2)
    axes = list(range(1, len(shape))) if param.flag("across_spatial") else [1]
    unit = normalization.by_norm(op, op.input(), axes, "Add", param.number("eps"))
    count = (1,) if param.flag("channel_shared") else shape[1:2]
    trailing = (1,) * (len(shape) - 2) if len(count) < len(shape) and count != (1,) else ()
    return [op.node("Mul", [unit, op.parameter("scale", (*count, *trailing), 0)])]
