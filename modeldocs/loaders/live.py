"""Objects of this process as requests: their framework, and the inputs that they are given."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs, LiveRequest
from modeldocs.loaders.python_source import callables

_CLASSES: Final = {
    ("torch", "Module"): "pytorch",
    ("keras", "Layer"): "keras",
    ("onnx", "ModelProto"): "onnx",
    ("onnx_ir", "Model"): "onnx",
}
"""The framework by the package and the name of an object's class, or of one of its bases."""

_UNREAD: Final = {
    "jax": ("a function of JAX", "write it with jax2onnx or as a SavedModel, and name the file"),
    "jaxlib": ("a function of JAX", "write it with jax2onnx or as a SavedModel, and name the file"),
    "flax": ("a module of Flax", "write it with jax2onnx or as a SavedModel, and name the file"),
    "tensorflow": ("an object of TensorFlow", "save it with tf.saved_model.save, name the folder"),
    "tf_keras": ("a model of Keras 2", "save it, and name the file"),
    "chainer": ("a link of Chainer", "name the callable that builds it, as file.py:callable"),
    "mxnet": ("an object of MXNet", "save its symbol, and name the file"),
    "torch": ("an object of PyTorch that is no module", "pass the torch.nn.Module, or save the "
              "program with torch.export.save and name the file"),
}  # fmt: skip
"""What other objects are, by package, and how they can be read."""

_NOT_INPUTS = ("training", "mask")
"""Arguments of the call of a Keras model that are no inputs."""


def request(target: object, inputs: object = None, name: str = "") -> tuple[str, LiveRequest]:
    """The framework of an object, and the request to load it; see `given` for the inputs.

    Its name is by default that of a Keras model or an ONNX graph, else its class with its package
    (`timm.ResNet`).

    Raises:
        ModeldocsError: no loader reads such objects, or the inputs are none.
    """
    framework = _framework(target)
    if framework == "keras":
        _check_backend()
    package = _own_package(target)
    title = name or _name(framework, target, package)
    found = given(inputs, lambda: _names(framework, target), title)
    return framework, LiveRequest(
        root=str(Path.cwd()),
        module=type(target).__module__ if package else None,
        inputs=found.shapes,
        dtypes=found.dtypes,
        name=title,
        target=target,
    )


def given(inputs: object, names: Callable[[], Sequence[str]], of: str) -> Inputs:
    """Shapes and types of inputs: of one array, of several in the order of `names`, or by name.

    An array is whatever has a `shape` and a `dtype`; by name, a shape alone is of float32.

    Raises:
        ModeldocsError: they are something else, or more than the names; `of` is what they are for.
    """
    if inputs is None:
        return Inputs()
    if isinstance(inputs, Mapping):
        by_name = {str(name): one for name, one in inputs.items()}
    else:
        arrays = inputs if isinstance(inputs, list | tuple) else [inputs]
        known = names() if len(arrays) > 1 else [""]
        if len(arrays) > len(known):
            raise ModeldocsError(
                f"{len(arrays)} inputs are given, and their names are not known",
                file=of,
                fix='name them: inputs={"NAME": array, …}',
            )
        by_name = dict(zip(known, arrays, strict=False))
    shapes = {name: _shape(name, one, of) for name, one in by_name.items()}
    dtypes = {name: _dtype(one) for name, one in by_name.items() if hasattr(one, "dtype")}
    return Inputs(shapes, dtypes)


def _shape(name: str, value: Any, of: str) -> tuple[int, ...]:
    shape = getattr(value, "shape", value)
    try:
        return tuple(int(size) for size in shape)
    except (TypeError, ValueError):
        raise ModeldocsError(
            f"its input {name!r} is {type(value).__name__}, no array" if name else
            f"its input is {type(value).__name__}, no array",
            file=of,
            fix="give arrays of their shapes and types, such as numpy.zeros((1, 3, 224, 224))",
        ) from None  # fmt: skip


def _dtype(array: Any) -> str:
    """`float32`, of an array of numpy, PyTorch, TensorFlow or Keras."""
    return str(getattr(array.dtype, "name", array.dtype)).removeprefix("torch.")


def _framework(target: object) -> str:
    bases = [(base.__module__.partition(".")[0], base.__name__) for base in type(target).__mro__]
    framework = next((_CLASSES[base] for base in bases if base in _CLASSES), None)
    if framework is not None:
        return framework
    package = next((package for package, _ in bases if package in _UNREAD), None)
    if package is not None:
        what, fix = _UNREAD[package]
        raise ModeldocsError(f"no loader reads {what} as an object", fix=fix)
    raise ModeldocsError(
        f"no loader reads an object of {type(target).__module__}.{type(target).__qualname__}",
        fix="pass a torch.nn.Module, a Keras model, an onnx.ModelProto, or the name of a source",
    )


def _check_backend() -> None:
    """Raise where Keras computes with another library than the loader reads."""
    import sys

    backend = sys.modules["keras"].config.backend()
    if backend != "tensorflow":
        raise ModeldocsError(
            f"Keras runs on {backend} here, and its loader reads it on TensorFlow",
            fix="save the model, and name the file: model.save('net.keras')",
        )


def _own_package(target: object) -> str:
    """The package that defines an object's class, if that is none of a framework; else ""."""
    package = type(target).__module__.partition(".")[0]
    if package in {framework for framework, _ in _CLASSES} or package == "__main__":
        return ""
    spec = importlib.util.find_spec(package)
    return package if spec is not None else ""


def _name(framework: str, target: Any, package: str) -> str:
    kind = type(target).__name__
    own = target.graph.name if framework == "onnx" else getattr(target, "name", "")
    if framework != "pytorch" and isinstance(own, str) and own:
        return own
    return f"{package}.{kind}" if package else kind


def _names(framework: str, target: Any) -> list[str]:
    """Names of the inputs, in order."""
    if framework == "onnx":
        graph = target.graph
        values = graph.inputs if hasattr(graph, "inputs") else graph.input
        return [str(value.name) for value in values]
    function = target.forward if framework == "pytorch" else target.call
    return [one.name for one in callables.parameters(function) if one.name not in _NOT_INPUTS]
