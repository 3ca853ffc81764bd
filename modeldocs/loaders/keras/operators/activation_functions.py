"""Activation functions of Keras: of `activation=`, of layers and of `keras.ops`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras.operation import KerasOperation

Activation = Callable[[KerasOperation, ir.Value, str], ir.Value]
"""Adds the nodes of an activation, named after the layer and a label."""

_WITHOUT_SETTINGS = {
    "relu": "Relu",
    "selu": "Selu",
    "softplus": "Softplus",
    "softsign": "Softsign",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "hard_silu": "HardSwish",
    "hard_swish": "HardSwish",
    "exponential": "Exp",
    "mish": "Mish",
}


def activate(op: KerasOperation, value: ir.Value, function: Any) -> ir.Value:
    """The result of a layer's `activation=`, as nodes of that layer.

    A layer, or a function that Keras does not have, is traced.
    """
    name = known_name(function)
    if function is None or name == "linear":
        return value
    if name in ACTIVATIONS:
        return ACTIVATIONS[name](op, value, name)
    return op.function(function, [value])[0]


def known_name(function: Any) -> str:
    """The name of one of Keras' own functions; an empty string for any other."""
    module = str(getattr(function, "__module__", ""))
    return str(getattr(function, "__name__", "")) if module.startswith("keras.") else ""


def relu(
    op: KerasOperation,
    value: ir.Value,
    label: str = "",
    *,
    slope: float = 0.0,
    maximum: float | None = None,
    threshold: float = 0.0,
) -> ir.Value:
    """`maximum` from there on, x from `threshold` on, else `slope` · (x - `threshold`)."""
    if threshold != 0.0:
        return _thresholded(op, value, slope, maximum, threshold)
    if slope == 0.0 and maximum is not None:
        return clip(op, value, 0.0, maximum, label)
    if slope == 0.0:
        return op.node("Relu", [value], label=label)
    result = op.node("LeakyRelu", [value], label=label, alpha=float(slope))
    return result if maximum is None else clip(op, result, None, maximum, label)


def _thresholded(
    op: KerasOperation, value: ir.Value, slope: float, maximum: float | None, threshold: float
) -> ir.Value:
    if slope == 0.0 and maximum is None and threshold > 0:
        return op.node("ThresholdedRelu", [value], alpha=float(threshold))
    bound = op.number(threshold, value.dtype)
    is_above = op.node("GreaterOrEqual", [value, bound])
    below = op.node("Mul", [op.node("Sub", [value, bound]), op.number(slope, value.dtype)])
    result = op.node("Where", [is_above, value, below])
    return result if maximum is None else clip(op, result, None, maximum)


def clip(
    op: KerasOperation, value: ir.Value, low: float | None, high: float | None, label: str = ""
) -> ir.Value:
    """Clip between two numbers, of which one may be None."""
    bounds = [
        None if bound is None else op.number(np.asarray(bound), value.dtype, name)
        for name, bound in (("min", low), ("max", high))
    ]
    return op.node("Clip", [value, *bounds], label=label)


def silu(op: KerasOperation, value: ir.Value, label: str = "") -> ir.Value:
    """X · sigmoid(x): ONNX has no operator for it before opset 24."""
    gate = op.node("Sigmoid", [value], label=label)
    return op.node("Mul", [value, gate], label=label)


def _node(operator: str, **attributes: Any) -> Activation:
    def add(op: KerasOperation, value: ir.Value, label: str) -> ir.Value:
        return op.node(operator, [value], label=label, **attributes)

    return add


ACTIVATIONS: dict[str, Activation] = {
    **{name: _node(operator) for name, operator in _WITHOUT_SETTINGS.items()},
    "relu6": lambda op, value, label: clip(op, value, 0.0, 6.0, label),
    "softmax": _node("Softmax", axis=-1),
    "log_softmax": _node("LogSoftmax", axis=-1),
    "elu": _node("Elu", alpha=1.0),
    "celu": _node("Celu", alpha=1.0),
    "leaky_relu": _node("LeakyRelu", alpha=0.2),
    "silu": silu,
    "swish": silu,
    "gelu": _node("Gelu", approximate="none"),
    # Keras 3's definition: relu6(x + 3) / 6.
    "hard_sigmoid": _node("HardSigmoid", alpha=1 / 6, beta=0.5),
}
"""By the name of Keras' function, with its default settings."""
