"""Operators that differ in training: losses, which predict here, Dropout, and those that pass."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits
from modeldocs.loaders.mxnet.operators.activation import softmax_of_rest


@emits("SoftmaxOutput")
def softmax_output(op: Operation) -> Outputs:
    """Softmax: across channels, along the last axis, or of all that a sample holds."""
    shape = op.sizes(least=1)
    if op.settings.flag("multi_output", default=False):
        return [op.node("Softmax", [op.value()], axis=1)]
    if op.settings.flag("preserve_shape", default=False) or len(shape) < 3:
        return [op.node("Softmax", [op.value()], axis=-1)]
    return [softmax_of_rest(op, op.value())]


@emits("LogisticRegressionOutput")
def logistic(op: Operation) -> Outputs:
    """Sigmoid."""
    return [op.node("Sigmoid", [op.value()])]


@emits("Dropout")
def dropout(op: Operation) -> Outputs:
    """Dropout, which passes its input on; with mode `always` MXNet drops even here."""
    ratio = op.scalar(op.settings.number("p", 0.5), op.value(), "p")
    if op.settings.text("mode", "training") == "always":
        op.notes.append(f"Dropout {op.name!r} drops in inference too, by its mode")
        training = op.constant(True, ir.DataType.BOOL, "training")
        return [op.node("Dropout", [op.value(), ratio, training])]
    return [op.node("Dropout", [op.value(), ratio])]


@emits("identity")
def identity(op: Operation) -> Outputs:
    """What passes its first input on."""
    return [op.node("Identity", [op.value()])]


@emits("softmax_cross_entropy")
def cross_entropy(op: Operation) -> Outputs:
    """A number for the whole batch."""
    return op.opaque([(1,)])


@emits("CTCLoss")
def ctc_loss(op: Operation) -> Outputs:
    """A number for each sequence; their batch is at axis 1."""
    return op.opaque([op.shape(least=3)[1:2]])
