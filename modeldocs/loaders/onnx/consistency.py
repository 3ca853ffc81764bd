"""Nodes of standard operators, held against the shapes of what they read, by ONNX's own rules.

An axis, a permutation or a target shape that does not fit what it is for is told here, once: the
passes of normal form may then take them for what they say.
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
"""Elements of the largest constant that says how an operator works, as axes and shapes do."""

_GRAPHS = (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS)


def check(model: ir.Model) -> None:
    """Refuse a node that cannot read what it reads; one that reads unknown shapes is let pass.

    Raises:
        ModeldocsError: with the node and what ONNX says of it; it names no file.
    """
    imports = [onnx.helper.make_opsetid(*one) for one in model.opset_imports.items()]
    opset = model.opset_imports.get("", model.opset_imports.get("ai.onnx", 1))
    for node in model.graph:
        schema = (
            signatures.standard(node.op_type, opset)
            if node.domain in values.DEFAULT_DOMAIN
            else None
        )
        if schema is None or any(
            held.type in _GRAPHS or held.is_ref() for held in node.attributes.values()
        ):
            continue
        types = _types(node)
        if types is None:
            continue
        try:
            onnx.shape_inference.infer_node_outputs(
                schema,
                _plain(node, schema),
                types,
                _constants(node),
                opset_imports=imports,
                ir_version=onnx.IR_VERSION,
            )
        except onnx.checker.ValidationError:
            continue  # of other types, or deprecated: it still tells what it is
        except (onnx.shape_inference.InferenceError, ValueError) as error:
            if "overflow" in str(error):
                continue
            raise ModeldocsError(
                f"node {(node.name or node.op_type)[:100]!r} ({node.op_type}) cannot be: "
                f"{first_line(error)}",
                fix="run onnx.checker on it, export it again",
            ) from None


def _types(node: ir.Node) -> dict[str, TypeProto] | None:
    """The types of what a node reads, by name; None where one is not known."""
    found: dict[str, TypeProto] = {}
    for value in node.inputs:
        if value is None:
            continue
        known = isinstance(value.type, ir.TensorType) and value.dtype != ir.DataType.UNDEFINED
        if not known or value.shape is None or value.type is None:
            return None
        held = found.setdefault(str(value.name), TypeProto())
        ir.serde.serialize_type_into(held, value.type)
        ir.serde.serialize_shape_into(held, value.shape)
    return found


def _constants(node: ir.Node) -> dict[str, TensorProto]:
    """The small constants that a node reads, by name."""
    found = {}
    for value in node.inputs:
        held = value.const_value if value is not None else None
        array = values.constant(value) if held is not None and held.size <= MAX_READ else None
        if array is not None and array.dtype.kind in "iufb" and array.dtype.itemsize > 1:
            found[str(value.name)] = numpy_helper.from_array(array)  # type: ignore[union-attr]
    return found


def _plain(node: ir.Node, schema: OpSchema) -> NodeProto:
    """The node without what it carries of its origin, and without what the standard has not."""
    made = NodeProto(op_type=node.op_type, name=node.name or "")
    made.input.extend(str(value.name) if value is not None else "" for value in node.inputs)
    made.output.extend(str(value.name) for value in node.outputs)
    for name, held in node.attributes.items():
        if name in schema.attributes:
            ir.serde.serialize_attribute_into(made.attribute.add(), held)
    return made
