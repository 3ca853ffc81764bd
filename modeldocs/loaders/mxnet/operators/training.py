"""Emitters of MXNet's operators that differ in training: losses and Dropout."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits
from modeldocs.loaders.mxnet.operators.activation import softmax_per_sample


@emits("SoftmaxOutput")
def softmax_output(op: MxnetOperation) -> Outputs:
    """Softmax over channels, along the last axis, or over all elements of a sample."""
    shape = op.sizes(least=1)
    if op.settings.flag("multi_output", default=False):
        return [op.node("Softmax", [op.input()], axis=1)]
    if op.settings.flag("preserve_shape", default=False) or len(shape) < 3:
        return [op.node("Softmax", [op.input()], axis=-1)]
    return [softmax_per_sample(op, op.input())]


@emits("Dropout")
def dropout(op: MxnetOperation) -> Outputs:
    """Dropout, in inference the identity, unless the mode is `always`."""
    ratio = op.scalar(op.settings.number("p", 0.5), op.input(), "p")
    inputs = [op.input(), ratio]
    if op.settings.text("mode", "training") == "always":
        op.notes.append(f"Dropout {op.name!r} drops in inference too, by its mode")
        inputs.append(op.constant(True, ir.DataType.BOOL, "training"))
    return [op.node("Dropout", inputs)]


@emits("softmax_cross_entropy")
def cross_entropy(op: MxnetOperation) -> Outputs:
    """One number for the whole batch."""
    return op.opaque([(1,)])


@emits("CTCLoss")
def ctc_loss(op: MxnetOperation) -> Outputs:
    """One number for each sequence; the batch is at axis 1."""
    return op.opaque([op.shape(least=3)[1:2]])
