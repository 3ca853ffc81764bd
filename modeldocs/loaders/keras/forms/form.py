"""What a form is, and what all forms need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from modeldocs.loaders.keras import framework

Form = Callable[..., Any]
"""Takes what the function of TensorFlow takes (`input` as `tensor`), gives what it gives."""


def ops() -> Any:
    """The package `keras.ops`."""
    return framework.imported().ops


def axes(axis: Any) -> Any:
    """One axis as a number, several as a tuple."""
    if axis is None or isinstance(axis, int):
        return axis
    made = np.asarray(axis)
    return int(made) if made.ndim == 0 else tuple(int(one) for one in made)


def ints(value: Any) -> list[Any]:
    """Sizes as plain numbers, computed ones as they are."""
    items = value if isinstance(value, list | tuple) else np.asarray(value).tolist()
    return [int(item) if isinstance(item, int | np.integer) else item for item in items]
