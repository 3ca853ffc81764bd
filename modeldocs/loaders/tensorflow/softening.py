"""Classifiers that seeded weights make all too certain, so that they would prove nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.tensorflow.assembly import Assembled
from modeldocs.loaders.tensorflow.drawing import PASSING
from modeldocs.loaders.tensorflow.program import HANDLES, Operation, Ref

SPREAD = 3.0
"""Standard deviation of the scores that a softmax is given at most."""

_SOFTMAX = ("Softmax", "LogSoftmax")
_ADDED = ("BiasAdd", "BiasAddV1", "Add", "AddV2")
_MOVED = ("Reshape", "Squeeze", "ExpandDims", "Mean")
_LINEAR = ("MatMul", "Conv2D", "BatchMatMulV2")

Scores = Callable[[list[Ref]], list[np.ndarray[Any, Any]]]


def soften(made: Assembled, run: Scores) -> None:
    """Scale the weights and biases that give an output's scores, so that these spread less.

    Activations of a deep residual network grow with every block; a softmax of large scores is
    one-hot whatever came before it. `run` tells what operations give with the weights as they are.
    """
    heads = [head for ref in made.typed.flat.outputs if (head := _head(made, ref)) is not None]
    for (_, names), scores in zip(heads, run([ref for ref, _ in heads]), strict=True):
        factor = SPREAD / max(float(np.std(scores)), SPREAD)
        if np.isfinite(factor) and factor < 1:
            for name in names:
                _scale(made, name, factor)


def _scale(made: Assembled, name: str, factor: float) -> None:
    held = made.drawing.parameters
    array = (held.seeded[name] * factor).astype(held.seeded[name].dtype)
    held.seeded[name] = array
    value = held.made(name)
    if value is not None:
        value.const_value = ir.tensor(array, name=value.name)


def _head(made: Assembled, ref: Ref) -> tuple[Ref, list[str]] | None:
    """The scores that an output's softmax reads, and the variables that they are linear in."""
    operation = _past(made, ref, PASSING)
    if operation is None or operation.kind not in _SOFTMAX:
        return None
    scores = operation.inputs[0]
    names: list[str] = []
    operation = _past(made, scores, (*PASSING, *_MOVED))
    while operation is not None and operation.kind in _ADDED:
        slot = _parameter_slot(made, operation)
        if slot is None:
            return None
        names += _variable(made, operation.inputs[slot])
        operation = _past(made, operation.inputs[1 - slot], (*PASSING, *_MOVED))
    if operation is None or operation.kind not in _LINEAR:
        return None
    names += _variable(made, operation.inputs[1])
    return (scores, names) if names else None


def _past(made: Assembled, ref: Ref, kinds: tuple[str, ...]) -> Operation | None:
    operation = made.drawing.producer(ref)
    while operation is not None and operation.kind in kinds and operation.inputs:
        operation = made.drawing.producer(operation.inputs[0])
    return operation


def _parameter_slot(made: Assembled, operation: Operation) -> int | None:
    slots = [s for s in (1, 0) if _variable(made, operation.inputs[s])]
    return slots[0] if slots else None


def _variable(made: Assembled, ref: Ref) -> list[str]:
    """The name of the operation that holds the variable that an output is, if it is one."""
    operation = _past(made, ref, (*PASSING, *_MOVED, "Cast"))
    is_one = operation is not None and operation.kind in HANDLES
    return [operation.name] if is_one and operation is not None else []
