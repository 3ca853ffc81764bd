"""Emitters of TensorFlow's normalizations, of its L2 loss, and of dropout."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.tensorflow.graphdef.serving import DROPOUT_RATE
from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)
from modeldocs.loaders.tensorflow.operators.layout import layout_of


@emits("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def batch_normalization(op: TensorFlowOperation) -> Outputs:
    """BatchNormalization; with `is_training`, by the statistics of the batch."""
    layout = layout_of(op)
    training = bool(op.attribute("is_training", True))
    shape = op.shape(0)
    channels = shape[layout.channels]
    if not isinstance(channels, int):
        raise UnsupportedError("has an unknown number of channels")
    statistics = [_statistics(op, slot, channels) for slot in (3, 4)]
    inputs = [layout.first(op.input(0)), op.input(1), op.input(2), *statistics]
    settings: dict[str, Any] = {"epsilon": float(op.attribute("epsilon", 0.0001))}
    if not training:
        value = op.node("BatchNormalization", inputs, **settings)
        return layout.result(value)
    settings["training_mode"] = 1
    value = op.node_of_several("BatchNormalization", inputs, 3, **settings)[0]
    return layout.result(value)


def _statistics(op: TensorFlowOperation, slot: int, channels: int) -> ir.Value:
    """The running statistics; where training has none, constants that are not used."""
    if 0 in op.shape(slot):
        return op.constant(np.full(channels, float(slot == 4), np.float32))
    return op.input(slot)


@emits("LRN")
def local_response_normalization(op: TensorFlowOperation) -> Outputs:
    """LRN; ONNX divides alpha by the window's size, TensorFlow does not."""
    if len(op.shape(0)) != 4:
        raise UnsupportedError("reads a tensor that is no image")
    size = 2 * int(op.attribute("depth_radius", 5)) + 1
    image = op.transpose(op.input(0), (0, 3, 1, 2))
    value = op.node(
        "LRN",
        [image],
        size=size,
        alpha=float(op.attribute("alpha", 1.0)) * size,
        beta=float(op.attribute("beta", 0.5)),
        bias=float(op.attribute("bias", 1.0)),
    )
    return [op.transpose(op.set_main(value), (0, 2, 3, 1))]


@emits("L2Loss")
def half_sum_of_squares(op: TensorFlowOperation) -> Outputs:
    """Half of the sum of squares."""
    squares = op.node("ReduceSumSquare", [op.input(0)], keepdims=0)
    return op.result("Mul", [squares, op.constant(0.5, op.output_dtype())])


@emits("modeldocs.dropout")
def dropout(op: TensorFlowOperation) -> Outputs:
    """Dropout, with its rate where that is known."""
    rate = op.source.settings[DROPOUT_RATE]
    ratio = [] if rate is None else [op.constant(rate, ir.DataType.FLOAT)]
    return op.result("Dropout", [op.input(0), *ratio])
