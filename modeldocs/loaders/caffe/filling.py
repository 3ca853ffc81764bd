"""Seeded values for the parameters of a network, and its blobs as Caffe would store them."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from modeldocs.loaders import seeding
from modeldocs.loaders.caffe.assembly import Assembled, Assembly
from modeldocs.loaders.caffe.blobs import shape_of
from modeldocs.loaders.dims import sizes

FACTOR = 4.0
"""BatchNorm's third blob: the two others are stored times this, exactly in binary."""

_STORED_FLAT = ("PReLU", "Scale", "Bias", "Normalize")
"""Layers whose blobs lack the trailing ones that ONNX's broadcasting asks for."""


def fill(assembly: Assembly, seed: int) -> None:
    """Give every parameter of the graph seeded values, in place."""
    given: set[ir.Value] = set()
    for layer in assembly.layers:
        for index, value in layer.blobs.items():
            if value not in given:
                set_values(value, _drawn(seed, layer, index, value))
                given.add(value)


def set_values(value: ir.Value, array: np.ndarray) -> None:
    """Give a parameter its values."""
    value.const_value = ir.tensor(np.ascontiguousarray(array), name=value.name)


def values(value: ir.Value) -> np.ndarray:
    """The values of a parameter that was given some."""
    assert value.const_value is not None
    return np.asarray(value.const_value.numpy(), np.float32)


def stored(layer: Assembled) -> tuple[np.ndarray, ...]:
    """The blobs of a layer as a `.caffemodel` holds them."""
    made = [values(layer.blobs[index]) for index in sorted(layer.blobs)]
    if layer.source.type == "BatchNorm":
        mean, var, factor = made
        return (mean * factor, var * factor, factor)
    if layer.source.type in _STORED_FLAT:
        return tuple(array.reshape(_without_trailing_ones(array.shape)) for array in made)
    return tuple(made)


def _without_trailing_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    while len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    return shape


def _drawn(seed: int, layer: Assembled, index: int, value: ir.Value) -> np.ndarray:
    shape, name = sizes(shape_of(value)), str(value.name)
    if layer.source.type == "BatchNorm" and index == 2:
        return np.full(shape, FACTOR, np.float32)
    return seeding.draw(seed, name, shape, _kind(layer, index), _fan_in(layer, shape))


def _kind(layer: Assembled, index: int) -> seeding.Kind:
    kinds: dict[str, tuple[seeding.Kind, ...]] = {
        "BatchNorm": ("mean", "var"),
        "Scale": ("scale", "bias") if len(layer.source.bottoms) == 1 else ("bias",),
        "Normalize": ("scale",),
        "PReLU": ("slope",),
        "Bias": ("bias",),
        "Embed": ("embedding", "bias"),
        "Parameter": ("embedding",),
    }
    known = kinds.get(layer.source.type, ("weight", "bias"))
    return known[index] if index < len(known) else "bias"


def _fan_in(layer: Assembled, shape: tuple[int, ...]) -> int:
    """The products in one element of what a layer with weights makes."""
    if len(shape) < 2:
        return 0
    if layer.source.type == "Deconvolution":
        return max(1, math.prod(shape) // shape[1])
    param = layer.source.record.message("inner_product_param")
    transposed = layer.source.type == "InnerProduct" and param.flag("transpose")
    return shape[0] if transposed else math.prod(shape[1:])
