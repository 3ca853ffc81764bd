"""Emitter of Chainer's LSTM step; its products with weights are functions of their own."""

from __future__ import annotations

from modeldocs.loaders.chainer.operation import ChainerOperation, emits
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.operation import Outputs


@emits("LSTM")
def lstm(op: ChainerOperation) -> Outputs:
    """One step; the gates are interleaved: cell, input, forget, output."""
    state, gates = op.inputs
    shape = op.shape(0)
    if shape[0] != op.shape(1)[0]:
        return op.opaque()
    interleaved = op.reshape(gates, (shape[0], shape[1], 4, *shape[2:]))
    parts = [op.reshape(part, shape) for part in cutting.split(op, interleaved, [1] * 4, 2)]
    candidate = op.node("Tanh", parts[:1])
    enter, forget, leave = (op.node("Sigmoid", [part]) for part in parts[1:])
    kept = op.node("Mul", [forget, state])
    cell = op.node("Add", [op.node("Mul", [candidate, enter]), kept])
    return [cell, op.node("Mul", [leave, op.node("Tanh", [cell])])]
