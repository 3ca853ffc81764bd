"""Normalisations, and dropout, which inference passes by."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError, emits
from modeldocs.loaders.tensorflow.inference import SHOWN
from modeldocs.loaders.tensorflow.operators.layout import layout_of


@emits("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def batch_normalization(emission: Emission) -> Results:
    """BatchNormalization; `is_training` takes the statistics of the batch."""
    layout = layout_of(emission)
    training = bool(emission.attribute("is_training", True))
    shape = emission.shape(0)
    channels = shape[layout.channels]
    if not isinstance(channels, int):
        raise UnsupportedError("has a number of channels that is not known")
    statistics = [_statistics(emission, slot, channels) for slot in (3, 4)]
    inputs = [
        layout.first(emission, emission.value(0)),
        emission.value(1),
        emission.value(2),
        *statistics,
    ]
    settings: dict[str, Any] = {"epsilon": float(emission.attribute("epsilon", 0.0001))}
    if not training:
        made = emission.node("BatchNormalization", inputs, **settings)
        return [layout.back(emission, emission.is_main(made))]
    settings["training_mode"] = 1
    made = emission.node_of_several("BatchNormalization", inputs, 3, **settings)[0]
    return [layout.back(emission, emission.is_main(made))]


def _statistics(emission: Emission, slot: int, channels: int) -> ir.Value:
    """The running statistics; in training there are none, and what stands for them is not used."""
    if 0 in emission.shape(slot):
        return emission.constant(np.full(channels, float(slot == 4), np.float32))
    return emission.value(slot)


@emits("LRN")
def local_response_normalization(emission: Emission) -> Results:
    """LRN; TensorFlow does not divide alpha by the number of channels that it sums over."""
    if len(emission.shape(0)) != 4:
        raise UnsupportedError("reads a tensor that is no image")
    size = 2 * int(emission.attribute("depth_radius", 5)) + 1
    turned = emission.transpose(emission.value(0), (0, 3, 1, 2))
    made = emission.node(
        "LRN",
        [turned],
        size=size,
        alpha=float(emission.attribute("alpha", 1.0)) * size,
        beta=float(emission.attribute("beta", 0.5)),
        bias=float(emission.attribute("bias", 1.0)),
    )
    return [emission.transpose(emission.is_main(made), (0, 2, 3, 1))]


@emits("L2Loss")
def half_sum_of_squares(emission: Emission) -> Results:
    """Half of the sum of squares."""
    squares = emission.node("ReduceSumSquare", [emission.value(0)], keepdims=0)
    return emission.result("Mul", [squares, emission.constant(0.5, emission.made_dtype())])


@emits("modeldocs.dropout")
def dropout(emission: Emission) -> Results:
    """Dropout, with the share that it drops where that is known."""
    rate = emission.operation.settings[SHOWN]
    share = [emission.constant(rate, ir.DataType.FLOAT)] if rate is not None else []
    return emission.result("Dropout", [emission.value(0), *share])
