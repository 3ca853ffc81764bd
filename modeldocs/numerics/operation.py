"""Operations: the nodes of a graph by names, such that two that do the same are equal."""

from __future__ import annotations

from typing import NamedTuple

import onnx_ir as ir

_PLAIN = (
    *(ir.AttributeType.INT, ir.AttributeType.FLOAT, ir.AttributeType.STRING),
    *(ir.AttributeType.INTS, ir.AttributeType.FLOATS, ir.AttributeType.STRINGS),
)
_RANDOM = (
    *("Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike"),
    *("RandomUniform", "RandomUniformLike"),
)
"""Operators that may give other values in each run."""


class Operation(NamedTuple):
    """A node: what it does, and the names of the values that it reads and computes.

    `kind` is None where it cannot be told whether another node does the same.
    """

    kind: str | None
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]


def operations(model: ir.Model) -> list[Operation]:
    """The operations of a model, in its order."""
    return [
        Operation(
            _kind(model, node),
            tuple(None if value is None else str(value.name) for value in node.inputs),
            tuple(str(value.name or "") for value in node.outputs),
        )
        for node in model.graph
    ]


def _kind(model: ir.Model, node: ir.Node) -> str | None:
    attributes = sorted(node.attributes.items())
    is_plain = all(one.type in _PLAIN and not one.is_ref() for _, one in attributes)
    if not is_plain or node.op_type in _RANDOM or node.op_identifier() in model.functions:
        return None
    values = [(name, one.type.value, one.value) for name, one in attributes]
    version = model.opset_imports.get(node.domain)
    outputs = [bool(value.name) for value in node.outputs]
    return repr((node.domain, node.op_type, version, values, outputs))
