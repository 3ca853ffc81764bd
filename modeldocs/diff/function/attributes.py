"""A layer's attributes with defaults filled in and numbers as float32."""

from __future__ import annotations

import functools
import math
import struct
from typing import Any, Final

import msgspec
import onnx

from modeldocs.ir import Constant, Layer, operators

SILENT: Final = frozenset({"auto_pad", "storage_order", "seed", "transB", "stash_type"})
"""Attributes without a meaning once the graph is in normal form."""

TRAINING: Final = frozenset({"momentum"})
"""Attributes that matter while training and compute nothing at inference: normal form has
`training_mode` only where it acts."""

_NEUTRAL: Final = {"scale": 1, "bias": 0}
"""By role of an operand: the constant that changes nothing."""

_MORE_DEFAULTS: Final[dict[str, dict[str, Any]]] = {"Dropout": {"ratio": 0.5}}


def declared(layer: Layer) -> dict[str, Any]:
    """Attributes with ONNX's defaults filled in, as hashable values that compare by meaning."""
    merged = dict(_defaults(layer.operator))
    if operators.of(layer.operator).windowed:
        merged.update(_window_defaults(layer))
    for name, value in layer.attributes.items():
        if name not in SILENT:
            merged[name] = frozen(value)
    if operators.of(layer.operator).commutative:
        merged = {
            "B" if name == "A" and "B" not in merged else name: v for name, v in merged.items()
        }
    rank = _input_rank(layer)
    for name in ("axis", "axes"):
        if rank is not None and name in merged:
            merged[name] = _positive(merged[name], rank)
    if layer.operator == "Attention":
        _set_heads(merged)
    if layer.operator == "Resize":
        _drop_unused_by_mode(merged)
    if layer.operator == "Slice" and changes_nothing(merged.get("steps"), 1):
        del merged["steps"]
    return merged


def _set_heads(merged: dict[str, Any]) -> None:
    """The numbers of heads as `heads`, and `kv_heads` where those of keys and values differ."""
    queries = merged.pop("num_heads", None) or merged.pop("q_num_heads", None)
    pairs = merged.pop("kv_num_heads", None) or queries
    if queries is not None:
        merged["heads"] = queries
    if pairs != queries:
        merged["kv_heads"] = pairs


def _drop_unused_by_mode(merged: dict[str, Any]) -> None:
    """Drop attributes that a Resize of its mode does not use."""
    mode = merged.get("mode")
    if mode != "nearest":
        merged.pop("nearest_mode", None)
    if mode != "cubic":
        merged.pop("cubic_coeff_a", None)


def effective(layer: Layer, attributes: dict[str, Any]) -> dict[str, Any]:
    """Declared attributes without constants that change nothing, and without integers' widths."""
    neutral = neutral_operands(layer.operator)
    return {
        name: _without_width(value)
        for name, value in attributes.items()
        if name not in neutral or not changes_nothing(value, neutral[name])
    }


def neutral_operands(operator: str) -> dict[str, int]:
    """Constant operands that change nothing, by role: to have them or not is spelling."""
    one = operators.of(operator)
    roles = one.roles if one.bias is None else (*one.roles, "bias")
    return {role: number for role, number in _NEUTRAL.items() if role in roles}


def changes_nothing(value: Any, neutral: int) -> bool:
    """Whether a constant is the neutral element, given once or for each channel."""
    return bool(value == neutral or (isinstance(value, tuple) and set(value) == {neutral}))


def _without_width(value: Any) -> Any:
    """A constant of integers is the same in 32 bits and in 64."""
    if isinstance(value, Constant) and value.dtype.startswith(("int", "uint")):
        return msgspec.structs.replace(value, dtype="int")
    return value


def frozen(value: Any) -> Any:
    """The value as a hashable one: floats rounded to float32, whole floats as integers."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return _single(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dict):
        return tuple((str(key), frozen(value[key])) for key in sorted(value, key=str))
    if isinstance(value, list | tuple):
        return tuple(frozen(item) for item in value)
    return value if value is None or isinstance(value, int | str | Constant) else str(value)


def _single(value: float) -> float | int | str:
    """Seven significant digits of the nearest float32; text where that is not finite."""
    try:
        single: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = value
    if not math.isfinite(single):
        return str(single)
    short = float(f"{single:.7g}")
    return int(short) if short.is_integer() and abs(short) < 2**53 else short


@functools.cache
def _defaults(operator: str) -> dict[str, Any]:
    attributes = {name: frozen(value) for name, value in _MORE_DEFAULTS.get(operator, {}).items()}
    if not onnx.defs.has(operator):
        return attributes
    for name, attribute in onnx.defs.get_schema(operator).attributes.items():
        if name not in SILENT and attribute.default_value.name:
            attributes[name] = frozen(onnx.helper.get_attribute_value(attribute.default_value))
    return attributes


def _window_defaults(layer: Layer) -> dict[str, Any]:
    weight = next((p.shape for p in layer.parameters if p.role == "weight"), ())
    kernel = layer.sizes("kernel_shape") or weight[2:]
    rank = len(kernel) or max((_input_rank(layer) or 2) - 2, 0)
    filled: dict[str, Any] = {
        "strides": (1,) * rank,
        "dilations": (1,) * rank,
        "pads": (0,) * (2 * rank),
    }
    if layer.operator == "ConvTranspose":
        filled["output_padding"] = (0,) * rank
    return {"kernel_shape": kernel, **filled} if kernel else filled


def _input_rank(layer: Layer) -> int | None:
    for operand in layer.inputs:
        if operand.slot == 0:
            return None if operand.type.shape is None else len(operand.type.shape)
    return None


def _positive(axis: Any, rank: int) -> Any:
    if isinstance(axis, tuple):
        return tuple(sorted(item + rank if item < 0 else item for item in axis))
    return axis + rank if isinstance(axis, int) and axis < 0 else axis
