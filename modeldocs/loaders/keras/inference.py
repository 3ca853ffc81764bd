"""Shapes and types of one node's outputs, as ONNX itself infers them."""

from __future__ import annotations

from typing import Any

import onnx
import onnx_ir as ir

MAX_ELEMENTS = 1024
"""Constants up to this size are looked at: axes, sizes, pads."""


def complete(node: ir.Node, opset: int) -> None:
    """Fill in what the outputs of a node lack; nothing where ONNX cannot tell."""
    if all(value.shape is not None and value.dtype is not None for value in node.outputs):
        return
    try:
        schema = onnx.defs.get_schema(node.op_type, opset, node.domain)
        proto = ir.to_proto(node)
        made = onnx.shape_inference.infer_node_outputs(
            schema,
            proto,
            {str(v.name): _type(v) for v in node.inputs if v is not None},
            {str(v.name): d for v in node.inputs if v is not None and (d := _data(v)) is not None},
            opset_imports=[onnx.helper.make_opsetid("", opset)],
        )
    except (
        onnx.defs.SchemaError,
        onnx.shape_inference.InferenceError,
        onnx.checker.ValidationError,
        RuntimeError,
    ):
        return
    for value in node.outputs:
        if str(value.name) in made:
            _fill(value, made[str(value.name)])


def _type(value: ir.Value) -> Any:
    dtype = int(value.dtype) if value.dtype is not None else 0
    if value.shape is None:
        return onnx.helper.make_tensor_type_proto(dtype, None)
    shape = [dim if isinstance(dim, int) else None for dim in value.shape]
    return onnx.helper.make_tensor_type_proto(dtype, shape)


def _data(value: ir.Value) -> Any:
    """The tensor of a small constant: parameters have no values here."""
    if value.const_value is None or value.const_value.size > MAX_ELEMENTS:
        return None
    held = value.const_value
    return ir.to_proto(held) if not isinstance(held, ir.ExternalTensor) else None


def _fill(value: ir.Value, proto: Any) -> None:
    tensor = proto.tensor_type
    if value.dtype is None and tensor.elem_type:
        value.type = ir.TensorType(ir.DataType(tensor.elem_type))
    if value.shape is None and tensor.HasField("shape"):
        dims = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
        value.shape = ir.Shape(dims)
