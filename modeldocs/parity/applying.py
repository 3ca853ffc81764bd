"""Recipes applied: the arrays that they make of stored ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from modeldocs.parity.recipe import ARITHMETIC, Recipe, ordered

Arrays = Mapping[str, np.ndarray]


def applied(recipe: Recipe, held: Arrays) -> np.ndarray:
    """The array that a recipe makes of stored ones, by name; computed in float64."""
    made: dict[int, np.ndarray] = {}
    for one in ordered(recipe):
        made[id(one)] = _done(one, [made[id(part)] for part in one.of], held)
    return made[id(recipe)]


def _done(one: Recipe, parts: list[np.ndarray], held: Arrays) -> np.ndarray:
    """An array, of those that it is made of."""
    step = one.step
    by_op: dict[str, Callable[[], Any]] = {
        "read": lambda: held[str(step.name)],
        "full": lambda: np.full(one.shape, step.value),
        "transpose": lambda: parts[0].transpose(step.axes),
        "reshape": lambda: parts[0].reshape(one.shape),
        "flip": lambda: np.flip(parts[0], step.axes),
        "take": lambda: np.take(parts[0], np.array(step.indices), int(step.axis or 0)),
        "slice": lambda: parts[0][_place(one)],
        "concatenate": lambda: np.concatenate(parts, int(step.axis or 0)),
    }
    if step.op in by_op:
        return np.asarray(by_op[step.op]())
    return np.asarray(ARITHMETIC[step.op](*(part.astype(np.float64) for part in parts)))


def _place(one: Recipe) -> tuple[slice, ...]:
    """Where a piece lies in what it is cut out of."""
    before = (slice(None),) * int(one.step.axis or 0)
    return (*before, slice(one.step.start, one.step.stop))
