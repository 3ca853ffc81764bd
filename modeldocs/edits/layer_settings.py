"""The settings of a layer that can be set, with their values as a reader writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs.edits import attributes
from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.struct import Struct

_KINDS = {
    ir.AttributeType.INT: "whole",
    ir.AttributeType.INTS: "wholes",
    ir.AttributeType.FLOAT: "number",
    ir.AttributeType.STRING: "word",
}
"""What a reader writes for an attribute of ONNX; others cannot be set."""


class LayerSetting(Struct, frozen=True):
    """A setting as a form shows it; the value is empty where it is the default of ONNX, or open.

    `kind` is `whole`, `wholes` (separated by commas), `number`, `word`, `switch` (0 or 1) or
    `choice`, which is one of `choices`.
    """

    name: str
    kind: str
    value: str = ""
    choices: tuple[str, ...] = ()


def of_node(node: ir.Node) -> tuple[LayerSetting, ...]:
    """The settings of a layer, those that change its shape first."""
    return tuple(_settings(node))


def _settings(node: ir.Node) -> Iterator[LayerSetting]:
    own = operators.of(node.op_type)
    if own.family == "activation" and own.unary:
        choices = tuple(dict.fromkeys((*attributes.activations(), node.op_type)))
        yield LayerSetting(name="operator", kind="choice", value=node.op_type, choices=choices)
    kinds, feature = attributes.kinds(node), attributes.feature(node)
    for name in attributes.names(node):
        if name == feature:
            yield LayerSetting(name=name, kind="whole", value=_features(node))
        elif name == "heads":
            heads = values.attribute(node, "q_num_heads")
            yield LayerSetting(name=name, kind="whole", value="" if heads is None else str(heads))
        elif name in kinds:
            kind = "switch" if name in attributes.SWITCHES else _KINDS.get(kinds[name])
            if kind is not None:
                yield LayerSetting(name=name, kind=kind, value=_attribute(node, name))
        else:
            yield LayerSetting(name=name, kind="number", value=_operand(node, name))


def _features(node: ir.Node) -> str:
    """The channels or units that a layer gives; empty where they are not known yet."""
    shape = values.shape(node.outputs[0])
    if not shape or len(shape) < 2:
        return ""
    return str(shape[1] if operators.family(node.op_type) == "convolution" else shape[-1])


def _attribute(node: ir.Node, name: str) -> str:
    value = values.attribute(node, name)
    if value is None and onnx.defs.has(node.op_type):
        default = onnx.defs.get_schema(node.op_type).attributes.get(name)
        if default is not None and default.default_value.type:
            value = onnx.helper.get_attribute_value(default.default_value)
    return "" if value is None else _text(value)


def _operand(node: ir.Node, name: str) -> str:
    slot = attributes.constant_slot(node, name)
    constant = values.constant(node.inputs[slot]) if slot is not None else None
    return "" if constant is None else _text(constant.reshape(-1)[0].item())


def _text(value: Any) -> str:
    """A value as edits are given it: numbers separated by commas, of 32 bits."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float):
        return str(np.float32(value))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(_text, value))
    return str(value)
