"""What the functions of the interface take: sources by name, and live objects with their inputs."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from modeldocs import sources
from modeldocs.catalog import Port
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import live as live_objects
from modeldocs.struct import Struct

MODELS = Path("models")
"""The folder of the catalog, where none is named."""


class Live(Struct, frozen=True):
    """An object of this process, the inputs that it is called with, and its name in reports."""

    target: Any
    inputs: Any = None
    name: str = ""


class SourceSettings(Struct, frozen=True):
    """How sources are read: what the options of the command line of those names say."""

    inputs: Any = None
    args: Mapping[str, Any] = {}
    framework: str | None = None
    models: str | Path = MODELS

    @property
    def path(self) -> Path:
        """The folder of the catalog."""
        return Path(self.models)


class Subject(Struct, frozen=True):
    """A port to work with, and what it is called in reports."""

    name: str
    port: Port


def live(target: object, inputs: object = None, *, name: str = "") -> Live:
    """A live object with inputs of its own, for `diff` and every other function.

    Args:
        target: a `torch.nn.Module`, a Keras model, an `onnx.ModelProto` or an `onnx_ir.Model`. It
            stays as it is: its weights, its mode and its device do not change.
        inputs: an array, or several in the order of its arguments, or arrays or shapes by name of
            the argument. Their shapes and types count, not their values; a shape is a tuple of
            sizes in elements, batch first, and stands for float32. Keras models that know their
            inputs and ONNX models need none.
        name: what reports call it; by default its class with its package, or the name of the
            Keras model or ONNX graph.

    Raises:
        ModeldocsError: a source is given, which needs no wrapper.
    """
    if isinstance(target, str | Path | Live):
        raise ModeldocsError(
            f"live takes an object, not {type(target).__name__}",
            fix="pass a source as it is, such as md.load('model/port')",
        )
    return Live(target=target, inputs=inputs, name=name)


@contextlib.contextmanager
def opened(subject: object, settings: SourceSettings) -> Iterator[Subject]:
    """The port of a source or of a live object; mistakes in its manifest are warnings.

    Raises:
        ModeldocsError: the source does not exist, or no loader reads such an object.
    """
    if not isinstance(subject, str | Path):
        yield _of_object(subject, settings)
        return
    name = str(subject)
    given = live_objects.given(settings.inputs, list, name)
    with sources.resolve(
        name,
        settings.path,
        framework=settings.framework,
        args=dict(settings.args),
        inputs=given,
    ) as port:
        for doubt in port.doubts:
            warnings.warn(str(doubt.error()), stacklevel=4)
        yield Subject(name=name, port=port)


def _of_object(subject: object, settings: SourceSettings) -> Subject:
    wrapped = subject if isinstance(subject, Live) else Live(target=subject)
    if settings.args:
        raise ModeldocsError(
            "args are those of the callable of a source, and an object is built already",
            fix="build the object with them",
        )
    inputs = settings.inputs if wrapped.inputs is None else wrapped.inputs
    framework, request = live_objects.request(wrapped.target, inputs, wrapped.name)
    return Subject(
        name=request.name, port=Port(name=request.name, framework=framework, request=request)
    )
