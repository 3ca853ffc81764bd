"""Attributes of a layer in normal form: those that change its outputs, with their defaults."""

from __future__ import annotations

import functools
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
"""Attributes that are shown even at their default, for operators that have them."""

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
"""Attributes that do not change outputs at inference; origins have them, as the source does."""

MAX_VALUES = 16
"""Constants of more elements are represented by their digest, unless all are equal."""

_SAMPLED = 4096
"""Leading elements of a constant that decide whether it has many different values."""

_RATES = (0.7390851, 1.1314718, 1.6180340, 2.2360680, 2.7182818, 3.1622777)
"""Frequencies of the weights of each sum in a table's digest, by index squared."""


def attributes(node: ir.Node, opset: int) -> dict[str, Any]:
    """The node's attributes, sorted by name, plain values only."""
    plain = {
        name: _plain(attr)
        for name, attr in node.attributes.items()
        if attr.type != ir.AttributeType.GRAPH  # these are the layer's bodies
    }
    if node.domain in values.DEFAULT_DOMAIN:
        plain = _with_defaults(node, plain, opset)
        _name_type(node, plain)
        _normalise_heads(node, plain)
        _normalise_axis(node, plain)
    return {name: plain[name] for name in sorted(plain) if plain[name] is not None}


def _with_defaults(node: ir.Node, plain: dict[str, Any], opset: int) -> dict[str, Any]:
    """Attributes with shown defaults, and without what changes no output."""
    acts = plain.get("training_mode")
    for name in TRAINING_OR_STORAGE:
        plain.pop(name, None)
    if acts:
        plain["training_mode"] = acts
    if node.op_type not in ("MaxPool", "AveragePool") or not any(plain.get("pads") or ()):
        plain.pop("count_include_pad", None)
    for name, default in _defaults(node.op_type, opset).items():
        if name in _SHOWN:
            if name != "count_include_pad":
                plain.setdefault(name, default)
        elif name in plain and plain[name] == default:
            del plain[name]
    if node.op_type == "Gemm":
        plain = {k: v for k, v in plain.items() if not (k in ("alpha", "beta") and v == 1.0)}
    if node.op_type == "AveragePool" and any(plain.get("pads") or ()):
        plain.setdefault("count_include_pad", 0)
    return plain


@functools.cache
def _defaults(operator: str, opset: int) -> dict[str, Any]:
    try:
        schema = onnx.defs.get_schema(operator, opset)
    except onnx.defs.SchemaError:
        return {}
    defaults = {}
    for name, attribute in schema.attributes.items():
        if attribute.default_value.type and name not in TRAINING_OR_STORAGE:
            value = onnx.helper.get_attribute_value(attribute.default_value)
            defaults[name] = _number(value.decode() if isinstance(value, bytes) else value)
    return defaults


def _name_type(node: ir.Node, plain: dict[str, Any]) -> None:
    """Name the element type that a Cast gives, which ONNX has as a number."""
    if node.op_type == "Cast":
        plain["to"] = types.dtype(node.outputs[0])


def _normalise_axis(node: ir.Node, plain: dict[str, Any]) -> None:
    """Count an axis from the front; that of a norm over the last axes from the back."""
    is_new = node.op_type == "OneHot"  # its axis is one of the output's alone
    rank = values.rank(node.outputs[0] if is_new else values.operand(node, 0))
    axis = plain.get("axis")
    if not isinstance(axis, int) or rank is None:
        return
    if node.op_type in ("LayerNormalization", "RMSNormalization"):
        plain["axis"] = axis - rank if axis >= 0 else axis
    elif axis < 0:
        plain["axis"] = axis + rank


def _normalise_heads(node: ir.Node, plain: dict[str, Any]) -> None:
    """Name heads of attention `num_heads`, and keep those of keys and values if they differ."""
    if node.op_type == "Attention" and "q_num_heads" in plain:
        plain["num_heads"] = plain.pop("q_num_heads")
        if plain.get("kv_num_heads") == plain["num_heads"]:
            del plain["kv_num_heads"]


def _plain(attribute: ir.Attr) -> Any:
    kind, value = attribute.type, attribute.value
    if kind == ir.AttributeType.GRAPHS:
        return "; ".join(f"graph of {len(graph)} nodes" for graph in value)
    if kind == ir.AttributeType.TENSOR:
        array = values.tensor(value)
        return _unknown_constant(value) if array is None else _array_setting(array)
    if isinstance(value, tuple | list):
        return [_number(item) for item in value]
    return _number(value) if isinstance(value, int | float | str) else kind.name.lower()


def _number(value: Any) -> Any:
    """A float as the shortest text of its float32 has it: 1e-05, not 9.999999747378752e-06."""
    if isinstance(value, float):
        return _finite(float(str(np.float32(value))))
    return value if isinstance(value, int | str | bool) or value is None else str(value)


def _finite(value: float) -> float | str:
    """A float, as text where it is not finite: JSON has no such numbers."""
    return value if math.isfinite(value) else str(value)


def constant(value: ir.Value, *, broadcast: bool = False) -> Attribute:
    """A constant operand as an attribute's value: its elements if it is small or uniform.

    A `broadcast` operand is without leading axes of size 1.
    """
    array = values.constant(value)
    while broadcast and array is not None and array.ndim and len(array) == 1:
        array = array[0]
    return _unknown_constant(value) if array is None else _array_setting(array)


def _unknown_constant(value: ir.Value | ir.TensorProtocol) -> Constant:
    """A constant whose values are not known."""
    return Constant(**msgspec.structs.asdict(types.tensor_type(value)))


def _array_setting(array: np.ndarray[Any, Any]) -> Attribute:
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
    """Elements as JSON values; float64 with all digits."""
    items = [item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in flat]
    if flat.dtype == np.float64:
        return [_finite(float(item)) for item in items]
    if flat.dtype.kind in "OSU":
        return [str(item) for item in items]
    return [_number(item.item() if hasattr(item, "item") else item) for item in items]


def _dtype_name(array: np.ndarray[Any, Any]) -> str:
    return "string" if array.dtype.kind in "OSU" else str(array.dtype)


def _digest(array: np.ndarray[Any, Any]) -> str:
    """Digest of the values, which does not depend on the width of integers."""
    if array.dtype.kind in "iu":
        array = array.astype(np.int64)
    if array.dtype.kind == "O":
        data = repr(array.tolist()).encode()
    elif array.dtype.kind == "f" and len(np.unique(array.reshape(-1)[:_SAMPLED])) > MAX_VALUES:
        data = _weighted_sums(array.reshape(-1))
    else:
        data = np.ascontiguousarray(array).tobytes()
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def _weighted_sums(values: np.ndarray[Any, Any]) -> bytes:
    """Bytes that are equal for equal tables of floats, even where their last bits differ.

    Frameworks do not agree on the last bits of a sine. Weighted sums of all values, relative to
    the root of the sum of squares, hardly change by that; rounded to a thousandth they differ for
    other values, or the same in another order.
    """
    finite = np.isfinite(values)
    numbers = np.where(finite, values, 0).astype(np.float64)
    norm = float(np.sqrt((numbers**2).sum())) or 1.0
    indices = np.arange(numbers.size, dtype=np.float64)
    sums = [round(float((np.cos(indices**2 * rate) * numbers).sum()) / norm, 3) for rate in _RATES]
    return f"{norm:.3g} {[total + 0.0 for total in sums]}".encode() + np.packbits(finite).tobytes()


def captured(node: ir.Node) -> list[ir.Value]:
    """Values of the outer graph that the bodies of an If, Loop or Scan read, each once."""
    return captured_by(node, list(bodies(node)))


def captured_by(node: ir.Node, nested: list[ir.Graph]) -> list[ir.Value]:
    """Those that some bodies of a node read."""
    if not nested:
        return []
    read = [value for body in nested for inner in body.all_nodes() for value in inner.inputs]
    for body in nested:
        read.extend(body.outputs)
    return list(
        {
            id(v): v
            for v in read
            if v is not None and v.graph is not None and v.graph is node.graph
        }.values()
    )


def inside(node: ir.Node) -> Iterator[ir.Node]:
    """The nodes of the bodies of an If, Loop or Scan, those of nested bodies included."""
    for body in bodies(node):
        yield from body.all_nodes()


def has_bodies(node: ir.Node) -> bool:
    """Whether a node is an If, Loop or Scan."""
    return any(one.type == ir.AttributeType.GRAPH for one in node.attributes.values())


def bodies(node: ir.Node) -> Iterator[ir.Graph]:
    """The bodies of an If, Loop or Scan by order of their names, without nested ones."""
    for _, attribute in sorted(node.attributes.items()) if has_bodies(node) else ():
        if attribute.type == ir.AttributeType.GRAPH:
            yield attribute.as_graph()
