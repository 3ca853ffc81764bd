"""Attributes of a node as plain Python, and types as ONNX names them."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.ir import Dim

_DERIVED = ("_output_shapes", "_class", "_handle_dtypes", "_handle_shapes")
"""Attributes that TensorFlow adds of its own, and that say nothing of what is computed."""

_TYPES = {
    1: "FLOAT", 2: "DOUBLE", 3: "INT32", 4: "UINT8", 5: "INT16", 6: "INT8", 7: "STRING",
    8: "COMPLEX64", 9: "INT64", 10: "BOOL", 14: "BFLOAT16", 17: "UINT16", 18: "COMPLEX128",
    19: "FLOAT16", 22: "UINT32", 23: "UINT64",
}  # fmt: skip
_NAMES = {"FLOAT": "float32", "DOUBLE": "float64"}
MAX_LISTED = 1000


def onnx_type(number: int) -> ir.DataType | None:
    """The ONNX type of one of TensorFlow's, None for handles and what else ONNX lacks."""
    name = _TYPES.get(number % 100)  # a reference to a float is 101
    return ir.DataType[name] if name else None


def type_name(number: int) -> str:
    """How people write one of TensorFlow's types."""
    name = _TYPES.get(number % 100, {20: "resource", 21: "variant"}.get(number, str(number)))
    return _NAMES.get(name, name.lower())


def get(node: Any, name: str) -> Any:
    """An attribute of a node; an empty one where it has none, which asking it would give it."""
    if name in node.attr:
        return node.attr[name]
    from tensorflow.core.framework import attr_value_pb2

    return attr_value_pb2.AttrValue()


def dims(shape: Any) -> tuple[Dim, ...] | None:
    """A `TensorShapeProto`; None where the rank is not known."""
    if shape.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else None for dim in shape.dim)


def plain(node: Any) -> dict[str, Any]:
    """All attributes that a source gave a node, by its own names."""
    return {
        name: value(held)
        for name, held in sorted(node.attr.items())
        if name not in _DERIVED and not (name == "value" and node.op == "Const")
    }


def value(held: Any) -> Any:
    """One attribute: numbers, text, shapes as lists with -1 for what is open, types by name."""
    kind = held.WhichOneof("value")
    if kind == "list":
        return _listed(held.list)
    return _single(kind, getattr(held, kind)) if kind else None


def _listed(held: Any) -> list[Any]:
    for kind in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
        items = getattr(held, kind)
        if items:
            return [_single(kind, item) for item in items[:MAX_LISTED]]
    return []


def _single(kind: str, item: Any) -> Any:
    if kind == "s":
        return item.decode("utf-8", "replace")
    if kind == "type":
        return type_name(item)
    if kind == "shape":
        known = dims(item)
        return None if known is None else [-1 if dim is None else dim for dim in known]
    if kind == "func":
        return item.name
    if kind == "tensor":
        return f"{type_name(item.dtype)} {_single('shape', item.tensor_shape)}"
    return item
