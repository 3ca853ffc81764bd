"""Activations."""

from __future__ import annotations

from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.tensorflow.emission import Emission, Results, emits

_PLAIN = {
    "Relu": "Relu", "Elu": "Elu", "Selu": "Selu", "Sigmoid": "Sigmoid", "Tanh": "Tanh",
    "Softplus": "Softplus", "Softsign": "Softsign",
}  # fmt: skip


@emits(*_PLAIN)
def plain(emission: Emission) -> Results:
    """ONNX's operator of the same name."""
    return emission.result(_PLAIN[emission.operation.kind], [emission.value(0)])


@emits("Softmax", "LogSoftmax")
def softmax(emission: Emission) -> Results:
    """Over the last axis."""
    return emission.result(emission.operation.kind, [emission.value(0)], axis=-1)


@emits("Relu6")
def relu6(emission: Emission) -> Results:
    """Clip to 0 and 6."""
    return [elementwise.clip(emission, emission.value(0), 0, 6)]


@emits("LeakyRelu")
def leaky(emission: Emission) -> Results:
    """The slope is alpha."""
    alpha = float(emission.attribute("alpha", 0.2))
    return emission.result("LeakyRelu", [emission.value(0)], alpha=alpha)


@emits("ClipByValue")
def clip(emission: Emission) -> Results:
    """Clip between two numbers, Min and Max where they are tensors."""
    low, high = emission.value(1), emission.value(2)
    if emission.shape(1) == () and emission.shape(2) == ():
        return emission.result("Clip", [emission.value(0), low, high])
    return emission.result("Max", [emission.node("Min", [emission.value(0), high]), low])
