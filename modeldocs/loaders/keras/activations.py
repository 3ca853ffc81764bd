"""Activations: of a layer's `activation=`, of layers that are one, and of `keras.ops`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras.call import Call

Activation = Callable[[Call, ir.Value, str], ir.Value]
"""Adds an activation of a value, as a step of that label."""

_SINGLE = {
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


def activate(call: Call, value: ir.Value, function: Any) -> ir.Value:
    """What `activation=` makes of a value, as a node of its own that the layer is the origin of.

    A function that Keras does not have, or a layer, is traced.
    """
    name = getattr(function, "__name__", "")
    known = str(getattr(function, "__module__", "")).startswith("keras.")
    if function is None or (known and name == "linear"):
        return value
    if known and name in ACTIVATIONS:
        return ACTIVATIONS[name](call, value, name)
    return call.assembly.function(function, [value], call)[0]


def relu(
    call: Call,
    value: ir.Value,
    label: str = "",
    *,
    slope: float = 0.0,
    maximum: float | None = None,
    threshold: float = 0.0,
) -> ir.Value:
    """`maximum` from there on, x from `threshold` on, else `slope` x (x - threshold)."""
    if threshold != 0.0:
        return _thresholded(call, value, slope, maximum, threshold)
    if slope == 0.0 and maximum is not None:
        return clip(call, value, 0.0, maximum, label)
    if slope == 0.0:
        return call.node("Relu", [value], label=label)
    made = call.node("LeakyRelu", [value], label=label, alpha=float(slope))
    return made if maximum is None else clip(call, made, None, maximum, label)


def _thresholded(
    call: Call, value: ir.Value, slope: float, maximum: float | None, threshold: float
) -> ir.Value:
    if slope == 0.0 and maximum is None and threshold > 0:
        return call.node("ThresholdedRelu", [value], alpha=float(threshold))
    bound = call.number(threshold, value.dtype)
    passes = call.node("GreaterOrEqual", [value, bound])
    rest = call.node("Mul", [call.node("Sub", [value, bound]), call.number(slope, value.dtype)])
    made = call.node("Where", [passes, value, rest])
    return made if maximum is None else clip(call, made, None, maximum)


def clip(
    call: Call, value: ir.Value, low: float | None, high: float | None, label: str = ""
) -> ir.Value:
    """The value kept between two numbers."""
    bounds = [
        None if bound is None else call.number(np.asarray(bound), value.dtype, name)
        for name, bound in (("min", low), ("max", high))
    ]
    return call.node("Clip", [value, *bounds], label=label)


def softmax(call: Call, value: ir.Value, label: str = "", *, axis: int = -1) -> ir.Value:
    """Softmax along one axis."""
    return call.node("Softmax", [value], label=label, axis=axis)


def silu(call: Call, value: ir.Value, label: str = "") -> ir.Value:
    """X * sigmoid(x): ONNX has no operator for it before opset 24."""
    gate = call.node("Sigmoid", [value], label=label)
    return call.node("Mul", [value, gate], label=label)


def gelu(call: Call, value: ir.Value, label: str = "", *, approximate: bool = False) -> ir.Value:
    """GELU, exact or by tanh."""
    kind = "tanh" if approximate else "none"
    return call.node("Gelu", [value], label=label, approximate=kind)


def hard_sigmoid(call: Call, value: ir.Value, label: str = "") -> ir.Value:
    """Keras 3: relu6(x + 3) / 6."""
    return call.node("HardSigmoid", [value], label=label, alpha=1 / 6, beta=0.5)


def _single(operator: str) -> Activation:
    def add(call: Call, value: ir.Value, label: str) -> ir.Value:
        return call.node(operator, [value], label=label)

    return add


def _alpha(operator: str, alpha: float) -> Activation:
    def add(call: Call, value: ir.Value, label: str) -> ir.Value:
        return call.node(operator, [value], label=label, alpha=alpha)

    return add


ACTIVATIONS: dict[str, Activation] = {
    **{name: _single(operator) for name, operator in _SINGLE.items()},
    "relu6": lambda call, value, label: clip(call, value, 0.0, 6.0, label),
    "softmax": softmax,
    "log_softmax": lambda call, value, label: call.node(
        "LogSoftmax", [value], label=label, axis=-1
    ),
    "elu": _alpha("Elu", 1.0),
    "celu": _alpha("Celu", 1.0),
    "leaky_relu": _alpha("LeakyRelu", 0.2),
    "silu": silu,
    "swish": silu,
    "gelu": gelu,
    "hard_sigmoid": hard_sigmoid,
}
"""By the name of Keras' own function, at its defaults."""
