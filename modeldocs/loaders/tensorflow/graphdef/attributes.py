"""Attributes of a NodeDef as plain Python, and TensorFlow's types as ONNX names them."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.ir import Dim

_DERIVED = ("_output_shapes", "_class", "_handle_dtypes", "_handle_shapes")
"""Attributes that TensorFlow adds, and that do not change what is computed."""

_TYPES = {
    1: "FLOAT", 2: "DOUBLE", 3: "INT32", 4: "UINT8", 5: "INT16", 6: "INT8", 7: "STRING",
    8: "COMPLEX64", 9: "INT64", 10: "BOOL", 14: "BFLOAT16", 17: "UINT16", 18: "COMPLEX128",
    19: "FLOAT16", 22: "UINT32", 23: "UINT64",
}  # fmt: skip
_NAMES = {"FLOAT": "float32", "DOUBLE": "float64"}
MAX_LISTED = 1000


def onnx_type(number: int) -> ir.DataType | None:
    """The ONNX type for the number of one of TensorFlow's; None for handles and others."""
    name = _TYPES.get(number % 100)  # a reference to a float is 101
    return ir.DataType[name] if name else None


def type_name(number: int) -> str:
    """The common name of one of TensorFlow's types, `float32` for example."""
    name = _TYPES.get(number % 100, {20: "resource", 21: "variant"}.get(number, str(number)))
    return _NAMES.get(name, name.lower())


def get(node: Any, name: str) -> Any:
    """An attribute of a node, empty where it is not set; `node.attr[name]` would set it."""
    if name in node.attr:
        return node.attr[name]
    from tensorflow.core.framework import attr_value_pb2

    return attr_value_pb2.AttrValue()


def dims(shape: Any) -> tuple[Dim, ...] | None:
    """A `TensorShapeProto` as dimensions; None where the rank is not known."""
    if shape.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else None for dim in shape.dim)


def plain(node: Any) -> dict[str, Any]:
    """All attributes that the source sets on a node, by their own names."""
    return {
        name: value(attribute)
        for name, attribute in sorted(node.attr.items())
        if name not in _DERIVED and not (name == "value" and node.op == "Const")
    }


def value(attribute: Any) -> Any:
    """One attribute: numbers, text, shapes as lists with -1 for open sizes, types by name."""
    kind = attribute.WhichOneof("value")
    if kind == "list":
        return _listed(attribute.list)
    return _single(kind, getattr(attribute, kind)) if kind else None


def _listed(attribute_list: Any) -> list[Any]:
    for kind in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
        items = getattr(attribute_list, kind)
        if items:
            return [_single(kind, item) for item in items[:MAX_LISTED]]
    return []


def _single(kind: str, item: Any) -> Any:
    if kind == "s":
        return item.decode("utf-8", "replace")
    if kind == "type":
        return type_name(item)
    if kind == "shape":
        sizes = dims(item)
        return None if sizes is None else [-1 if dim is None else dim for dim in sizes]
    if kind == "func":
        return item.name
    if kind == "tensor":
        return f"{type_name(item.dtype)} {_single('shape', item.tensor_shape)}"
    return item
