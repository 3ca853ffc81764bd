"""Layers that change the size of images."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.loaders.keras import shapes
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import computes, emits
from modeldocs.loaders.keras.layers import layout

_MODES = {"nearest": "nearest", "bilinear": "linear", "bicubic": "cubic"}


@emits("UpSampling1D", "UpSampling2D", "UpSampling3D")
def up_sampling(call: Call) -> ir.Value:
    """Some times as large: each element repeated, or interpolated between."""
    layer = call.operation
    size = layer.size if isinstance(layer.size, list | tuple) else (layer.size,)
    first = layout.to_first(call, call.input)
    mode = getattr(layer, "interpolation", "nearest")
    scales = call.number([1.0, 1.0, *map(float, size)], ir.DataType.FLOAT, "scales")
    made = call.node("Resize", [first, None, scales], **_interpolation(mode))
    return layout.back(call, made)


@emits("Resizing")
@computes("Resize")
def resizing(call: Call) -> ir.Value:
    """A height and width, whatever they were; parts are not cut off."""
    layer = call.operation
    if layer.crop_to_aspect_ratio or layer.pad_to_aspect_ratio or layer.antialias:
        raise NotImplementedError("it crops, pads or smooths on the way")
    source = call.input
    if len(call.shape(source)) != 4:
        raise NotImplementedError("it reads a single image without a batch")
    if source.dtype is not None and not source.dtype.is_floating_point():
        source = call.cast(source, ir.DataType.FLOAT)
    first = layout.to_first(call, source)
    shape = layout.first_shape(call)
    sizes = call.integers([call.size(size) for size in shape], "sizes")
    how = _interpolation(layer.interpolation)
    made = call.node("Resize", [first, None, None, sizes], **how)
    return call.cast(layout.back(call, made), shapes.dtype(call.outputs[0].dtype))


def _interpolation(mode: str) -> dict[str, Any]:
    """ONNX's settings for TensorFlow's way: half-pixel centres; nearest rounds down from there."""
    if mode not in _MODES:
        raise NotImplementedError(f"ONNX does not interpolate by {mode}")
    if mode == "nearest":
        # Pixel centres are half way, and the one that a centre falls into is taken.
        return {
            "mode": "nearest",
            "coordinate_transformation_mode": "half_pixel",
            "nearest_mode": "round_prefer_ceil",
        }
    extra = {"cubic_coeff_a": -0.5, "exclude_outside": 1} if mode == "bicubic" else {}
    return {
        "mode": _MODES[mode],
        "coordinate_transformation_mode": "half_pixel",
        **extra,
    }
