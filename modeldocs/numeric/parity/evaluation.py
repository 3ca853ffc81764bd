"""Evaluation of expressions: from stored arrays to the arrays computed from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from modeldocs.diff import WeightStep
from modeldocs.numeric.parity.expression import ARITHMETIC, Expression, in_order

Arrays = Mapping[str, np.ndarray]


def evaluate(expression: Expression, arrays: Arrays) -> np.ndarray:
    """The array of an expression, from stored ones by name. Arithmetic is in float64."""
    results: dict[int, np.ndarray] = {}
    for node in in_order(expression):
        operands = [results[id(part)] for part in node.of]
        results[id(node)] = _evaluate_step(node.step, node.shape, operands, arrays)
    return results[id(expression)]


def evaluate_steps(steps: Sequence[WeightStep], arrays: Arrays) -> np.ndarray:
    """The array that the last of some steps computes, as a map of weights has them.

    An array is read when its step is due, and let go when the last step that needs it is done.
    """
    last = {operand: number for number, step in enumerate(steps) for operand in step.of}
    results: dict[int, np.ndarray] = {}
    for number, step in enumerate(steps):
        operands = [results[index] for index in step.of]
        results[number] = _evaluate_step(step, step.shape or (), operands, arrays)
        for index in set(step.of):
            if last[index] == number:
                del results[index]
    return results[len(steps) - 1]


def _evaluate_step(
    step: WeightStep, shape: tuple[int, ...], operands: list[np.ndarray], arrays: Arrays
) -> np.ndarray:
    """The array of one step, from those of its operands; `shape` is its own."""
    by_op: dict[str, Callable[[], Any]] = {
        "read": lambda: arrays[str(step.name)],
        "full": lambda: np.full(shape, step.value),
        "transpose": lambda: operands[0].transpose(step.axes),
        "reshape": lambda: operands[0].reshape(shape),
        "flip": lambda: np.flip(operands[0], step.axes),
        "take": lambda: np.take(operands[0], np.array(step.indices), int(step.axis or 0)),
        "slice": lambda: operands[0][_slices(step)],
        "norm": lambda: _norm(operands[0], step.axes),
        "weight_norm": lambda: operands[0] * (operands[1] / _norm(operands[0], step.axes)),
        "concatenate": lambda: np.concatenate(operands, int(step.axis or 0)),
    }
    if step.op in by_op:
        return np.asarray(by_op[step.op]())
    return np.asarray(ARITHMETIC[step.op](*(part.astype(np.float64) for part in operands)))


def _norm(array: np.ndarray, axes: tuple[int, ...] | None) -> np.ndarray:
    return np.asarray(np.sqrt(np.square(array.astype(np.float64)).sum(axes, keepdims=True)))


def _slices(step: WeightStep) -> tuple[slice, ...]:
    """The index of a slice in the array that it is taken from."""
    return (*(slice(None),) * int(step.axis or 0), slice(step.start, step.stop))
