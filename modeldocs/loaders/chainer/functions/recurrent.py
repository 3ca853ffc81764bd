"""The step of a recurrent layer; its products with weights are functions of their own."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits


@emits("LSTM")
def lstm(step: Step) -> Sequence[ir.Value]:
    """One step: gates lie interleaved, as input, input gate, forget gate, output gate."""
    state, gates = step.operands
    shape, given = step.shape(0), step.shape(1)
    if shape[0] != given[0]:
        return step.opaque()
    wide = (shape[0], shape[1], 4, *shape[2:])
    quarter = (shape[0], shape[1], 1, *shape[2:])
    sizes = step.integers([1] * 4)
    parted = step.reshape(gates, wide)
    pieces = step.emit("Split", [parted, sizes], [quarter] * 4, {"axis": 2})
    flat = [step.reshape(piece, shape) for piece in pieces]
    new = step.node("Tanh", flat[:1], shape)
    enter, forget, leave = (step.node("Sigmoid", [gate], shape) for gate in flat[1:])
    kept = step.node("Mul", [forget, state], shape)
    cell = step.node("Add", [step.node("Mul", [new, enter], shape), kept], shape)
    return [cell, step.node("Mul", [leave, step.node("Tanh", [cell], shape)], shape)]
