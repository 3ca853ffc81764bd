"""Types of values that are no tensors: sequences, and optional values.

`onnx_ir` keeps the element type alone of what ONNX infers, so that a sequence looks like a tensor.
"""

from __future__ import annotations

import onnx
import onnx_ir as ir
from onnx.defs import OpSchema

from modeldocs.normal import values


def restore(model: ir.Model) -> None:
    """Give values the type of a sequence or optional value where their operator says so."""
    opset = model.opset_imports.get("", 1)
    for node in ir.traversal.RecursiveGraphIterator(model.graph):
        schema = _schema(node, opset)
        if schema is None:
            continue
        inputs = {
            _at(schema.inputs, slot).type_str: value.type
            for slot, value in enumerate(node.inputs)
            if value is not None and not isinstance(value.type, ir.TensorType | None)
        }
        for index, value in enumerate(node.outputs):
            if isinstance(value.type, ir.TensorType):
                formal = _at(schema.outputs, index)
                value.type = inputs.get(formal.type_str) or _composite(formal, value.type)


def _schema(node: ir.Node, opset: int) -> OpSchema | None:
    """The schema of a standard operator with any output that may be no tensor."""
    if node.domain not in values.DEFAULT_DOMAIN:
        return None
    try:
        schema = onnx.defs.get_schema(node.op_type, opset)
    except onnx.defs.SchemaError:
        return None
    may_be = any(not kind.startswith("tensor(") for out in schema.outputs for kind in out.types)
    return schema if may_be else None


def _at(formal: list[OpSchema.FormalParameter], index: int) -> OpSchema.FormalParameter:
    """The formal parameter of an operand or output; the last one may take any number."""
    return formal[min(index, len(formal) - 1)]


def _composite(formal: OpSchema.FormalParameter, inferred: ir.TensorType) -> ir.TypeProtocol:
    """The type of an output that is a sequence or optional in every case; else as inferred."""
    if all(kind.startswith("seq(") for kind in formal.types):
        return ir.SequenceType(inferred)
    if all(kind.startswith("optional(tensor") for kind in formal.types):
        return ir.OptionalType(inferred)
    if all(kind.startswith("optional(seq") for kind in formal.types):
        return ir.OptionalType(ir.SequenceType(inferred))
    return inferred
