"""Attributes that became operands, and defaults that changed: read off ONNX's own schemas."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs.ir.operators import OPSET
from modeldocs.normal import values
from modeldocs.normal.opset.upgrade import Upgrade, UpgradeError, schema

_RENAMED = {"value": "constant_value"}
"""Attributes that became an operand of another name."""

_VECTORS = ("K",)
"""Operands that are vectors, whose attribute was one number."""


def differ(node: ir.Node, old: onnx.defs.OpSchema) -> bool:
    """Whether attributes of a node, or their defaults, are not those of `OPSET`."""
    new = schema(node.op_type, OPSET)
    if new is None or new.since_version == old.since_version:
        return False
    removed = any(name in old.attributes and name not in new.attributes for name in node.attributes)
    return removed or bool(_changed_defaults(old, new).keys() - node.attributes.keys())


def state_defaults(node: ir.Node, old: onnx.defs.OpSchema) -> None:
    """Write down attributes that are absent, and whose default changed or is an operand's now."""
    new = schema(node.op_type, OPSET)
    defaults = _changed_defaults(old, new) if new is not None else {}
    for name, value in defaults.items():
        if name not in node.attributes:
            node.attributes[name] = ir.convenience.convert_attribute(name, value)


def move(upgrade: Upgrade, old: onnx.defs.OpSchema) -> None:
    """Make operands of attributes that `OPSET` has as operands; drop those that it lacks.

    Raises:
        UpgradeError: the operator is in `OPSET` no more, or an attribute refers to a function's.
    """
    node = upgrade.node
    new = schema(node.op_type, OPSET)
    if new is None or new.deprecated:
        raise UpgradeError
    for name in [name for name in node.attributes if name not in new.attributes]:
        slot = _slot(name, new)
        if slot is not None:
            operand = _operand(upgrade, name, new.inputs[slot].name)
            if operand is not None and upgrade.operand(slot) is None:
                upgrade.put(slot, operand)
        if slot is not None or name in old.attributes:
            node.attributes.pop(name)


def _changed_defaults(old: onnx.defs.OpSchema, new: onnx.defs.OpSchema) -> dict[str, Any]:
    """Defaults that another one took the place of, by attribute; None is no default."""
    defaults = {name: _default(attribute) for name, attribute in old.attributes.items()}
    changed = {
        name: value
        for name, value in defaults.items()
        if value is not None
        and name in new.attributes
        and _default(new.attributes[name]) not in (None, value)
    }
    if new.name == "DFT" and "axis" in defaults:
        changed["axis"] = defaults["axis"]
    return changed


def _default(attribute: onnx.defs.OpSchema.Attribute) -> Any:
    if not attribute.default_value.type:
        return None
    value = onnx.helper.get_attribute_value(attribute.default_value)
    return value.decode() if isinstance(value, bytes) else value


def _slot(attribute: str, new: onnx.defs.OpSchema) -> int | None:
    """The operand that an attribute became; None where it became none."""
    name = _RENAMED.get(attribute, attribute).lower()
    named = (slot for slot, formal in enumerate(new.inputs) if formal.name.lower() == name)
    return next(named, None)


def _operand(upgrade: Upgrade, name: str, operand: str) -> ir.Value | None:
    """An attribute's value as a constant; None for an empty list, which is no operand."""
    value = upgrade.attribute(name)
    kind = upgrade.node.attributes[name].type
    if kind == ir.AttributeType.FLOAT:
        return upgrade.number(value, upgrade.x, name)
    if kind == ir.AttributeType.INT:
        shape = (1,) if operand in _VECTORS else ()
        return upgrade.constant(np.full(shape, value, np.int64), name)
    if not value:
        return None
    dtype = np.float32 if kind == ir.AttributeType.FLOATS else np.int64
    return upgrade.constant(np.array(value, dtype), name)


def constant(value: ir.Value | None) -> np.ndarray[Any, Any] | None:
    """The array of an initializer or a Constant node's output; None where it is neither."""
    array = values.constant(value)
    producer = value.producer() if value is not None else None
    if array is None and producer is not None and values.is_operator(producer, "Constant"):
        held = producer.attributes.get("value")
        return None if held is None or held.is_ref() else np.asarray(held.value.numpy())
    return array
