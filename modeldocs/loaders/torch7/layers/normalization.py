"""Normalisations, their epsilons as given."""

from __future__ import annotations

from modeldocs.loaders.dims import said
from modeldocs.loaders.torch7.layer import Flow, Layer, emits


@emits("SpatialBatchNormalization", "BatchNormalization", "VolumetricBatchNormalization")
def batch_normalization(layer: Layer) -> Flow:
    """BatchNormalization with running statistics; without `affine` its scale is 1."""
    shape, planes = layer.shape(least=2), layer.integer("nOutput", least=1)
    if shape[1] != planes:
        raise layer.error(f"reads {said(shape)}, it has {planes} planes", "correct its planes")
    affine = layer.module.parameter("weight")
    operands = [
        layer.input,
        layer.parameter("weight", (planes,)) if affine else layer.filled(planes, 1.0),
        layer.parameter("bias", (planes,)) if affine else layer.filled(planes, 0.0),
        layer.parameter("running_mean", (planes,), trainable=False),
        layer.parameter("running_var", (planes,), trainable=False),
    ]
    momentum = 1.0 - layer.number("momentum", 0.1)
    epsilon = layer.number("eps", 1e-5)
    return layer.node("BatchNormalization", operands, epsilon=epsilon, momentum=momentum)


@emits("InstanceNormalization")
def instance_normalization(layer: Layer) -> Flow:
    """InstanceNormalization over the pixels of each plane."""
    shape, planes = layer.shape(least=3), layer.integer("nOutput", least=1)
    if shape[1] != planes or not layer.module.parameter("weight"):
        return layer.opaque()
    operands = [layer.input, *(layer.parameter(role, (planes,)) for role in ("weight", "bias"))]
    return layer.node("InstanceNormalization", operands, epsilon=layer.number("eps", 1e-5))


@emits("SpatialCrossMapLRN", "SpatialCrossResponseNormalization")
def cross_map_lrn(layer: Layer) -> Flow:
    """LRN; alpha is divided by the size, as ONNX does."""
    return layer.node(
        "LRN",
        [layer.input],
        size=layer.integer("size", 5, least=1),
        alpha=layer.number("alpha", 1e-4),
        beta=layer.number("beta", 0.75),
        bias=layer.number("k", 1.0),
    )


@emits(
    "SpatialSubtractiveNormalization",
    "SpatialDivisiveNormalization",
    "SpatialContrastiveNormalization",
)
def local_normalization(layer: Layer) -> Flow:
    """By the mean or the deviation around each pixel, which no operator computes."""
    return layer.opaque()


@emits("Normalize")
def normalize(layer: Layer) -> Flow:
    """Vectors divided by their norm: the root of the sum and epsilon, which no operator has."""
    shape, power = layer.shape(least=2), layer.number("p")
    if power != 2 or len(shape) != 2:
        return layer.opaque()
    square = layer.node("Mul", [layer.input, layer.input])
    summed = layer.node("ReduceSum", [square, layer.integers([1])], keepdims=1)
    epsilon = layer.constant(layer.number("eps", 1e-10))
    norm = layer.node("Sqrt", [layer.node("Add", [summed, epsilon])])
    return layer.node("Div", [layer.input, norm])
