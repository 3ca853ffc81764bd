"""Losses, accuracy and sinks: Caffe's own, as ONNX has them only in its training domain."""

from __future__ import annotations

from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.dims import Dims


@emits("SoftmaxWithLoss", "SigmoidCrossEntropyLoss")
def loss_with_prediction(layer: CaffeLayer) -> Tops:
    """A scalar loss; a second top is the prediction it was taken of."""
    shapes: list[Dims] = [(), layer.shape()] if len(layer.source.tops) > 1 else [()]
    return layer.opaque(shapes, param="loss_param")


@emits("Accuracy")
def accuracy(layer: CaffeLayer) -> Tops:
    """A scalar; a second top has it for each class."""
    shapes: list[Dims] = [(), (None,)]
    if layer.bottom().shape is not None:
        axis, shape = layer.param("accuracy_param").integer("axis"), layer.shape()
        shapes[1] = (shape[layer.axis(axis, len(shape), "accuracy_param")],)
    return layer.opaque(shapes[: max(1, len(layer.source.tops))], param="accuracy_param")


@emits("Silence", "HDF5Output")
def sink(layer: CaffeLayer) -> Tops:
    """A layer that reads blobs and makes none."""
    return layer.opaque([])
