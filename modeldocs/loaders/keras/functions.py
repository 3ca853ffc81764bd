"""Functions of TensorFlow called with symbolic tensors: `tf.reduce_mean(x)` in a Keras model.

Keras 2 accepted them in models built by calls, and layers have them in their `call`. Keras 3
refuses symbolic tensors there. Here such a call is recorded as an operation that runs the function;
`operators.functions` expresses it in operations of Keras.
"""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

KIND = "TensorFlowFunction"
"""The class of the recorded operations."""

_CHECKS = "debugging."
_V1 = "compat.v1."
"""Functions of TensorFlow 2 call those of TensorFlow 1."""


def record() -> None:
    """Record calls with symbolic tensors from now on, through TensorFlow's dispatcher."""
    from tensorflow.python.util import dispatch

    class FunctionRecorder(dispatch.GlobalOpDispatcher):  # type: ignore[misc]
        def handle(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            result = _recorded(op, args, kwargs)
            return self.NOT_SUPPORTED if result is NotImplemented else result

    FunctionRecorder().register()


def _recorded(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    import keras

    flat = keras.tree.flatten((args, kwargs))
    name = _name(function)
    if name == "unstack" and len(flat) == 1 and _is_open(flat[0]):
        return list(flat[0])
    if not any(isinstance(value, keras.KerasTensor) for value in flat):
        return NotImplemented
    arguments = inspect.signature(function).bind(*args, **kwargs).arguments
    if name.startswith(_CHECKS):
        return None  # it computes nothing
    if name == "shape":
        return _sizes(arguments["input"])
    if name == "reshape":
        arguments = arguments | {"shape": _wanted(arguments["shape"])}
    arguments = {key: _as_plain(value) for key, value in arguments.items()}
    return operation_class()(function, name)(**arguments)


def _name(function: Callable[..., Any]) -> str:
    """The name of a function below `tf`, as in its documentation."""
    from tensorflow.python.util import tf_export

    name = tf_export.get_canonical_name_for_symbol(function, add_prefix_to_v1_names=True)
    return str(name or getattr(function, "__name__", "function")).removeprefix(_V1)


def _sizes(tensor: Any) -> np.ndarray[Any, Any]:
    """The sizes of a symbolic tensor; open ones are None, which arithmetic refuses."""
    is_known = None not in tensor.shape
    return np.array(tensor.shape, np.int32 if is_known else object)


def _is_open(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == object


def _as_plain(value: Any) -> Any:
    """Known sizes taken from a shape with open ones as plain integers."""
    if _is_open(value) and None not in value:
        return value.astype(np.int32)
    if isinstance(value, np.integer):
        return int(value)
    return value


def _wanted(shape: Any) -> Any:
    """The requested shape, with -1 for an open size."""
    if not isinstance(shape, list | tuple | np.ndarray):
        return shape
    return [-1 if size is None else size for size in shape]


@functools.cache
def operation_class() -> Any:
    """The class of the recorded operations."""
    import keras

    class TensorFlowFunction(keras.Operation):  # type: ignore[misc]
        """A call of a function of TensorFlow as an operation of Keras."""

        def __init__(self, function: Callable[..., Any], name: str) -> None:
            from keras.src.utils.naming import auto_name

            super().__init__(name=auto_name(name.rpartition(".")[2]))
            self._function, self._name_in_tf = function, name

        @property
        def source_class(self) -> str:
            """The function as a port writes it."""
            return f"tf.{self._name_in_tf}"

        def call(self, **arguments: Any) -> Any:
            bound = inspect.BoundArguments(
                inspect.signature(self._function), OrderedDict(arguments)
            )
            return self._function(*bound.args, **bound.kwargs)

    return TensorFlowFunction


def is_function(operation: Any) -> bool:
    """Whether an operation is a call of a function of TensorFlow."""
    return isinstance(operation, operation_class())
