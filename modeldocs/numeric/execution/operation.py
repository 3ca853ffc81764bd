"""Operations: the nodes of a graph by names, such that two that do the same are equal."""

from __future__ import annotations

from typing import NamedTuple

import onnx_ir as ir

from modeldocs.ir import operators

_RANDOM = operators.named(random=True)
_TRAINING_MODE = 2
"""The operand of Dropout that says whether it drops."""
_PLAIN = (
    *(ir.AttributeType.INT, ir.AttributeType.FLOAT, ir.AttributeType.STRING),
    *(ir.AttributeType.INTS, ir.AttributeType.FLOATS, ir.AttributeType.STRINGS),
)


class ExecutedNode(NamedTuple):
    """A node: what it does, and the names of the values that it reads and computes.

    `kind` is None where it cannot be told whether another node does the same.
    """

    kind: str | None
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]


def operations(model: ir.Model) -> list[ExecutedNode]:
    """The operations of a model, in its order."""
    return [
        ExecutedNode(
            _kind(model, node),
            tuple(None if value is None else str(value.name) for value in node.inputs),
            tuple(str(value.name or "") for value in node.outputs),
        )
        for node in model.graph
    ]


def is_random(node: ir.Node) -> bool:
    """Whether a node may compute other numbers in each run: one in its bodies does, too."""
    if node.op_type in _RANDOM and not node.domain:
        return True
    if node.op_type == "Dropout" and not node.domain:
        mode = node.inputs[_TRAINING_MODE] if len(node.inputs) > _TRAINING_MODE else None
        return mode is not None and (mode.const_value is None or bool(mode.const_value.numpy()))
    bodies = (a for a in node.attributes.values() if a.type == ir.AttributeType.GRAPH)
    return any(is_random(inner) for body in bodies for inner in body.as_graph())


def _kind(model: ir.Model, node: ir.Node) -> str | None:
    attributes = sorted(node.attributes.items())
    is_plain = all(one.type in _PLAIN and not one.is_ref() for _, one in attributes)
    if not is_plain or is_random(node) or node.op_identifier() in model.functions:
        return None
    values = [(name, one.type.value, one.value) for name, one in attributes]
    version = model.opset_imports.get(node.domain)
    outputs = [bool(value.name) for value in node.outputs]
    return repr((node.domain, node.op_type, version, values, outputs))
