"""Recurrent layers: gates in ONNX's order, and one or both directions in one node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.inference import shape_of

GATES = {"LSTM": "iofc", "GRU": "zrh", "RNN": "h"}
"""ONNX's order of the gates: input, output, forget, cell; update (z), reset, hidden."""


def reorder_gates(layer: NodeBuilder, value: ir.Value, gates: str, kind: str) -> ir.Value:
    """Weights or biases, their gates along axis 0 brought from an order such as `ifco` to ONNX's.

    `kind` is `LSTM`, `GRU` or `RNN`.
    """
    if gates == GATES[kind]:
        return value
    (rows,) = sizes(shape_of(value)[:1])
    parts = cutting.split(layer, value, [rows // len(gates)] * len(gates), 0)
    by_gate = dict(zip(gates, parts, strict=True))
    return layer.node("Concat", [by_gate[gate] for gate in GATES[kind]], axis=0)


def stack_directions(layer: NodeBuilder, values: Sequence[ir.Value]) -> ir.Value:
    """Weights of one or both directions, each (1, …), as one operand."""
    return values[0] if len(values) == 1 else layer.node("Concat", values, axis=0)


def recurrent(
    layer: NodeBuilder, kind: str, operands: Sequence[ir.Value | None], **attributes: Any
) -> list[ir.Value]:
    """An LSTM, GRU or RNN node over steps (time, batch, width).

    `operands` are the steps, W, R and B with their gates in ONNX's order, the length of each
    sequence, and the initial hidden and cell state (directions, batch, hidden).

    Returns:
        All steps (time, directions, batch, hidden), then the last states.
    """
    return layer.node_of_several(kind, operands, 3 if kind == "LSTM" else 2, **attributes)
