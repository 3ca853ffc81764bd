"""The step of a recurrent layer; its products with weights are functions of their own."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits
from modeldocs.loaders.emission import cutting


@emits("LSTM")
def lstm(step: Step) -> Sequence[ir.Value]:
    """One step: gates lie interleaved, as input, input gate, forget gate, output gate."""
    state, gates = step.operands
    shape, given = step.shape(0), step.shape(1)
    if shape[0] != given[0]:
        return step.opaque()
    parted = step.reshape(gates, (shape[0], shape[1], 4, *shape[2:]))
    flat = [step.reshape(piece, shape) for piece in cutting.split(step, parted, [1] * 4, 2)]
    new = step.node("Tanh", flat[:1])
    enter, forget, leave = (step.node("Sigmoid", [gate]) for gate in flat[1:])
    kept = step.node("Mul", [forget, state])
    cell = step.node("Add", [step.node("Mul", [new, enter]), kept])
    return [cell, step.node("Mul", [leave, step.node("Tanh", [cell])])]
