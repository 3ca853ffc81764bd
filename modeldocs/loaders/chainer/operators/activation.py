"""Emitters of Chainer's activations and softmaxes, and of dropout."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.chainer.operation import ChainerOperation, emits, renames
from modeldocs.loaders.chainer.recorder import DROPOUT
from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.emission.operation import Outputs

_SIMPLE = {"ReLU": "Relu", "Sigmoid": "Sigmoid", "Tanh": "Tanh"}


@renames(_SIMPLE)
def simple(op: ChainerOperation, operator: str) -> Outputs:
    """An activation without settings."""
    return [op.node(operator, op.inputs)]


@emits("LeakyReLU")
def leaky_relu(op: ChainerOperation) -> Outputs:
    return [op.node("LeakyRelu", op.inputs, alpha=op.number("slope"))]


@emits("ELU")
def elu(op: ChainerOperation) -> Outputs:
    """Elu; Chainer computes `selu` with it, too."""
    return [op.node("Elu", op.inputs, alpha=op.number("alpha"))]


@emits("PReLUFunction")
def prelu(op: ChainerOperation) -> Outputs:
    """PRelu; the slope's axes are those after the batch."""
    return [op.node("PRelu", [op.input(), _after_batch(op)])]


def _after_batch(op: ChainerOperation) -> ir.Value:
    """The second operand, whose axes are those after the batch, with axes of size 1 at its end."""
    shape, rank = op.shape(1), len(op.shape())
    return op.reshape(op.inputs[1], (*shape, *(1,) * (rank - len(shape) - 1)))


@emits("ClippedReLU")
def clipped_relu(op: ChainerOperation) -> Outputs:
    """Clip between 0 and `z`, which is 6 for `relu6`."""
    return [elementwise.clip(op, op.input(), 0.0, op.number("cap"))]


@emits("HardSigmoid")
def hard_sigmoid(op: ChainerOperation) -> Outputs:
    """Clip of 0.2 x + 0.5."""
    return [op.node("HardSigmoid", op.inputs, alpha=0.2, beta=0.5)]


@emits("Softplus")
def softplus(op: ChainerOperation) -> Outputs:
    """Softplus of beta x, divided by beta."""
    return [elementwise.softplus(op, op.input(), op.number("beta"))]


@emits("Swish")
def swish(op: ChainerOperation) -> Outputs:
    """X * sigmoid(beta x) with a trained beta."""
    return [elementwise.swish(op, op.input(), _after_batch(op))]


@emits("CReLU")
def concatenated_relu(op: ChainerOperation) -> Outputs:
    """Relu of the value and of its negative, concatenated."""
    return [elementwise.concatenated_relu(op, op.input(), op.integer("axis"))]


@emits("Softmax", "LogSoftmax")
def softmax(op: ChainerOperation) -> Outputs:
    """Softmax or LogSoftmax along an axis."""
    return [op.node(op.kind, op.inputs, axis=op.integer("axis"))]


@emits(DROPOUT)
def dropout(op: ChainerOperation) -> Outputs:
    """Dropout: the identity in test mode, which applies no function; random where one is."""
    if op.call.node is not None:
        ratio, drops = op.number("dropout_ratio"), op.constant(True)
        return [op.node("Dropout", [op.input(), op.constant(ratio), drops])]
    ratio = float(op.call.caller.arguments.get("ratio") or 0.0)
    return [op.node("Dropout", [op.input(), op.constant(ratio)])]
