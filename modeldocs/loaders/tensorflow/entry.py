"""The function of a Python port, found or made, and the kinds of its inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables, declared


def inputs(request: LoadRequest, constant: Any) -> dict[str, tuple[int, ...]]:
    """Shapes by name: those asked for, else the file's own `INPUTS`."""
    own = declared.shapes(request, constant, "{'x': (1, 224, 224, 3)}")
    found = dict(request.inputs) or own
    if "" in found and len(found) == len(own) == 1:
        found = {next(iter(own)): found[""]}
    if not found:
        raise declared.missing(request, "--input NAME=SHAPE")
    return found


def function(request: LoadRequest, target: Any, given: dict[str, Any]) -> Callable[..., Any]:
    """The function of the inputs: the entry point itself, or what it makes."""
    if _is_traceable(target) or _takes(target, request, given):
        return _called(request, target)
    made = callables.call(request, target) if callable(target) else target
    return _called(request, made)


def _called(request: LoadRequest, made: Any) -> Callable[..., Any]:
    if _is_keras(made):
        raise ModeldocsError(
            "the entry point gives a Keras model",
            file=request.source,
            fix="write `framework: keras` of the port in model.yml, or pass --framework keras",
        )
    if not callable(made):
        raise ModeldocsError(
            f"the entry point gives {type(made).__name__}, which cannot be called",
            file=request.source,
            fix="let it give a function, a tf.function, or a tf.Module with __call__",
        )
    function: Callable[..., Any] = made
    return function


def _is_keras(made: Any) -> bool:
    return any(kind.__module__.startswith(("keras.", "tf_keras.")) for kind in type(made).__mro__)


def _is_traceable(target: Any) -> bool:
    """Whether it is a `tf.function`, or a module that was made already."""
    import tensorflow as tf

    return hasattr(target, "get_concrete_function") or isinstance(target, tf.Module)


def _takes(target: Any, request: LoadRequest, inputs: dict[str, Any]) -> bool:
    """Whether a function takes the inputs, where one that makes the model would not."""
    if inspect.isclass(target) or not callable(target):
        return False
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [p.name for p in parameters if p.default is p.empty and p.name not in request.args]
    named = [p.name for p in parameters]
    return bool(needed) or any(name in named for name in inputs)


def specs(request: LoadRequest, given: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """Shape and type of each input as TensorFlow has them."""
    import tensorflow as tf

    found = {}
    for name, shape in given.items():
        told = request.dtypes.get(name, "float32")
        dtype = getattr(tf, told, None)
        if not isinstance(dtype, tf.DType) or min(shape, default=0) < 0:
            raise ModeldocsError(
                f"the input {name!r} cannot be {told} of {list(shape)}",
                file=request.source,
                fix="give a type such as int32, and sizes of at least 0",
            )
        found[name] = tf.TensorSpec(shape, dtype, name=name or "input")
    return found
