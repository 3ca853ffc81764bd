"""Checks of nodes against the shapes of their operands, by ONNX's own shape inference.

An axis, a permutation or a target shape that does not fit is refused here, so that the passes of
normal form can rely on them.
"""

from __future__ import annotations

import onnx
import onnx_ir as ir
from onnx import NodeProto, TensorProto, TypeProto, numpy_helper
from onnx.defs import OpSchema

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders.onnx import signatures
from modeldocs.normal import values

MAX_READ = 64
"""Elements of the largest constant that is read as a setting, such as axes and shapes."""

_GRAPHS = (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS)


def check(model: ir.Model) -> None:
    """Refuse nodes whose operands they cannot have; unknown shapes are not checked.

    Raises:
        ModeldocsError: with the node and ONNX's message; it names no file.
    """
    imports = [onnx.helper.make_opsetid(*opset) for opset in model.opset_imports.items()]
    opset = model.opset_imports.get("", model.opset_imports.get("ai.onnx", 1))
    for node in model.graph:
        schema = (
            signatures.standard(node.op_type, opset)
            if node.domain in values.DEFAULT_DOMAIN
            else None
        )
        if schema is None or any(
            attribute.type in _GRAPHS or attribute.is_ref()
            for attribute in node.attributes.values()
        ):
            continue
        types = _types(node)
        if types is None:
            continue
        try:
            onnx.shape_inference.infer_node_outputs(
                schema,
                _standard_proto(node, schema),
                types,
                _constants(node),
                opset_imports=imports,
                ir_version=onnx.IR_VERSION,
            )
        except onnx.checker.ValidationError:
            continue  # other types, or a deprecated operator: both can still be shown
        except (onnx.shape_inference.InferenceError, ValueError) as error:
            if "overflow" in str(error):
                continue
            raise ModeldocsError(
                f"node {(node.name or node.op_type)[:100]!r} ({node.op_type}) cannot be: "
                f"{first_line(error)}",
                fix="run onnx.checker on it, export it again",
            ) from None


def _types(node: ir.Node) -> dict[str, TypeProto] | None:
    """The types of a node's operands by name; None where one is not known."""
    types: dict[str, TypeProto] = {}
    for value in node.inputs:
        if value is None:
            continue
        is_known = isinstance(value.type, ir.TensorType) and value.dtype != ir.DataType.UNDEFINED
        if not is_known or value.shape is None or value.type is None:
            return None
        proto = types.setdefault(str(value.name), TypeProto())
        ir.serde.serialize_type_into(proto, value.type)
        ir.serde.serialize_shape_into(proto, value.shape)
    return types


def _constants(node: ir.Node) -> dict[str, TensorProto]:
    """The small constants among a node's operands, by name."""
    constants = {}
    for value in node.inputs:
        tensor = value.const_value if value is not None else None
        is_small = tensor is not None and tensor.size <= MAX_READ
        array = values.constant(value) if is_small else None
        if array is not None and array.dtype.kind in "iufb" and array.dtype.itemsize > 1:
            constants[str(value.name)] = numpy_helper.from_array(array)  # type: ignore[union-attr]
    return constants


def _standard_proto(node: ir.Node, schema: OpSchema) -> NodeProto:
    """The node without its metadata, and without attributes that the standard does not know."""
    proto = NodeProto(op_type=node.op_type, name=node.name or "")
    proto.input.extend(str(value.name) if value is not None else "" for value in node.inputs)
    proto.output.extend(str(value.name) for value in node.outputs)
    for name, attribute in node.attributes.items():
        if name in schema.attributes:
            ir.serde.serialize_attribute_into(proto.attribute.add(), attribute)
    return proto
