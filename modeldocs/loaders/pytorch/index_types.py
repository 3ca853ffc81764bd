"""Indices of 32 bits that torch's exporter gives to operators that take those of 64 alone."""

from __future__ import annotations

from functools import cache

import onnx
import onnx_ir as ir

from modeldocs.ir.operators import OPSET


def widen(model: ir.Model) -> None:
    """Cast int32 to int64 where ONNX demands int64, as ScatterND does of its indices."""
    for node in list(model.graph.all_nodes()):
        for place in _wide_inputs(node.op_type) if node.domain == "" else ():
            value = node.inputs[place] if place < len(node.inputs) else None
            if value is None or _type(value) != ir.DataType.INT32:
                continue
            wide = ir.node("Cast", [value], {"to": ir.DataType.INT64})
            wide.outputs[0].shape, wide.outputs[0].type = (
                value.shape,
                ir.TensorType(ir.DataType.INT64),
            )
            wide.metadata_props.update(node.metadata_props)
            wide.meta.update(node.meta)
            assert node.graph is not None
            node.graph.insert_before(node, wide)
            node.replace_input_with(place, wide.outputs[0])


def _type(value: ir.Value) -> ir.DataType | None:
    """The type of a value; the exporter leaves it out where it is that of the first operand."""
    node = value.producer()
    while value.dtype is None and node is not None and _keeps_type(node.op_type) and node.inputs[0]:
        value = node.inputs[0]
        node = value.producer()
    return value.dtype


@cache
def _keeps_type(operator: str) -> bool:
    """Whether the first output has the type of the first input."""
    if not onnx.defs.has(operator):
        return False
    schema = onnx.defs.get_schema(operator, OPSET)
    return bool(schema.inputs) and schema.inputs[0].type_str == schema.outputs[0].type_str


@cache
def _wide_inputs(operator: str) -> tuple[int, ...]:
    """The places of the inputs that are int64 and nothing else."""
    if not onnx.defs.has(operator):
        return ()
    schema = onnx.defs.get_schema(operator, OPSET)
    return tuple(i for i, one in enumerate(schema.inputs) if one.type_str == "tensor(int64)")
