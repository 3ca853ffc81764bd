"""Queries of values and nodes that passes share."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin

DEFAULT_DOMAIN = ("", "ai.onnx")


def is_operator(node: ir.Node | None, *operators: str) -> bool:
    """Whether a node is one of these standard operators."""
    return node is not None and node.domain in DEFAULT_DOMAIN and node.op_type in operators


def operator(node: ir.Node) -> str:
    """A node's operator; with its domain where it is none of ONNX's: `com.microsoft::FusedConv`."""
    is_standard = node.domain in DEFAULT_DOMAIN
    return node.op_type if is_standard else f"{node.domain}::{node.op_type}"


def shape(value: ir.Value | None) -> tuple[int, ...] | None:
    """The value's shape; None unless every dimension is a number."""
    if value is None or value.shape is None:
        return None
    dims = [dim for dim in value.shape if isinstance(dim, int)]
    return tuple(dims) if len(dims) == len(value.shape) else None


def rank(value: ir.Value | None) -> int | None:
    """Number of dimensions; None where it is unknown."""
    return None if value is None or value.shape is None else len(value.shape)


def constant(value: ir.Value | None) -> np.ndarray[Any, Any] | None:
    """The array of a constant; None for parameters, computed values, and unreadable tensors."""
    if value is None or origin.parameter_kind(value) is not None or value.const_value is None:
        return None
    return tensor(value.const_value)


def tensor(source: ir.TensorProtocol) -> np.ndarray[Any, Any] | None:
    """The array of a tensor; None where it is in another file, or inconsistent."""
    if isinstance(source, ir.ExternalTensor):
        return None
    try:
        return np.asarray(source.numpy())
    except (ValueError, TypeError, AssertionError):
        return None


def scalar(value: ir.Value | None) -> float | None:
    """The number of a constant with one element; None for other values."""
    array = constant(value)
    if array is None or array.size != 1 or array.dtype.kind in "OSUc":
        return None
    return float(array.reshape(-1)[0])


def uniform(value: ir.Value | None) -> float | None:
    """The number that all elements of a constant are equal to; None where they differ."""
    array = constant(value)
    if array is None or not array.size or array.dtype.kind not in "fiu":
        return None
    first = array.reshape(-1)[0]
    return float(first) if bool((array == first).all()) else None


def is_parameter(value: ir.Value | None) -> bool:
    """Whether the value is a parameter of the model."""
    return value is not None and origin.parameter_kind(value) is not None


def operand(node: ir.Node, slot: int) -> ir.Value | None:
    """The operand in a slot; None where there is none."""
    return node.inputs[slot] if slot < len(node.inputs) else None


def attribute(node: ir.Node, name: str, default: Any = None) -> Any:
    """A plain attribute's value, `default` where it is not set."""
    found = node.attributes.get(name)
    return default if found is None else found.value


def sole_consumer(value: ir.Value) -> ir.Node | None:
    """The only node that reads a value; None where several do, or it is a graph output."""
    uses = tuple(value.uses())
    return uses[0].node if len(uses) == 1 and not value.is_graph_output() else None
