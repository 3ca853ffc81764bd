"""Emitters of Torch7's convolutions, whose fields name the width before the height."""

from __future__ import annotations

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.emission import convolution as onnx
from modeldocs.loaders.emission.windows import Window
from modeldocs.loaders.torch7.operation import Flow, TorchOperation, emits


def _sizes(op: TorchOperation, name: str, default: int, axes: str, *, least: int = 1) -> list[int]:
    """A setting along each axis, as `kH` and `kW`."""
    return [op.integer(f"{name}{axis}", default, least=least) for axis in axes]


def _window(op: TorchOperation, axes: str, *, dilated: bool = False) -> Window:
    return Window(
        _sizes(op, "k", 1, axes),
        _sizes(op, "d", 1, axes),
        _sizes(op, "pad", 0, axes, least=0),
        _sizes(op, "dilation", 1, axes) if dilated else [1] * len(axes),
    )


def _axes(op: TorchOperation) -> str:
    """The letters of the spatial axes in names of fields."""
    return "THW" if "Volumetric" in op.kind else "HW"


def _channels(op: TorchOperation, rank: int, groups: int = 1) -> tuple[int, int]:
    """The numbers of input and output channels, which must fit the input's shape."""
    shape = op.shape(least=rank)
    inputs = op.integer("nInputPlane", least=1)
    outputs = op.integer("nOutputPlane", least=1)
    if len(shape) != rank or shape[1] != inputs:
        layout = "×".join(["batch", str(inputs), *["depth", "height", "width"][5 - rank :]])
        raise op.error(
            f"reads {as_text(shape)}, it takes {layout}",
            "correct its planes, or what comes before",
        )
    if inputs % groups or outputs % groups:
        raise op.error(
            f"has {inputs} and {outputs} planes in {groups} groups", "let the groups divide both"
        )
    return inputs, outputs


@emits(
    "SpatialConvolution",
    "SpatialConvolutionMM",
    "SpatialDilatedConvolution",
    "VolumetricConvolution",
)
def convolution(op: TorchOperation) -> Flow:
    """Conv; only cudnn's modules have groups."""
    axes, groups = _axes(op), op.integer("groups", 1, least=1)
    inputs, outputs = _channels(op, len(axes) + 2, groups)
    window = _window(op, axes, dilated=True)
    weight = op.parameter("weight", (outputs, inputs // groups, *window.kernel))
    return onnx.convolution(op, [op.input(), weight, op.bias((outputs,))], window, groups=groups)


@emits("SpatialDepthWiseConvolution")
def depthwise_convolution(op: TorchOperation) -> Flow:
    """Conv with a group per channel; the weight is multiplier × channels × height × width."""
    channels, multiplier = _channels(op, 4)
    window = _window(op, "HW")
    weight = op.parameter("weight", (multiplier, channels, *window.kernel))
    filters = op.reshape(
        op.transpose(weight, [1, 0, 2, 3]), (channels * multiplier, 1, *window.kernel)
    )
    bias = op.bias((multiplier, channels))
    if bias is not None:
        bias = op.reshape(op.transpose(bias, [1, 0]), (channels * multiplier,))
    return onnx.convolution(op, [op.input(), filters, bias], window, groups=channels)


@emits("SpatialFullConvolution", "VolumetricFullConvolution")
def full_convolution(op: TorchOperation) -> Flow:
    """ConvTranspose; the fields `adj` enlarge the output at its end."""
    axes = _axes(op)
    inputs, outputs = _channels(op, len(axes) + 2)
    window, extra = _window(op, axes), _sizes(op, "adj", 0, axes, least=0)
    weight = op.parameter("weight", (inputs, outputs, *window.kernel))
    bias = op.bias((outputs,))
    return onnx.transposed_convolution(op, [op.input(), weight, bias], window, extra=extra)


@emits("TemporalConvolution")
def temporal_convolution(op: TorchOperation) -> Flow:
    """Conv along the frames of batch × frames × features.

    The weight is outputs × (width · features).
    """
    shape = op.shape(least=3)
    if len(shape) != 3:
        raise op.error(f"reads {as_text(shape)}, it takes batch×frames×features", "reshape it")
    inputs = op.integer("inputFrameSize", least=1)
    outputs = op.integer("outputFrameSize", least=1)
    width, stride = op.integer("kW", least=1), op.integer("dW", 1, least=1)
    if shape[2] != inputs:
        raise op.error(f"reads frames of {shape[2]}, it takes {inputs}", "correct its size")
    features_first = op.transpose(op.input(), [0, 2, 1])
    weight = op.parameter("weight", (outputs, width * inputs))
    filters = op.transpose(op.reshape(weight, (outputs, width, inputs)), [0, 2, 1])
    window = Window([width], [stride], [0], [1])
    output = onnx.convolution(op, [features_first, filters, op.bias((outputs,))], window)
    return op.transpose(output, [0, 2, 1])
