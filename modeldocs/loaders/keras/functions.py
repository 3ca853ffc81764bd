"""Functions of TensorFlow called on symbolic tensors: `tf.reduce_mean(x)` in a Keras model.

Keras 2 took them in models built by calls, and layers of every age have them in their `call`.
Keras 3 refuses them there. Here such a call becomes an operation like any other: it runs what
TensorFlow runs, and `forms` says what it computes with operations of Keras'.
"""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

_CHECKS = "debugging."
_V1 = "compat.v1."
"""Functions of TensorFlow 2 call those of TensorFlow 1 that they are made of."""


def take() -> None:
    """Let TensorFlow hand over what it is called with and has no tensor for, from now on."""
    from tensorflow.python.util import dispatch

    class Handed(dispatch.GlobalOpDispatcher):  # type: ignore[misc]
        def handle(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            made = _handled(op, args, kwargs)
            return self.NOT_SUPPORTED if made is NotImplemented else made

    Handed().register()


def _handled(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    import keras

    flat = keras.tree.flatten((args, kwargs))
    name = _name(function)
    if name == "unstack" and len(flat) == 1 and _is_open(flat[0]):
        return list(flat[0])
    if not any(isinstance(value, keras.KerasTensor) for value in flat):
        return NotImplemented
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    if name.startswith(_CHECKS):
        return None  # it computes nothing
    if name == "shape":
        return _sizes(given["input"])
    if name == "reshape":
        given = given | {"shape": _wanted(given["shape"])}
    given = {key: _plain(value) for key, value in given.items()}
    return operation_class()(function, name)(**given)


def _name(function: Callable[..., Any]) -> str:
    """Its name below `tf`, as its documentation has it."""
    from tensorflow.python.util import tf_export

    told = tf_export.get_canonical_name_for_symbol(function, add_prefix_to_v1_names=True)
    return str(told or getattr(function, "__name__", "function")).removeprefix(_V1)


def _sizes(tensor: Any) -> np.ndarray[Any, Any]:
    """The sizes of a symbolic tensor; None where it has none, which nothing can be computed of."""
    known = None not in tensor.shape
    return np.array(tensor.shape, np.int32 if known else object)


def _is_open(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == object


def _plain(value: Any) -> Any:
    """Sizes that were told apart from open ones, as the numbers that they are."""
    if _is_open(value) and None not in value:
        return value.astype(np.int32)
    if isinstance(value, np.integer):
        return int(value)
    return value


def _wanted(shape: Any) -> Any:
    """The shape asked for, an open size as the one that follows from the others."""
    if not isinstance(shape, list | tuple | np.ndarray):
        return shape
    return [-1 if size is None else size for size in shape]


@functools.cache
def operation_class() -> Any:
    """The class of such operations."""
    import keras

    class TensorFlowFunction(keras.Operation):  # type: ignore[misc]
        """A function of TensorFlow as an operation of Keras'."""

        def __init__(self, function: Callable[..., Any], spelt: str) -> None:
            from keras.src.utils.naming import auto_name

            super().__init__(name=auto_name(spelt.rpartition(".")[2]))
            self._function, self._spelt = function, spelt

        @property
        def told_class(self) -> str:
            """As a port writes it."""
            return f"tf.{self._spelt}"

        def call(self, **given: Any) -> Any:
            held = inspect.BoundArguments(inspect.signature(self._function), OrderedDict(given))
            return self._function(*held.args, **held.kwargs)

    return TensorFlowFunction


def is_one(operation: Any) -> bool:
    """Whether an operation is a function of TensorFlow."""
    return isinstance(operation, operation_class())
