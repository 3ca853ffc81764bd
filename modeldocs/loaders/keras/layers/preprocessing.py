"""Preprocessing that a model brings along."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras import framework
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits


@emits("Rescaling")
def rescaling(call: Call) -> ir.Value:
    """Times a scale, plus an offset."""
    layer, source = call.operation, call.input
    try:
        scale = np.asarray(layer.scale, dtype=np.float32)
        offset = np.asarray(layer.offset, dtype=np.float32)
    except (TypeError, ValueError):
        raise call.error("has a scale or an offset that is no number", "give it numbers") from None
    if layer.__dict__.get("data_format") == "channels_first" and scale.ndim:
        raise NotImplementedError("its scales stand in the middle of the axes")
    made = call.node("Mul", [_floating(call, source), call.number(scale, name="scale")])
    if not offset.any():
        return made
    return call.node("Add", [made, call.number(offset, name="offset")])


@emits("Normalization")
def normalization(call: Call) -> ir.Value:
    """Less the mean, by the root of the variance, which counts as epsilon at least."""
    layer = call.operation
    variables = framework.imported().Variable
    adapted = getattr(layer, "adapt_mean", None)
    given = layer.input_mean is not None
    least = framework.imported().backend.epsilon()
    if given:
        mean = call.number(np.asarray(layer.mean), name="mean")
        deviation = np.maximum(np.sqrt(np.asarray(layer.variance)), least)
        divisor = call.number(deviation, name="deviation")
    elif isinstance(adapted, variables):
        mean = call.weight(adapted)
        root = call.node("Sqrt", [call.weight(layer.adapt_variance)], label="deviation")
        divisor = call.node("Max", [root, call.number(least, name="epsilon")], label="least")
    else:
        raise NotImplementedError("it was never adapted to data")
    source = _floating(call, call.input)
    if layer.invert:
        scaled = call.node("Mul", [source, divisor])
        return call.node("Add", [scaled, mean])
    centred = call.node("Sub", [source, mean], label="mean")
    return call.node("Div", [centred, divisor])


def _floating(call: Call, value: ir.Value) -> ir.Value:
    floating = value.dtype is not None and value.dtype.is_floating_point()
    return value if floating else call.cast(value, ir.DataType.FLOAT)
