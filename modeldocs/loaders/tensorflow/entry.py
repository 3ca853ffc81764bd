"""The function of a Python port, and the shapes and types of its inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import callables, declared_inputs


def inputs(request: LoadRequest, constant: Any) -> dict[str, tuple[int, ...]]:
    """Input shapes by name: the requested ones, else those in the file's own `INPUTS`."""
    declared_shapes = declared_inputs.shapes(request, constant, "{'x': (1, 224, 224, 3)}")
    shapes = dict(request.inputs) or declared_shapes
    if "" in shapes and len(shapes) == len(declared_shapes) == 1:
        shapes = {next(iter(declared_shapes)): shapes[""]}
    if not shapes:
        raise declared_inputs.missing(request, "--input NAME=SHAPE")
    return shapes


def function(request: LoadRequest, target: Any, inputs: dict[str, Any]) -> Callable[..., Any]:
    """The function to trace: the entry point itself, or what it returns."""
    if _is_traceable(target) or _takes(target, request, inputs):
        return _checked(request, target)
    result = callables.call(request, target) if callable(target) else target
    return _checked(request, result)


def _checked(request: LoadRequest, function: Any) -> Callable[..., Any]:
    """The function, if it is one that TensorFlow can trace."""
    if _is_keras(function):
        raise ModeldocsError(
            "the entry point returns a Keras model",
            file=request.source,
            fix="write `framework: keras` of the port in model.yml, or pass --framework keras",
        )
    if not callable(function):
        raise ModeldocsError(
            f"the entry point returns {type(function).__name__}, which cannot be called",
            file=request.source,
            fix="let it return a function, a tf.function, or a tf.Module with __call__",
        )
    return function  # type: ignore[no-any-return]


def _is_keras(value: Any) -> bool:
    return any(kind.__module__.startswith(("keras.", "tf_keras.")) for kind in type(value).__mro__)


def _is_traceable(target: Any) -> bool:
    """Whether it is a `tf.function`, or a module that exists already."""
    import tensorflow as tf

    return hasattr(target, "get_concrete_function") or isinstance(target, tf.Module)


def _takes(target: Any, request: LoadRequest, inputs: dict[str, Any]) -> bool:
    """Whether a function takes the inputs; one that makes the model would not."""
    if inspect.isclass(target) or not callable(target):
        return False
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [p.name for p in parameters if p.default is p.empty and p.name not in request.args]
    named = [p.name for p in parameters]
    return bool(needed) or any(name in named for name in inputs)


def specs(request: LoadRequest, shapes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """Shape and type of each input as TensorFlow has them."""
    import tensorflow as tf

    specs = {}
    for name, shape in shapes.items():
        dtype_name = request.dtypes.get(name, "float32")
        dtype = getattr(tf, dtype_name, None)
        if not isinstance(dtype, tf.DType) or min(shape, default=0) < 0:
            raise ModeldocsError(
                f"the input {name!r} cannot be {dtype_name} of {list(shape)}",
                file=request.source,
                fix="give a type such as int32, and sizes of at least 0",
            )
        specs[name] = tf.TensorSpec(shape, dtype, name=name or "input")
    return specs
