"""The callable that builds a Python port's model: imported and called in a worker only."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LiveRequest, LoadRequest
from modeldocs.loaders.python_source import (
    entry_points,
    placement,
    port_errors,
    python_file,
    shared_folders,
)

MAX_LISTED = 12
"""Names that a message lists."""


class EntryPoint(NamedTuple):
    """What a port's entry point names, and the constant `INPUTS` of its file."""

    target: Any
    inputs: Any


def entry_point(request: LoadRequest, base_classes: Iterable[str]) -> EntryPoint:
    """Import the file or module of a request, and find its entry point in it; or a live object.

    A file is imported in place: as part of the package around it, if it needs one, else as a script
    that imports from its own folder.

    Raises:
        ModeldocsError: it cannot be imported, with the line of the port that failed, or it has no
            such entry point.
    """
    if isinstance(request, LiveRequest):
        return EntryPoint(request.target, {})
    shared_folders.make_importable(request)
    with port_errors.located(request, "importing it"):
        if request.module is not None:
            module = importlib.import_module(request.module)
        else:
            module = _import_file(Path(str(request.path)))
    return EntryPoint(_resolved(request, module, base_classes), getattr(module, "INPUTS", {}))


def _import_file(path: Path) -> ModuleType:
    python_file.parse(path)
    place = placement.of(path)
    sys.path[:0] = [str(folder) for folder in place.folders]
    if place.package is not None:
        return placement.import_in_package(place)
    name = re.sub(r"\W", "_", path.stem)
    spec = importlib.util.spec_from_file_location(f"port_{name}", path)
    if spec is None or spec.loader is None:
        raise ModeldocsError("is not a Python file", file=path.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _resolved(request: LoadRequest, module: ModuleType, base_classes: Iterable[str]) -> Any:
    """What the entry point of a request names in its imported module."""
    entry = request.entry
    if entry is None:
        if request.path is None:
            raise ModeldocsError(
                f"{request.module} names no callable", fix=f"write {request.module}:CALLABLE"
            )
        entry = entry_points.find(Path(request.path), request.name, base_classes)
    target: Any = module
    for part in entry.split("."):
        if not hasattr(target, part):
            raise ModeldocsError(
                f"has no {entry!r}",
                file=request.source,
                fix=f"use one of: {_callable_names(target, part)}",
            )
        target = getattr(target, part)
    return target


def _callable_names(target: Any, similar_to: str) -> str:
    """Names of public callables, the most similar to a name first."""
    public = [name for name, value in vars(target).items() if name[0] != "_" and callable(value)]
    similar = difflib.get_close_matches(similar_to, public, n=MAX_LISTED, cutoff=0.5)
    names = [*similar, *(name for name in public if name not in similar)]
    return ", ".join(names[:MAX_LISTED]) + (", …" if len(names) > MAX_LISTED else "")


def call(request: LoadRequest, function: Callable[..., Any]) -> Any:
    """The result of `function(**request.args)`.

    JSON and YAML have no tuples: where the call fails with lists, it is tried with tuples.

    Raises:
        ModeldocsError: it raised, with the line of the port that did.
    """
    try:
        return function(**request.args)
    except BaseException as error:
        port_error = port_errors.failure(request, error, "building the model")
        if not _accepts(function, request.args):
            names = _missing(function, request.args)
            example = ", ".join(f'"{name}": …' for name in names) or '"name": value'
            port_error.fix = (
                f"give its arguments as `args:` in model.yml, or as --args '{{{example}}}'"
            )
        args = _with_tuples(request.args)
        if args == request.args or not isinstance(error, (TypeError, ValueError, AssertionError)):
            raise port_error from None
    try:
        return function(**args)
    except Exception:
        raise port_error from None


def _accepts(function: Callable[..., Any], args: dict[str, Any]) -> bool:
    """Whether a function's signature accepts these arguments; True where it has none."""
    try:
        inspect.signature(function).bind(**args)
    except (TypeError, ValueError) as error:
        return isinstance(error, ValueError)  # it has no signature
    return True


def _missing(function: Callable[..., Any], given: dict[str, Any]) -> list[str]:
    """Parameters that can be passed by name, have no default, and are not given."""
    return [
        p.name
        for p in parameters(function)
        if p.kind is not p.POSITIONAL_ONLY and p.default is p.empty and p.name not in given
    ]


def _with_tuples(value: Any) -> Any:
    """A JSON value with tuples in place of its lists."""
    if isinstance(value, dict):
        return {key: _with_tuples(item) for key, item in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The named parameters of a callable; none where its signature is not known."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return []
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p for p in signature.parameters.values() if p.kind not in variadic]


def wrong_result(request: LoadRequest, result: Any, wanted: str, it: str) -> ModeldocsError:
    """The error where an entry point returned something that is `wanted`: "not a keras.Model"."""
    return ModeldocsError(
        f"the entry point returned {type(result).__name__}, {wanted}",
        file=request.source,
        fix=f"let it return {it}, or name the right callable as `entry:` in model.yml",
    )
