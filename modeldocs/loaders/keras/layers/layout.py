"""Around operators that ONNX has for channels first alone: there and back."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.loaders.emission import layouts
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.shapes import Dims


def channels_axis(layer: Any, rank: int) -> int:
    """The axis of the channels, by the layer's `data_format`."""
    return 1 if getattr(layer, "data_format", None) == "channels_first" else rank - 1


def to_first(call: Call, value: ir.Value) -> ir.Value:
    """The value with its channels behind the batch."""
    rank = len(call.shape(value))
    order = layouts.channels_first(rank, channels_axis(call.operation, rank))
    return call.transpose(value, order)


def back(call: Call, value: ir.Value) -> ir.Value:
    """The value in the layer's own layout again."""
    rank = len(call.shape(value))
    order = layouts.channels_first(rank, channels_axis(call.operation, rank))
    return call.transpose(value, layouts.inverse(order))


def first_shape(call: Call, index: int = 0) -> Dims:
    """The output's shape with its channels behind the batch."""
    shape = call.output_shape(index)
    order = layouts.channels_first(len(shape), channels_axis(call.operation, len(shape)))
    return layouts.permuted(shape, order)


def spread(given: Any, rank: int) -> list[int]:
    """A setting for each axis; one number stands for all."""
    return [int(given)] * rank if isinstance(given, int) else [int(one) for one in given]
