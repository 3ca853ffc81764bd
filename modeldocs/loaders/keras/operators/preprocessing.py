"""Emitters of Keras' preprocessing layers."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras import framework
from modeldocs.loaders.keras.emitters import emits
from modeldocs.loaders.keras.operation import KerasOperation


@emits("Rescaling")
def rescaling(op: KerasOperation) -> ir.Value:
    """Mul by a scale, Add of an offset."""
    layer, source = op.source, op.input()
    try:
        scale = np.asarray(layer.scale, dtype=np.float32)
        offset = np.asarray(layer.offset, dtype=np.float32)
    except (TypeError, ValueError):
        raise op.error("has a scale or an offset that is no number", "give it numbers") from None
    if layer.__dict__.get("data_format") == "channels_first" and scale.ndim:
        raise NotImplementedError("its scales are not along the last axis")
    value = op.node("Mul", [op.as_float(source), op.number(scale, name="scale")])
    if not offset.any():
        return value
    return op.node("Add", [value, op.number(offset, name="offset")])


@emits("Normalization")
def normalization(op: KerasOperation) -> ir.Value:
    """(x - mean) / deviation, which counts as epsilon at least; inverted if set so."""
    layer, keras = op.source, framework.imported()
    adapted_mean = getattr(layer, "adapt_mean", None)
    epsilon = keras.backend.epsilon()
    if layer.input_mean is not None:
        mean = op.number(np.asarray(layer.mean), name="mean")
        deviation = np.maximum(np.sqrt(np.asarray(layer.variance)), epsilon)
        divisor = op.number(deviation, name="deviation")
    elif isinstance(adapted_mean, keras.Variable):
        mean = op.weight(adapted_mean)
        root = op.node("Sqrt", [op.weight(layer.adapt_variance)], label="deviation")
        divisor = op.node("Max", [root, op.number(epsilon, name="epsilon")], label="least")
    else:
        raise NotImplementedError("it was never adapted to data")
    source = op.as_float(op.input())
    if layer.invert:
        return op.node("Add", [op.node("Mul", [source, divisor]), mean])
    return op.node("Div", [op.node("Sub", [source, mean], label="mean"), divisor])
