"""Emitters of Keras' layers that only training needs; of these, only dropouts become nodes."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.keras.emitters import emits
from modeldocs.loaders.keras.operation import KerasOperation

_DROPOUTS = (
    "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "BaseSpatialDropout",
    "AlphaDropout", "GaussianDropout",
)  # fmt: skip
_TRAINING_ALONE = (
    "GaussianNoise", "ActivityRegularization", "RandomBrightness", "RandomColorDegeneration",
    "RandomColorJitter", "RandomContrast", "RandomElasticTransform", "RandomErasing", "RandomFlip",
    "RandomGaussianBlur", "RandomGrayscale", "RandomHue", "RandomInvert", "RandomPerspective",
    "RandomPosterization", "RandomRotation", "RandomSaturation", "RandomSharpness", "RandomShear",
    "RandomTranslation", "RandomZoom", "AugMix", "CutMix", "MixUp", "RandAugment",
)  # fmt: skip
_WORKING_ON_IMAGES = ("Solarization", "AutoContrast", "Equalization")


@emits(*_DROPOUTS)
def dropout(op: KerasOperation) -> ir.Value:
    """Dropout, with its rate; it drops where it was called with `training=True`."""
    operands = [op.input(), op.number(float(op.source.rate), ir.DataType.FLOAT, "ratio")]
    if op.arguments.get("training"):
        operands.append(op.constant(True, ir.DataType.BOOL, "training"))
    return op.node("Dropout", operands)


@emits(*_TRAINING_ALONE, *_WORKING_ON_IMAGES)
def training_alone(op: KerasOperation) -> ir.Value:
    """Identity, with a note."""
    if op.kind in _WORKING_ON_IMAGES or op.arguments.get("training"):
        raise NotImplementedError("it changes its input in inference too")
    op.notes.append(
        f"{op.kind} {op.name!r} works only in training: in inference it passes its input on"
    )
    return op.node("Identity", [op.input()])


@emits("Identity")
def identity(op: KerasOperation) -> ir.Value:
    return op.node("Identity", [op.input()])


@emits("Masking")
def masking(op: KerasOperation) -> ir.Value:
    """Steps whose values all are `mask_value` become 0, and later layers skip them."""
    layer, source = op.source, op.input()
    value = op.number(float(layer.mask_value), source.dtype, "mask_value")
    differs = op.node("Not", [op.node("Equal", [source, value])])
    axes = op.integers([-1], "axes")
    kept = op.node("ReduceMax", [op.cast(differs, ir.DataType.INT32), axes], keepdims=1)
    assert source.dtype is not None
    return op.node("Mul", [source, op.cast(kept, source.dtype)])
