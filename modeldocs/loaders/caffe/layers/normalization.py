"""Normalization: BatchNorm, LRN, MVN and SSD's Normalize."""

from __future__ import annotations

from typing import Any

from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.caffe.record import Record
from modeldocs.loaders.emission import normalization
from modeldocs.loaders.emission.inference import shape_of


@emits("BatchNorm")
def batch_norm(layer: CaffeLayer) -> Tops:
    """BatchNormalization with a scale of ones and a bias of zeros: those are a Scale layer's.

    Caffe's third blob divides the two others. ONNX has no operand for it, so it is declared and
    read by no node: whoever fills in weights divides mean and variance by it.
    """
    param, shape = layer.param("batch_norm_param"), layer.shape()
    channels = shape[1] if len(shape) > 1 else 1
    mean = layer.parameter("mean", (channels,), 0, trainable=False)
    (channels,) = shape_of(mean)
    var = layer.parameter("var", (channels,), 1, trainable=False)
    factor = layer.parameter("scale_factor", (1,), 2, trainable=False)
    if param.flag("scale_bias"):  # NVIDIA's fork has a scale and a bias of its own
        scale, bias = (
            layer.parameter("scale", (channels,), 3),
            layer.parameter("bias", (channels,), 4),
        )
    elif isinstance(channels, int):
        scale, bias = layer.filled(channels, 1), layer.filled(channels, 0)
    else:
        operands = [layer.bottom(), mean, var, factor]
        return layer.opaque([shape], param="batch_norm_param", inputs=operands)
    operands = [layer.bottom(), scale, bias, mean, var]
    attributes: dict[str, Any] = {"epsilon": param.number("eps")}
    if _uses_stored_statistics(layer):
        return [layer.node("BatchNormalization", operands, **attributes)]
    attributes |= {"momentum": param.number("moving_average_fraction"), "training_mode": 1}
    return layer.node_of_several("BatchNormalization", operands, 3, **attributes)[:1]


def _uses_stored_statistics(layer: CaffeLayer) -> bool:
    stored = layer.param("batch_norm_param").get("use_global_stats")
    return layer.phase == "TEST" if stored is None else bool(stored)


@emits("BN")
def forks_batch_norm(layer: CaffeLayer) -> Tops:
    """The batch normalization of two forks, whose scale and shift are blobs of its own.

    PSPNet's keeps mean and variance, too. SegNet's has a `bn_mode`: INFERENCE only scales and
    shifts, since its statistics were multiplied into both; LEARN, which it is unless told
    otherwise, takes the batch's.
    """
    param, shape = layer.param("bn_param"), layer.shape(least=2)
    channels = shape[1]
    segnets = param.has("scale_filler") or param.has("shift_filler")
    mode = param.text("bn_mode") or ("LEARN" if segnets else "")
    if mode == "INFERENCE":
        wide = (channels, *[1] * (len(shape) - 2))
        scaled = layer.node("Mul", [layer.bottom(), layer.parameter("scale", wide, 0)])
        return [layer.node("Add", [scaled, layer.parameter("shift", wide, 1)])]
    operands = [
        layer.bottom(),
        layer.parameter("scale", (channels,), 0),
        layer.parameter("shift", (channels,), 1),
    ]
    attributes: dict[str, Any] = {"epsilon": param.number("eps")}
    if mode == "LEARN":
        if not isinstance(channels, int):
            return layer.opaque([shape], param="bn_param", inputs=operands)
        zeros, ones = layer.filled(channels, 0), layer.filled(channels, 1)
        attributes |= {"momentum": param.number("momentum"), "training_mode": 1}
        operands += [zeros, ones]
        return layer.node_of_several("BatchNormalization", operands, 3, **attributes)[:1]
    operands.append(layer.parameter("mean", (channels,), 2, trainable=False))
    operands.append(layer.parameter("var", (channels,), 3, trainable=False))
    return [layer.node("BatchNormalization", operands, **attributes)]


@emits("LRN")
def lrn(layer: CaffeLayer) -> Tops:
    """LRN: Caffe divides alpha by the window's size across channels, as ONNX does."""
    param = layer.param("lrn_param")
    size = param.integer("local_size")
    if size % 2 == 0:
        raise layer.error(f"has the even size {size}", at="lrn_param", fix="use an odd size")
    if param.text("norm_region") == "WITHIN_CHANNEL":
        return _within_channel(layer, param, size)
    alpha, beta, bias = (param.number(name) for name in ("alpha", "beta", "k"))
    return [layer.node("LRN", [layer.bottom()], size=size, alpha=alpha, beta=beta, bias=bias)]


def _within_channel(layer: CaffeLayer, param: Record, size: int) -> Tops:
    """X / (1 + alpha · mean of squares in a window) ** beta, with zeros around the image."""
    layer.shape(least=4)
    square = layer.node("Mul", [layer.bottom(), layer.bottom()])
    mean = layer.node(
        "AveragePool",
        [square],
        kernel_shape=[size, size],
        strides=[1, 1],
        pads=[size // 2] * 4,
        count_include_pad=1,
    )
    alpha = layer.scalar(param.number("alpha"))
    scaled = layer.node("Mul", [mean, alpha])
    shifted = layer.node("Add", [scaled, layer.scalar(1)])
    power = layer.node("Pow", [shifted, layer.scalar(param.number("beta"))])
    return [layer.node("Div", [layer.bottom(), power])]


@emits("MVN")
def mvn(layer: CaffeLayer) -> Tops:
    """MeanVarianceNormalization of each channel or sample, whose epsilon is ONNX's own, 1e-9.

    With another one, or without the variance, it is spelled out; Caffe adds epsilon to the
    deviation, not to the variance.
    """
    param = layer.param("mvn_param")
    first = 1 if param.flag("across_channels") else 2
    shape = layer.shape(least=first + 1)
    axes = list(range(first, len(shape)))
    epsilon, whole = param.number("eps"), param.flag("normalize_variance")
    if whole and epsilon == 1e-9:
        return [layer.node("MeanVarianceNormalization", [layer.bottom()], axes=axes)]
    over = layer.integers(axes, "axes")
    mean = layer.node("ReduceMean", [layer.bottom(), over], keepdims=1)
    centred = layer.node("Sub", [layer.bottom(), mean])
    if not whole:
        return [centred]
    square = layer.node("Mul", [centred, centred])
    variance = layer.node("ReduceMean", [square, over], keepdims=1)
    deviation = layer.node("Sqrt", [variance])
    divisor = layer.node("Add", [deviation, layer.scalar(epsilon)])
    return [layer.node("Div", [centred, divisor])]


@emits("Normalize")
def normalize(layer: CaffeLayer) -> Tops:
    """SSD's L2 normalization, over the channels or all of a sample, times a learned scale.

    ONNX's LpNormalization has no epsilon, so it is spelled out: x / sqrt(sum of squares + eps).
    """
    param, shape = layer.param("norm_param"), layer.shape(least=2)
    axes = list(range(1, len(shape))) if param.flag("across_spatial") else [1]
    epsilon = param.number("eps")
    unit = normalization.by_root_of_squares(layer, layer.bottom(), axes, epsilon)
    count = (1,) if param.flag("channel_shared") else shape[1:2]
    trailing = (1,) * (len(shape) - 2) if len(count) < len(shape) and count != (1,) else ()
    return [layer.node("Mul", [unit, layer.parameter("scale", (*count, *trailing), 0)])]
