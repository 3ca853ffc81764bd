"""Emitters of TensorFlow's activations."""

from __future__ import annotations

from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.tensorflow.operation import Outputs, TensorFlowOperation, emits


@emits("Relu", "Elu", "Selu", "Sigmoid", "Tanh", "Softplus", "Softsign")
def plain(op: TensorFlowOperation) -> Outputs:
    """The ONNX operator of the same name."""
    return op.result(op.kind, [op.input(0)])


@emits("Softmax", "LogSoftmax")
def softmax(op: TensorFlowOperation) -> Outputs:
    """Over the last axis."""
    return op.result(op.kind, [op.input(0)], axis=-1)


@emits("Relu6")
def relu6(op: TensorFlowOperation) -> Outputs:
    """Clip between 0 and 6."""
    return [elementwise.clip(op, op.input(0), 0, 6)]


@emits("LeakyRelu")
def leaky(op: TensorFlowOperation) -> Outputs:
    """LeakyRelu; the slope is `alpha`."""
    alpha = float(op.attribute("alpha", 0.2))
    return op.result("LeakyRelu", [op.input(0)], alpha=alpha)


@emits("ClipByValue")
def clip(op: TensorFlowOperation) -> Outputs:
    """Clip between two numbers; Max and Min where these are tensors."""
    low, high = op.input(1), op.input(2)
    if op.shape(1) == () and op.shape(2) == ():
        return op.result("Clip", [op.input(0), low, high])
    return op.result("Max", [op.node("Min", [op.input(0), high]), low])
