"""Designed values in the parameters of a network, and its blobs as Caffe would store them."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.caffe.assembly import Assembled, Assembly
from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.reference import Designed

STATISTICS = 2
"""BatchNorm's blobs that are statistics; the third only says what they are to be divided by."""

FACTOR = 4.0
"""BatchNorm's third blob: the two others are stored times this, exactly in binary."""

_STORED_FLAT = ("PReLU", "Scale", "Bias", "Normalize")
"""Layers whose blobs lack the trailing ones that ONNX's broadcasting asks for."""


def fill(assembly: Assembly, designed: Designed) -> None:
    """Give every parameter of the graph its designed values, in place."""
    for layer in assembly.layers:
        for index, value in layer.blobs.items():
            shape = sizes(shape_of(value))
            if layer.source.type == "BatchNorm" and index == STATISTICS:
                set_values(value, np.full(shape, FACTOR, np.float32))
            else:
                set_values(value, designed.parameter(str(value.name), shape))


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
