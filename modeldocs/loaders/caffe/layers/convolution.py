"""Convolution, Deconvolution and their depthwise kin."""

from __future__ import annotations

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.caffe.record import Record
from modeldocs.loaders.dims import Dims, each, joined, said
from modeldocs.loaders.emission.windows import Window


def window(layer: CaffeLayer, param: Record, rank: int) -> Window:
    """The window that `convolution_param` gives, along each of `rank` spatial axes."""

    def along(name: str, pair: str, default: int | None) -> tuple[int, ...]:
        height, width = f"{pair}_h", f"{pair}_w"
        if param.has(height) or param.has(width):
            ends = [param.get(height), param.get(width)]
            values = [int(default or 0) if end is None else int(end) for end in ends]
        else:
            values = [int(value) for value in param.all(name)]
            values = values or ([default] if default is not None else [param.integer(name)])
        values = values * rank if len(values) == 1 else values
        if len(values) != rank or (name != "pad" and min(values, default=1) < 1):
            raise layer.error(
                f"has the {name} {values} for {rank} spatial dimensions",
                at="convolution_param",
                fix=f"give one {name}, or one for each dimension, of at least 1",
            )
        return tuple(values)

    return Window(
        along("kernel_size", "kernel", None),
        along("stride", "stride", 1),
        along("pad", "pad", 0),
        # DeepLab's fork had `hole` before Caffe had `dilation`.
        along("hole", "hole", 1) if _has_holes(param) else along("dilation", "dilation", 1),
    )


def _has_holes(param: Record) -> bool:
    return any(param.has(name) for name in ("hole", "hole_h", "hole_w"))


@emits("Convolution", "ConvolutionDepthwise", "DepthwiseConvolution", "DepthwiseConv")
def convolution(layer: CaffeLayer) -> Tops:
    """Conv with the same weights for every bottom."""
    return _all_bottoms(layer, transposed=False)


@emits("Deconvolution")
def deconvolution(layer: CaffeLayer) -> Tops:
    """ConvTranspose."""
    return _all_bottoms(layer, transposed=True)


def _all_bottoms(layer: CaffeLayer, *, transposed: bool) -> Tops:
    param = layer.param("convolution_param")
    outputs, group = param.integer("num_output"), param.integer("group")
    channels, *spatial = layer.images(least=3)[1:]
    if channels is None:
        channels = _channels_given(layer, group, transposed=transposed)
    if "Depthwise" in layer.source.type:
        # Each channel is a group of its own, and is mostly made into one.
        group = channels if isinstance(channels, int) else outputs
    _check(layer, param, channels, outputs, group)
    view = window(layer, param, len(spatial))
    weight = layer.parameter(
        "weight", (*_sides(channels, outputs, group, transposed=transposed), *view.kernel), 0
    )
    bias = layer.parameter("bias", (outputs,), 1) if param.flag("bias_term") else None
    made = []
    for index, bottom in enumerate(layer.bottoms):
        batch, seen, *size = layer.images(index, least=3)
        if joined((seen,), (channels,)) is None or len(size) != len(spatial):
            raise layer.error(
                "reads blobs of different channels or rank", at="bottom", fix="make them alike"
            )
        measure = view.backward if transposed else view.forward
        inputs = [bottom, weight] if bias is None else [bottom, weight, bias]
        op = "ConvTranspose" if transposed else "Conv"
        # Of images of unknown rank four dimensions are taken.
        shape = (batch, outputs, *each(measure, size)) if bottom.shape is None else None
        made.append(layer.node(op, inputs, shape=shape, group=group, **view.attributes))
    return made


def _channels_given(layer: CaffeLayer, group: int, *, transposed: bool) -> Dim:
    """The channels that a blob of weights is for."""
    held = layer.given[0].shape if layer.given else ()
    if len(held) < 3:
        return None
    return held[0] if transposed else held[1] * group


def _sides(channels: Dim, outputs: int, group: int, *, transposed: bool) -> Dims:
    """The first two dimensions of a weight, of which only the second is cut into groups."""
    if transposed:
        return channels, outputs // group
    return outputs, channels // group if isinstance(channels, int) else None


def _check(layer: CaffeLayer, param: Record, channels: Dim, outputs: int, group: int) -> None:
    if param.integer("axis") != 1:
        raise layer.error(
            f"has its channels at axis {param.integer('axis')}",
            at="convolution_param",
            fix="permute the blob, so that they are at axis 1",
        )
    parted = channels if isinstance(channels, int) else 0
    if outputs < 1 or group < 1 or parted % group or outputs % group:
        raise layer.error(
            f"takes {said((channels,))} channels to {outputs} in {group} groups",
            at="convolution_param",
            fix="use a group that divides both",
        )
