"""Emitters of Caffe's convolutions and deconvolutions."""

from __future__ import annotations

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.format.record import CaffeMessage
from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.dims import as_text, each, joined
from modeldocs.loaders.emission import convolution as onnx
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.emission.windows import Window


def window(op: CaffeOperation, param: CaffeMessage, rank: int) -> Window:
    """The window of a convolution along each of `rank` spatial axes."""

    def along(name: str, prefix: str, default: int | None) -> tuple[int, ...]:
        height, width = f"{prefix}_h", f"{prefix}_w"
        if param.has(height) or param.has(width):
            pair = [param.get(height), param.get(width)]
            values = [int(default or 0) if value is None else int(value) for value in pair]
        else:
            values = [int(value) for value in param.all(name)]
            values = values or ([default] if default is not None else [param.integer(name)])
        values = values * rank if len(values) == 1 else values
        if len(values) != rank or (name != "pad" and min(values, default=1) < 1):
            raise op.error(
                f"has the {name} {values} for {rank} spatial dimensions",
                at="convolution_param",
                fix=f"give one {name}, or one for each dimension, of at least 1",
            )
        return tuple(values)

    holes = any(param.has(name) for name in ("hole", "hole_h", "hole_w"))
    return Window(
        along("kernel_size", "kernel", None),
        along("stride", "stride", 1),
        along("pad", "pad", 0),
        # DeepLab's fork had `hole` before Caffe had `dilation`.
        along("hole", "hole", 1) if holes else along("dilation", "dilation", 1),
    )


@emits("Convolution", "ConvolutionDepthwise", "DepthwiseConvolution", "DepthwiseConv")
def convolution(op: CaffeOperation) -> Outputs:
    """Conv of each bottom with the same weights."""
    return _each_bottom(op, transposed=False)


@emits("Deconvolution")
def deconvolution(op: CaffeOperation) -> Outputs:
    """ConvTranspose of each bottom with the same weights."""
    return _each_bottom(op, transposed=True)


def _each_bottom(op: CaffeOperation, *, transposed: bool) -> Outputs:
    param = op.param("convolution_param")
    outputs, groups = param.integer("num_output"), param.integer("group")
    channels, *spatial = op.images(least=3)[1:]
    if channels is None:
        channels = _channels_of_weights(op, groups, transposed=transposed)
    if "Depthwise" in op.kind:
        # Each channel is a group of its own; by default it makes one channel.
        groups = channels if isinstance(channels, int) else outputs
    _check(op, param, channels, outputs, groups)
    view = window(op, param, len(spatial))
    weight = op.parameter(
        "weight",
        onnx.weight_shape(channels, outputs, view.kernel, groups=groups, transposed=transposed),
        0,
    )
    bias = op.parameter("bias", (outputs,), 1) if param.flag("bias_term") else None
    convolve = onnx.transposed_convolution if transposed else onnx.convolution
    measure = view.backward if transposed else view.forward
    tops = []
    for index, bottom in enumerate(op.inputs):
        batch, own, *sizes = op.images(index, least=3)
        if joined((own,), (channels,)) is None or len(sizes) != len(spatial):
            raise op.error(
                "reads blobs of different channels or rank", at="bottom", fix="make them alike"
            )
        # Images of unknown rank are taken to have four dimensions.
        shape = (batch, outputs, *each(measure, sizes)) if bottom.shape is None else None
        tops.append(convolve(op, [bottom, weight, bias], view, groups=groups, shape=shape))
    return tops


def _channels_of_weights(op: CaffeOperation, groups: int, *, transposed: bool) -> Dim:
    """The input channels that the weights beside the definition are for; None without weights."""
    shape = op.given[0].shape if op.given else ()
    if len(shape) < 3:
        return None
    return shape[0] if transposed else shape[1] * groups


def _check(
    op: CaffeOperation, param: CaffeMessage, channels: Dim, outputs: int, groups: int
) -> None:
    if param.integer("axis") != 1:
        raise op.error(
            f"has its channels at axis {param.integer('axis')}",
            at="convolution_param",
            fix="permute the blob, so that they are at axis 1",
        )
    inputs = channels if isinstance(channels, int) else 0
    if outputs < 1 or groups < 1 or inputs % groups or outputs % groups:
        raise op.error(
            f"takes {as_text((channels,))} channels to {outputs} in {groups} groups",
            at="convolution_param",
            fix="use a group that divides both",
        )
