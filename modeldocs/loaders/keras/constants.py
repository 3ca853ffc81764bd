"""Variables that are constants of the function: tables and frequencies that training never sets.

A layer declares them as not trainable, and gives them their values itself. Statistics begin as
zeros or ones, and random numbers are of no layer's own making: those are parameters.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from modeldocs.loaders.emission.builder import MAX_CONSTANT

_MARK = "_modeldocs_initializer"


@contextlib.contextmanager
def recorded(keras: Any) -> Iterator[None]:
    """Within it, variables keep what they were made with."""
    original = keras.Variable.__init__

    def init(variable: Any, initializer: Any, *args: Any, **kwargs: Any) -> None:
        original(variable, initializer, *args, **kwargs)
        setattr(variable, _MARK, initializer)

    keras.Variable.__init__ = init
    try:
        yield
    finally:
        keras.Variable.__init__ = original


def declared(model: Any) -> set[int]:
    """Ids of the variables that layers declared as not trainable; frozen ones are others."""
    return {id(v) for layer in model._flatten_layers() for v in layer._non_trainable_variables}


def values(keras: Any, variable: Any) -> np.ndarray[Any, Any] | None:
    """The values of a variable that its layer made; None for parameters and statistics."""
    is_float = "float" in str(variable.dtype)
    if is_float and not hasattr(variable, _MARK):
        return None  # of a live model, which may have been trained
    initializer = getattr(variable, _MARK, None)
    drawing = keras.initializers.RandomNormal.__base__  # of all initializers that draw numbers
    if isinstance(initializer, drawing) or not variable.shape:
        return None
    if not 1 < int(np.prod(variable.shape)) <= MAX_CONSTANT:
        return None
    first = variable.value
    if callable(initializer) and is_float:
        first = initializer(variable.shape, dtype=variable.dtype)
    if not _varies(keras, first):
        return None
    array: np.ndarray[Any, Any] = np.asarray(keras.ops.convert_to_numpy(variable.value))
    return array


def _varies(keras: Any, value: Any) -> bool:
    """Whether not all elements are one number."""
    array = np.asarray(keras.ops.convert_to_numpy(value)).reshape(-1)
    return bool((array != array[0]).any())
