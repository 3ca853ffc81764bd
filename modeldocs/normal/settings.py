"""A layer's attributes in normal form: what decides the numbers, with defaults written out."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs.normal import values

_SHOWN = (
    "kernel_shape",
    "strides",
    "pads",
    "dilations",
    "group",
    "epsilon",
    "axis",
    "alpha",
    "beta",
    "bias",
    "size",
    "ceil_mode",
    "count_include_pad",
    "approximate",
)
"""Attributes that stand in the table even at their default, for the operators that have them."""

TRAINING_OR_STORAGE = (
    "momentum",
    "training_mode",
    "stash_type",
    "storage_order",
    "consumed_inputs",
    "is_test",
    "spatial",
    "seed",
    "transB",
)
"""What changes no number at inference; the source's own words for it stay in the origin."""

MAX_VALUES = 16
"""Constants of more elements are told by type, shape and digest."""


def attributes(node: ir.Node, opset: int) -> dict[str, Any]:
    """The node's attributes, sorted by name, plain values only."""
    found = {name: _plain(attr) for name, attr in node.attributes.items()}
    if node.domain in values.DEFAULT_DOMAIN:
        found = _with_defaults(node, found, opset)
        _count_axis_from_front(node, found)
    return {name: found[name] for name in sorted(found) if found[name] is not None}


def _with_defaults(node: ir.Node, found: dict[str, Any], opset: int) -> dict[str, Any]:
    batch_statistics = found.get("training_mode")
    for name in TRAINING_OR_STORAGE:
        found.pop(name, None)
    if batch_statistics:
        found["training_mode"] = batch_statistics
    if node.op_type not in ("MaxPool", "AveragePool") or not any(found.get("pads") or ()):
        found.pop("count_include_pad", None)
    for name, default in _defaults(node.op_type, opset).items():
        if name in _SHOWN:
            if name != "count_include_pad":
                found.setdefault(name, default)
        elif name in found and found[name] == default:
            del found[name]
    if node.op_type == "Gemm":
        found = {k: v for k, v in found.items() if not (k in ("alpha", "beta") and v == 1.0)}
    if node.op_type == "AveragePool" and any(found.get("pads") or ()):
        found.setdefault("count_include_pad", 0)
    return found


def _defaults(operator: str, opset: int) -> dict[str, Any]:
    try:
        schema = onnx.defs.get_schema(operator, opset)
    except onnx.defs.SchemaError:
        return {}
    made = {}
    for name, attribute in schema.attributes.items():
        if attribute.default_value.type and name not in TRAINING_OR_STORAGE:
            value = onnx.helper.get_attribute_value(attribute.default_value)
            made[name] = _number(value.decode() if isinstance(value, bytes) else value)
    return made


def _count_axis_from_front(node: ir.Node, found: dict[str, Any]) -> None:
    rank = values.rank(values.operand(node, 0))
    axis = found.get("axis")
    if (
        isinstance(axis, int)
        and axis < 0
        and rank is not None
        and node.op_type != "LayerNormalization"
    ):
        found["axis"] = axis + rank


def _plain(attribute: ir.Attr) -> Any:
    if attribute.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS):
        graphs = attribute.value if attribute.type == ir.AttributeType.GRAPHS else [attribute.value]
        return "; ".join(f"graph of {len(graph)} nodes" for graph in graphs)
    if attribute.type == ir.AttributeType.TENSOR:
        return _array(np.asarray(attribute.value.numpy()))
    value = attribute.value
    if isinstance(value, tuple | list):
        return [_number(item) for item in value]
    return _number(value)


def _number(value: Any) -> Any:
    """float32 as its shortest text means it: 1e-05, not 9.999999747378752e-06."""
    if isinstance(value, float):
        return float(str(np.float32(value)))
    return value if isinstance(value, int | str | bool) or value is None else str(value)


def constant_text(value: ir.Value) -> Any:
    """A constant operand as an attribute's value: itself if small or uniform, else a digest."""
    array = values.constant(value)
    if array is None:
        return f"{value.dtype.name.lower() if value.dtype else 'unknown'} tensor"
    return _array(array)


def _array(array: np.ndarray[Any, Any]) -> Any:
    if array.size == 0:
        return []
    first = array.reshape(-1)[0]
    if array.size == 1 or (array.size > MAX_VALUES and bool((array == first).all())):
        return _number(first.item())
    if array.size <= MAX_VALUES:
        return [_number(item.item()) for item in array.reshape(-1)]
    shape = "x".join(map(str, array.shape))
    digest = hashlib.blake2b(np.ascontiguousarray(array).tobytes(), digest_size=6).hexdigest()
    return f"{array.dtype}[{shape}] {digest}"


def captured(node: ir.Node) -> list[ir.Value]:
    """Values of the outer graph that the bodies of an If, Loop or Scan read, each once."""
    found: dict[int, ir.Value] = {}
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            body = attribute.value
            for inner in body.all_nodes():
                for value in inner.inputs:
                    if value is not None and value.graph is not None and value.graph is node.graph:
                        found.setdefault(id(value), value)
    return list(found.values())
