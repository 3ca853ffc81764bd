"""Emitters of Keras' resizing, and of space exchanged for channels."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.loaders.keras.emitters import computes, emits
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.operators import layout

_MODES = {"nearest": "nearest", "bilinear": "linear", "bicubic": "cubic"}


@emits("UpSampling1D", "UpSampling2D", "UpSampling3D")
def up_sampling(op: KerasOperation) -> ir.Value:
    """Resize by a whole factor: elements repeated, or interpolated."""
    layer = op.source
    size = layer.size if isinstance(layer.size, list | tuple) else (layer.size,)
    source = layout.to_first(op, op.input())
    mode = getattr(layer, "interpolation", "nearest")
    scales = op.number([1.0, 1.0, *map(float, size)], ir.DataType.FLOAT, "scales")
    return layout.back(op, op.node("Resize", [source, None, scales], **_interpolation(mode)))


@emits("Resizing")
@computes("Resize")
def resizing(op: KerasOperation) -> ir.Value:
    """Resize to a height and width."""
    layer = op.source
    if layer.crop_to_aspect_ratio or layer.pad_to_aspect_ratio or layer.antialias:
        raise NotImplementedError("it crops, pads or smooths images")
    if len(op.shape()) != 4:
        raise NotImplementedError("it reads a single image without a batch")
    source = layout.to_first(op, op.as_float(op.input()))
    sizes = op.integers([op.size(size) for size in layout.first_shape(op)], "sizes")
    interpolation = _interpolation(layer.interpolation)
    value = op.node("Resize", [source, None, None, sizes], **interpolation)
    return op.promote(layout.back(op, value))


def _interpolation(mode: str) -> dict[str, Any]:
    """The attributes of Resize for TensorFlow's interpolation, whose pixel centres are halves."""
    if mode not in _MODES:
        raise NotImplementedError(f"ONNX does not interpolate by {mode}")
    more: dict[str, Any] = {}
    if mode == "nearest":
        # A centre that lies between two pixels belongs to the second.
        more = {"nearest_mode": "round_prefer_ceil"}
    if mode == "bicubic":
        more = {"cubic_coeff_a": -0.5, "exclude_outside": 1}
    return {"mode": _MODES[mode], "coordinate_transformation_mode": "half_pixel", **more}


@computes("DepthToSpace", "SpaceToDepth")
def depth_and_space(op: KerasOperation) -> ir.Value:
    """DepthToSpace or SpaceToDepth."""
    source = layout.to_first(op, op.input())
    return layout.back(op, op.node(op.kind, [source], blocksize=int(op.source.block_size)))
