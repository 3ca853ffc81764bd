"""Evaluation of expressions: from stored arrays to the arrays computed from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from modeldocs.numeric.parity.expression import ARITHMETIC, Expression, in_order

Arrays = Mapping[str, np.ndarray]


def evaluate(expression: Expression, arrays: Arrays) -> np.ndarray:
    """The array of an expression, from stored ones by name. Arithmetic is in float64."""
    results: dict[int, np.ndarray] = {}
    for node in in_order(expression):
        results[id(node)] = _evaluate_step(node, [results[id(part)] for part in node.of], arrays)
    return results[id(expression)]


def _evaluate_step(node: Expression, operands: list[np.ndarray], arrays: Arrays) -> np.ndarray:
    """The array of one step, from those of its operands."""
    step = node.step
    by_op: dict[str, Callable[[], Any]] = {
        "read": lambda: arrays[str(step.name)],
        "full": lambda: np.full(node.shape, step.value),
        "transpose": lambda: operands[0].transpose(step.axes),
        "reshape": lambda: operands[0].reshape(node.shape),
        "flip": lambda: np.flip(operands[0], step.axes),
        "take": lambda: np.take(operands[0], np.array(step.indices), int(step.axis or 0)),
        "slice": lambda: operands[0][_slices(node)],
        "norm": lambda: _norm(operands[0], step.axes),
        "weight_norm": lambda: operands[0] * (operands[1] / _norm(operands[0], step.axes)),
        "concatenate": lambda: np.concatenate(operands, int(step.axis or 0)),
    }
    if step.op in by_op:
        return np.asarray(by_op[step.op]())
    return np.asarray(ARITHMETIC[step.op](*(part.astype(np.float64) for part in operands)))


def _norm(array: np.ndarray, axes: tuple[int, ...] | None) -> np.ndarray:
    return np.asarray(np.sqrt(np.square(array.astype(np.float64)).sum(axes, keepdims=True)))


def _slices(node: Expression) -> tuple[slice, ...]:
    """The index of a slice in the array that it is taken from."""
    before = (slice(None),) * int(node.step.axis or 0)
    return (*before, slice(node.step.start, node.step.stop))
