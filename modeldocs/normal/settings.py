"""A layer's attributes in normal form: what decides the numbers, with defaults written out."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import onnx
import onnx_ir as ir

from modeldocs.ir import Attribute, Constant
from modeldocs.normal import types, values

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
"""Constants of more elements, which are not all the same, are given by their digest."""

_LOOKED_AT = 4096
"""Leading elements of a constant by which it is told whether it holds many different values."""

_RATES = (0.7390851, 1.1314718, 1.6180340, 2.2360680, 2.7182818, 3.1622777)
"""How fast weights change from place to place, in the sums that a table is told by."""


def attributes(node: ir.Node, opset: int) -> dict[str, Any]:
    """The node's attributes, sorted by name, plain values only."""
    found = {name: _plain(attr) for name, attr in node.attributes.items()}
    if node.domain in values.DEFAULT_DOMAIN:
        found = _with_defaults(node, found, opset)
        _count_heads(node, found)
        _count_axis(node, found)
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


def _count_axis(node: ir.Node, found: dict[str, Any]) -> None:
    """Axes count from the front; the first of the last axes of a norm, from the back."""
    rank = values.rank(values.operand(node, 0))
    axis = found.get("axis")
    if not isinstance(axis, int) or rank is None:
        return
    if node.op_type in ("LayerNormalization", "RMSNormalization"):
        found["axis"] = axis - rank if axis >= 0 else axis
    elif axis < 0:
        found["axis"] = axis + rank


def _count_heads(node: ir.Node, found: dict[str, Any]) -> None:
    """Heads of attention as `num_heads`; those of keys and values where they are others."""
    if node.op_type == "Attention" and "q_num_heads" in found:
        found["num_heads"] = found.pop("q_num_heads")
        if found.get("kv_num_heads") == found["num_heads"]:
            del found["kv_num_heads"]


def _plain(attribute: ir.Attr) -> Any:
    kind, value = attribute.type, attribute.value
    if kind in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS):
        graphs = value if kind == ir.AttributeType.GRAPHS else [value]
        return "; ".join(f"graph of {len(graph)} nodes" for graph in graphs)
    if kind == ir.AttributeType.TENSOR:
        array = values.tensor(value)
        return _unread(value) if array is None else _array(array)
    if isinstance(value, tuple | list):
        return [_number(item) for item in value]
    return _number(value) if isinstance(value, int | float | str) else kind.name.lower()


def _number(value: Any) -> Any:
    """float32 as its shortest text means it: 1e-05, not 9.999999747378752e-06."""
    if isinstance(value, float):
        return _finite(float(str(np.float32(value))))
    return value if isinstance(value, int | str | bool) or value is None else str(value)


def _finite(value: float) -> float | str:
    """JSON has no word for what is not finite: told as text."""
    return value if math.isfinite(value) else str(value)


def constant(value: ir.Value, *, spread: bool = False) -> Attribute:
    """A constant operand as an attribute's value: itself if small or uniform.

    One that is `spread` over other operands is told without leading axes of one element.
    """
    array = values.constant(value)
    while spread and array is not None and array.ndim and len(array) == 1:
        array = array[0]
    return _unread(value) if array is None else _array(array)


def _unread(value: ir.Value | ir.TensorProtocol) -> Constant:
    """A constant whose values are not at hand."""
    return Constant(**msgspec.structs.asdict(types.tensor_type(value)))


def _array(array: np.ndarray[Any, Any]) -> Attribute:
    if array.size == 0:
        return []
    flat = array.reshape(-1)
    if array.size == 1 or (array.size > MAX_VALUES and bool((flat == flat[0]).all())):
        first: Attribute = _elements(flat[:1])[0]
        return first
    if array.size <= MAX_VALUES:
        return _elements(flat)
    return Constant(dtype=_dtype_name(array), shape=array.shape, digest=_digest(array))


def _elements(flat: np.ndarray[Any, Any]) -> list[Any]:
    """Elements as JSON holds them; those of float64 in full."""
    items = [item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in flat]
    if flat.dtype == np.float64:
        return [_finite(float(item)) for item in items]
    if flat.dtype.kind in "OSU":
        return [str(item) for item in items]
    return [_number(item.item() if hasattr(item, "item") else item) for item in items]


def _dtype_name(array: np.ndarray[Any, Any]) -> str:
    return "string" if array.dtype.kind in "OSU" else str(array.dtype)


def _digest(array: np.ndarray[Any, Any]) -> str:
    """Digest of the values: of whole numbers whatever their width, of texts by what they say."""
    if array.dtype.kind in "iu":
        array = array.astype(np.int64)
    if array.dtype.kind == "O":
        data = repr(array.tolist()).encode()
    elif array.dtype.kind == "f" and len(np.unique(array.reshape(-1)[:_LOOKED_AT])) > MAX_VALUES:
        data = _told_by_sums(array.reshape(-1))
    else:
        data = np.ascontiguousarray(array).tobytes()
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def _told_by_sums(values: np.ndarray[Any, Any]) -> bytes:
    """What tables of the same fractions have in common though their last bits are not the same.

    Frameworks do not agree on the last bits of a sine. Sums of all values, each weighted in
    another way and relative to the root of the sum of squares, hardly move by that; rounded to a
    thousandth they differ for other values, or the same in another order.
    """
    finite = np.isfinite(values)
    told = np.where(finite, values, 0).astype(np.float64)
    norm = float(np.sqrt((told**2).sum())) or 1.0
    places = np.arange(told.size, dtype=np.float64)
    sums = [round(float((np.cos(places**2 * rate) * told).sum()) / norm, 3) for rate in _RATES]
    return f"{norm:.3g} {[one + 0.0 for one in sums]}".encode() + np.packbits(finite).tobytes()


def captured(node: ir.Node) -> list[ir.Value]:
    """Values of the outer graph that the bodies of an If, Loop or Scan read, each once."""
    read = [value for inner in inside(node) for value in inner.inputs]
    for body in bodies(node):
        read.extend(body.outputs)
    return list(
        {
            id(v): v
            for v in read
            if v is not None and v.graph is not None and v.graph is node.graph
        }.values()
    )


def inside(node: ir.Node) -> Iterator[ir.Node]:
    """The nodes of the bodies of an If, Loop or Scan, those of bodies inside of them, too."""
    for body in bodies(node):
        yield from body.all_nodes()


def bodies(node: ir.Node) -> Iterator[ir.Graph]:
    """The graphs that an If, Loop or Scan runs, without those inside of them."""
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            yield attribute.value
