"""Checks of nodes against the operators' signatures in the ONNX standard.

The passes of normal form can then rely on the number of operands and the types of attributes.
"""

from __future__ import annotations

import functools

import onnx
from onnx import AttributeProto, NodeProto
from onnx.defs import OpSchema

from modeldocs.errors import ModeldocsError

AGAIN = "export the model again"

MAX_VERSION = 2**31 - 1
"""Largest version of an operator set that ONNX's own library accepts."""

_DOMAINS = ("", "ai.onnx")
_AT_LEAST_ONE = ("kernel_shape", "strides", "dilations", "group", "num_groups", "blocksize")
_AT_LEAST_ZERO = ("batch_dims",)
"""ONNX's own shape inference reads out of bounds where one of these is negative."""


def check(node: NodeProto, opset: int) -> None:
    """Refuse a node with too few or too many operands or outputs, or an attribute of a wrong type.

    Operators and attributes that the standard does not know are not checked, except that every
    attribute must have a type.

    Raises:
        ModeldocsError: with the node and what is wrong with it; it names no file.
    """
    for attribute in node.attribute:
        if attribute.type == AttributeProto.UNDEFINED and not attribute.ref_attr_name:
            raise _wrong(node, f"has {attribute.name!r} of no kind")
    if not all(device.configuration_id for device in node.device_configurations):
        raise _wrong(node, "names no device configuration where it asks for one")
    if node.domain not in _DOMAINS:
        return
    schema = standard(node.op_type, opset)
    if node.op_type == "Constant":
        _check_constant(node)
    if schema is None:
        return
    operands = len(node.input)
    if operands < schema.min_input or operands > schema.max_input or _lacks_operand(node, schema):
        raise _wrong(node, f"has {operands} operands, which {node.op_type} cannot take")
    if not schema.min_output <= len(node.output) <= schema.max_output:
        raise _wrong(node, f"has {len(node.output)} outputs, which {node.op_type} cannot give")
    declared = next((a.i for a in node.attribute if a.name == "num_outputs"), 0)
    if node.op_type == "Split" and declared not in (0, len(node.output)):
        raise _wrong(node, f"has {len(node.output)} outputs, and says that there are {declared}")
    for attribute in node.attribute:
        _check_attribute(node, attribute, schema)


@functools.cache
def standard(operator: str, opset: int) -> OpSchema | None:
    """The schema of an operator in a version of the standard set; None where it has none."""
    try:
        return onnx.defs.get_schema(operator, max_inclusive_version=opset, domain="")
    except (onnx.defs.SchemaError, TypeError, UnicodeError):
        return None


def _lacks_operand(node: NodeProto, schema: OpSchema) -> bool:
    """Whether an operand is left out that is not optional: a Loop may lack its condition."""
    required = OpSchema.FormalParameterOption.Single
    return any(
        not name and parameter.option == required
        for name, parameter in zip(node.input, schema.inputs, strict=False)
    )


def _check_constant(node: NodeProto) -> None:
    """Refuse a Constant without exactly one value, by the attributes of the latest version."""
    latest = standard("Constant", MAX_VERSION)
    known = latest.attributes if latest is not None else {}
    if len(node.attribute) != 1 or node.attribute[0].name not in known:
        raise _wrong(node, "is a constant that does not have one value")
    _check_attribute(node, node.attribute[0], latest)


def _check_attribute(node: NodeProto, attribute: AttributeProto, schema: OpSchema) -> None:
    known = schema.attributes.get(attribute.name)
    if known is None or attribute.ref_attr_name:
        return
    if attribute.type != int(known.type.value):
        kind = AttributeProto.AttributeType.Name(attribute.type)
        raise _wrong(node, f"has {attribute.name!r} of the kind {kind}, and not {known.type.name}")
    if attribute.name in _AT_LEAST_ONE and min((attribute.i or 1, *attribute.ints)) < 1:
        raise _wrong(node, f"has {attribute.name!r} below 1")
    if attribute.name in _AT_LEAST_ZERO and attribute.i < 0:
        raise _wrong(node, f"has {attribute.name!r} below 0")


def _wrong(node: NodeProto, what: str) -> ModeldocsError:
    name = (node.name or node.op_type)[:100]
    return ModeldocsError(f"node {name!r} {what}", fix=AGAIN)
