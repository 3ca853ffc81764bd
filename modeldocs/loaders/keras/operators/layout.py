"""Transposes around operators for which ONNX has the channels at axis 1."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.loaders.emission import layouts
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.shapes import Dims


def _order(op: KerasOperation, rank: int) -> list[int]:
    """The axes in the order of ONNX; the setting `data_format` says where the channels are."""
    first = getattr(op.source, "data_format", None) == "channels_first"
    return layouts.channels_first(rank, 1 if first else rank - 1)


def to_first(op: KerasOperation, value: ir.Value) -> ir.Value:
    """The value with its channels at axis 1."""
    return op.transpose(value, _order(op, len(op.shape_of(value))))


def back(op: KerasOperation, value: ir.Value) -> ir.Value:
    """The value in the layer's own layout again."""
    return op.transpose(value, layouts.inverse(_order(op, len(op.shape_of(value)))))


def first_shape(op: KerasOperation) -> Dims:
    """The output's shape with its channels at axis 1."""
    shape = op.output_shape()
    return layouts.permuted(shape, _order(op, len(shape)))


def spread(setting: Any, rank: int) -> list[int]:
    """A setting for each axis; one number stands for all."""
    return [setting] * rank if isinstance(setting, int) else [int(one) for one in setting]
