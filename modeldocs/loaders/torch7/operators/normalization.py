"""Emitters of Torch7's normalizations."""

from __future__ import annotations

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.torch7.operation import Flow, TorchOperation, emits


@emits("SpatialBatchNormalization", "BatchNormalization", "VolumetricBatchNormalization")
def batch_normalization(op: TorchOperation) -> Flow:
    """BatchNormalization by the running statistics; without `affine` its scale is 1."""
    shape, planes = op.shape(least=2), op.integer("nOutput", least=1)
    if shape[1] != planes:
        raise op.error(f"reads {as_text(shape)}, it has {planes} planes", "correct its planes")
    affine = op.module.has_parameter("weight")
    operands = [
        op.input(),
        op.parameter("weight", (planes,)) if affine else op.filled(planes, 1.0),
        op.parameter("bias", (planes,)) if affine else op.filled(planes, 0.0),
        op.parameter("running_mean", (planes,), trainable=False),
        op.parameter("running_var", (planes,), trainable=False),
    ]
    # Torch's momentum is the weight of the new statistics, ONNX's that of the old ones.
    momentum = 1.0 - op.number("momentum", 0.1)
    epsilon = op.number("eps", 1e-5)
    return op.node("BatchNormalization", operands, epsilon=epsilon, momentum=momentum)


@emits("InstanceNormalization")
def instance_normalization(op: TorchOperation) -> Flow:
    """InstanceNormalization over the pixels of each channel."""
    shape, planes = op.shape(least=3), op.integer("nOutput", least=1)
    if shape[1] != planes or not op.module.has_parameter("weight"):
        return op.opaque()
    operands = [op.input(), *(op.parameter(role, (planes,)) for role in ("weight", "bias"))]
    return op.node("InstanceNormalization", operands, epsilon=op.number("eps", 1e-5))


@emits("SpatialCrossMapLRN", "SpatialCrossResponseNormalization")
def cross_map_lrn(op: TorchOperation) -> Flow:
    """LRN; both divide alpha by the size."""
    return op.node(
        "LRN",
        [op.input()],
        size=op.integer("size", 5, least=1),
        alpha=op.number("alpha", 1e-4),
        beta=op.number("beta", 0.75),
        bias=op.number("k", 1.0),
    )


@emits(
    "SpatialSubtractiveNormalization",
    "SpatialDivisiveNormalization",
    "SpatialContrastiveNormalization",
)
def local_normalization(op: TorchOperation) -> Flow:
    """By mean or deviation of a neighbourhood of each pixel, which ONNX has no operator for."""
    return op.opaque()


@emits("Normalize")
def normalize(op: TorchOperation) -> Flow:
    """Vectors divided by sqrt(sum of squares + eps); other norms than the second stay Torch7's."""
    shape, power = op.shape(least=2), op.number("p")
    if power != 2 or len(shape) != 2:
        return op.opaque()
    square = op.node("Mul", [op.input(), op.input()])
    total = op.reduce("ReduceSum", square, [1], keeps_axes=True)
    epsilon = op.constant(op.number("eps", 1e-10))
    norm = op.node("Sqrt", [op.node("Add", [total, epsilon])])
    return op.node("Div", [op.input(), norm])
