"""Activations, and the dropout that does nothing in test mode but is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits
from modeldocs.loaders.chainer.tape import DROPOUT
from modeldocs.loaders.emission import elementwise

_PLAIN = {
    "ReLU": "Relu",
    "Sigmoid": "Sigmoid",
    "Tanh": "Tanh",
}


@emits(*_PLAIN)
def plain(step: Step) -> Sequence[ir.Value]:
    """Activations without settings."""
    return [step.node(_PLAIN[step.call.kind], step.operands)]


@emits("LeakyReLU")
def leaky_relu(step: Step) -> Sequence[ir.Value]:
    """Chainer's default slope is 0.2."""
    return [step.node("LeakyRelu", step.operands, alpha=float(step.setting("slope")))]


@emits("ELU")
def elu(step: Step) -> Sequence[ir.Value]:
    """`selu` is made of this too."""
    return [step.node("Elu", step.operands, alpha=float(step.setting("alpha")))]


@emits("PReLUFunction")
def prelu(step: Step) -> Sequence[ir.Value]:
    """PRelu; the slope's axes are those after the batch's."""
    return [step.node("PRelu", [step.operands[0], _beside_batch(step)])]


def _beside_batch(step: Step) -> ir.Value:
    """The second operand with axes of one element for those that it has not."""
    own, rank = step.shape(1), len(step.shape())
    return step.reshape(step.operands[1], (*own, *(1,) * (rank - len(own) - 1)))


@emits("ClippedReLU")
def clipped_relu(step: Step) -> Sequence[ir.Value]:
    """Clip between 0 and `z`, which `relu6` sets to 6."""
    cap = float(step.setting("cap"))
    return [elementwise.clip(step, step.operands[0], 0.0, cap)]


@emits("HardSigmoid")
def hard_sigmoid(step: Step) -> Sequence[ir.Value]:
    """Clip of 0.2 x + 0.5."""
    return [step.node("HardSigmoid", step.operands, alpha=0.2, beta=0.5)]


@emits("Softplus")
def softplus(step: Step) -> Sequence[ir.Value]:
    """Softplus of beta x, divided by beta."""
    return [elementwise.softplus(step, step.operands[0], float(step.setting("beta")))]


@emits("Swish")
def swish(step: Step) -> Sequence[ir.Value]:
    """X * sigmoid(beta x); beta is learned."""
    return [elementwise.swish(step, step.operands[0], _beside_batch(step))]


@emits("CReLU")
def concatenated_relu(step: Step) -> Sequence[ir.Value]:
    """Both signs' ReLU, joined."""
    axis = int(step.setting("axis"))
    return [elementwise.concatenated_relu(step, step.operands[0], axis)]


@emits("Softmax", "LogSoftmax")
def softmax(step: Step) -> Sequence[ir.Value]:
    """Over the channels by default."""
    return [step.node(step.call.kind, step.operands, axis=int(step.setting("axis")))]


@emits(DROPOUT)
def dropout(step: Step) -> Sequence[ir.Value]:
    """Drawn though it changes nothing: the source says it."""
    ratio = float(step.call.caller.arguments.get("ratio") or 0.0)
    return [step.node("Dropout", [step.operands[0], step.constant(ratio)])]
