"""Layers that do something in training alone. Dropouts stay; noise and augmentation is told."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits


@emits(
    "Dropout",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "BaseSpatialDropout",
    "AlphaDropout",
    "GaussianDropout",
)
def dropout(call: Call) -> ir.Value:
    """Dropped at its rate in training, passed on in inference."""
    rate = call.number(float(call.operation.rate), ir.DataType.FLOAT, "ratio")
    return call.node("Dropout", [call.input, rate])


@emits(
    "GaussianNoise",
    "ActivityRegularization",
    "RandomBrightness",
    "RandomColorDegeneration",
    "RandomColorJitter",
    "RandomContrast",
    "RandomElasticTransform",
    "RandomErasing",
    "RandomFlip",
    "RandomGaussianBlur",
    "RandomGrayscale",
    "RandomHue",
    "RandomInvert",
    "RandomPerspective",
    "RandomPosterization",
    "RandomRotation",
    "RandomSaturation",
    "RandomSharpness",
    "RandomShear",
    "RandomTranslation",
    "RandomZoom",
    "Solarization",
    "AutoContrast",
    "AugMix",
    "CutMix",
    "MixUp",
    "RandAugment",
    "Equalization",
)
def training_alone(call: Call) -> ir.Value:
    """Passed on in inference, and said so."""
    kind = type(call.operation).__name__
    if kind in ("Solarization", "AutoContrast", "Equalization"):
        raise NotImplementedError("it works on images in inference too")
    call.notes.append(
        f"{kind} {call.name!r} works in training alone: in inference it passes its input on"
    )
    return call.node("Identity", [call.input])


@emits("Identity")
def identity(call: Call) -> ir.Value:
    """What goes in."""
    return call.node("Identity", [call.input])


@emits("Masking")
def masking(call: Call) -> ir.Value:
    """Steps whose values all are `mask_value` become zero, and are passed over by what follows."""
    layer, source = call.operation, call.input
    value = call.number(float(layer.mask_value), source.dtype, "mask_value")
    same = call.node("Equal", [source, value])
    differs = call.cast(call.node("Not", [same]), ir.DataType.INT32)
    axes = call.integers([-1], "axes")
    kept = call.node("ReduceMax", [differs, axes], keepdims=1)
    assert source.dtype is not None
    return call.node("Mul", [source, call.cast(kept, source.dtype)])
