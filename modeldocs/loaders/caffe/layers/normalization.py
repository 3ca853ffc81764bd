"""Normalization: BatchNorm, LRN, MVN and SSD's Normalize."""

from __future__ import annotations

from modeldocs.loaders.caffe.blobs import sizes
from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits


@emits("BatchNorm")
def batch_norm(layer: CaffeLayer) -> Tops:
    """BatchNormalization with a scale of ones and a bias of zeros: those are a Scale layer's.

    Caffe's third blob divides the two others. ONNX has no operand for it, so it is declared and
    read by no node: whoever fills in weights divides mean and variance by it.
    """
    param, shape = layer.param("batch_norm_param"), layer.shape()
    (channels,) = sizes(shape[1:2]) if len(shape) > 1 else (1,)
    operands = [
        layer.bottom(),
        layer.filled("ones", channels, 1),
        layer.filled("zeros", channels, 0),
        layer.parameter("mean", (channels,), 0, trainable=False),
        layer.parameter("var", (channels,), 1, trainable=False),
    ]
    layer.parameter("scale_factor", (1,), 2, trainable=False)
    attributes = {"epsilon": param.number("eps")}
    if _uses_stored_statistics(layer):
        return layer.emit("BatchNormalization", operands, [shape], attributes)
    momentum = param.number("moving_average_fraction")
    return layer.emit(
        "BatchNormalization",
        operands,
        [shape, (channels,), (channels,)],
        {**attributes, "momentum": momentum, "training_mode": 1},
    )[:1]


def _uses_stored_statistics(layer: CaffeLayer) -> bool:
    stored = layer.param("batch_norm_param").get("use_global_stats")
    return layer.phase == "TEST" if stored is None else bool(stored)


@emits("LRN")
def lrn(layer: CaffeLayer) -> Tops:
    """LRN: Caffe divides alpha by the window's size across channels, as ONNX does."""
    param, shape = layer.param("lrn_param"), layer.shape()
    size = param.integer("local_size")
    if size % 2 == 0:
        raise layer.error(f"has the even size {size}", at="lrn_param", mend="use an odd size")
    if param.text("norm_region") == "WITHIN_CHANNEL":
        return layer.opaque([shape], param="lrn_param")
    alpha, beta, bias = (param.number(name) for name in ("alpha", "beta", "k"))
    return [
        layer.node("LRN", [layer.bottom()], shape, size=size, alpha=alpha, beta=beta, bias=bias)
    ]


@emits("MVN")
def mvn(layer: CaffeLayer) -> Tops:
    """MeanVarianceNormalization of each channel or sample; its epsilon is ONNX's own, 1e-9."""
    param = layer.param("mvn_param")
    first = 1 if param.flag("across_channels") else 2
    shape = layer.shape(least=first + 1)
    axes = list(range(first, len(shape)))
    if not param.flag("normalize_variance"):
        reduced = (*shape[:first], *[1] * len(axes))
        mean = layer.node(
            "ReduceMean", [layer.bottom(), layer.shape_constant(axes, "axes")], reduced, keepdims=1
        )
        return [layer.node("Sub", [layer.bottom(), mean], shape)]
    if param.number("eps") != 1e-9:
        return layer.opaque([shape], param="mvn_param")
    return [layer.node("MeanVarianceNormalization", [layer.bottom()], shape, axes=axes)]


@emits("Normalize")
def normalize(layer: CaffeLayer) -> Tops:
    """SSD's L2 normalization with a learned scale."""
    shape = layer.shape(least=2)
    shared = layer.param("norm_param").flag("channel_shared")
    count = (1,) if shared else sizes(shape[1:2])
    scale = layer.parameter("scale", count, 0)
    return layer.opaque([shape], param="norm_param", inputs=[layer.bottom(), scale])
