"""Weights that a model holds and its graph does not: those of a head that is not called."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from modeldocs.loaders.keras.running import Array, Run


def weights(model: Any, known: Collection[int]) -> list[Any]:
    """Weights that are none of the variables whose ids are known; counters are no parameters."""
    return [v for v in model.weights if id(v) not in known and "float" in str(v.dtype)]


def note(held: Sequence[Any]) -> list[str]:
    """What is said of them."""
    if not held:
        return []
    paths = [str(variable.path) for variable in held]
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return [f"parameters that are there but never read: {', '.join(paths[:3])}{more}"]


def confirmed(held: list[Any], run: Run, outputs: Sequence[Array]) -> list[Any]:
    """All of them where Keras gives the same whatever values they have; none where it does not."""
    for variable in held:
        variable.assign(np.asarray(variable) * 1.5 + 0.5)
    same = not held or all(map(np.array_equal, outputs, run.outputs()))
    return held if same else []
