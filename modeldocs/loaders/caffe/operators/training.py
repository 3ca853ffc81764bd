"""Emitters of Caffe's losses, accuracy and sinks, which stay in its domain."""

from __future__ import annotations

from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission.operation import Outputs


@emits("SoftmaxWithLoss", "SigmoidCrossEntropyLoss")
def loss_with_prediction(op: CaffeOperation) -> Outputs:
    """A scalar loss; a second top is the prediction."""
    shapes: list[Dims] = [(), op.shape()] if len(op.layer.tops) > 1 else [()]
    return op.opaque(shapes, param="loss_param")


@emits("Accuracy")
def accuracy(op: CaffeOperation) -> Outputs:
    """A scalar; a second top has one number per class."""
    shapes: list[Dims] = [(), (None,)]
    if op.input().shape is not None:
        shape = op.shape()
        shapes[1] = (shape[op.axis("accuracy_param", len(shape))],)
    return op.opaque(shapes[: op.output_count], param="accuracy_param")


@emits("Silence", "HDF5Output")
def sink(op: CaffeOperation) -> Outputs:
    """A layer with inputs and no outputs."""
    return op.opaque([])
