"""The type of the forms of TensorFlow's functions, and what several forms need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from modeldocs.loaders.keras import framework

Form = Callable[..., Any]
"""Takes the arguments of a function of TensorFlow (`input` as `tensor`), returns its results."""


def ops() -> Any:
    """The package `keras.ops`."""
    return framework.imported().ops


def as_axes(axis: Any) -> Any:
    """One axis as a number, several as a tuple."""
    if axis is None or isinstance(axis, int):
        return axis
    array = np.asarray(axis)
    return int(array) if array.ndim == 0 else tuple(int(one) for one in array)


def ints(value: Any) -> list[Any]:
    """Sizes as plain numbers; computed ones stay as they are."""
    items = value if isinstance(value, list | tuple) else np.asarray(value).tolist()
    return [int(item) if isinstance(item, int | np.integer) else item for item in items]
