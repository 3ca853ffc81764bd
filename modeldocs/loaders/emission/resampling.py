"""Resizing of images, and pools that give an image of a wanted size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.inference import shape_of

_NEAREST: dict[str, Any] = {
    "mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor",
}  # fmt: skip


def nearest(layer: NodeBuilder, value: ir.Value, sizes: Sequence[int]) -> ir.Value:
    """To a whole shape; each element is that whose place it falls into."""
    return layer.node("Resize", [value, None, None, layer.integers(sizes, "sizes")], **_NEAREST)


def linear(layer: NodeBuilder, value: ir.Value, sizes: Sequence[int], *, corners: bool) -> ir.Value:
    """To a whole shape, by linear interpolation, with corners aligned or by half pixels."""
    transform = "align_corners" if corners else "half_pixel"
    operands = [value, None, None, layer.integers(sizes, "sizes")]
    return layer.node("Resize", operands, mode="linear", coordinate_transformation_mode=transform)


def pooled_to(
    layer: NodeBuilder, value: ir.Value, sizes: Sequence[int], method: str
) -> ir.Value | None:
    """A MaxPool or AveragePool to spatial sizes; None where its windows would differ in size."""
    known = [size if isinstance(size, int) else 0 for size in shape_of(value)[2:]]
    if set(sizes) == {1}:
        return layer.node(f"Global{method}", [value])
    if 0 in known or any(size % want for size, want in zip(known, sizes, strict=True)):
        return None
    window = [size // want for size, want in zip(known, sizes, strict=True)]
    return layer.node(method, [value], kernel_shape=window, strides=window)
