"""Where links were constructed and functions applied, read off the call stack."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.emission.settings import plain
from modeldocs.loaders.python_source import own_files

_MODELS = f"links{os.sep}model{os.sep}"
_CONSTRUCTION = "_modeldocs_construction"


class PortFiles:
    """The files whose lines are origins: a port's own, and the models that are part of Chainer."""

    def __init__(self, request: LoadRequest) -> None:
        import chainer

        self.own = own_files.OwnFiles(request)
        self.library = str(Path(chainer.__file__).parent) + os.sep

    def __contains__(self, file: str) -> bool:
        if file.startswith(self.library):
            return file.startswith(self.library + _MODELS)
        return file in self.own


@dataclass(frozen=True)
class Construction:
    """How a link was constructed: the arguments, and the port's line."""

    arguments: dict[str, Any] = field(default_factory=dict)
    file: str | None = None
    line: int | None = None


class Constructions:
    """Notes on each link how it was constructed, while it is entered."""

    def __init__(self, request: LoadRequest) -> None:
        self.request = request
        self.files = PortFiles(request)

    def __enter__(self) -> None:
        import chainer

        self.original = original = chainer.Link.__init__
        note = self._note

        def init(link: Any, *args: Any, **kwargs: Any) -> None:
            original(link, *args, **kwargs)
            note(link, sys._getframe(1))

        chainer.Link.__init__ = init

    def __exit__(self, *_: object) -> None:
        import chainer

        chainer.Link.__init__ = self.original

    def _note(self, link: Any, frame: FrameType | None) -> None:
        passed: dict[str, Any] = {}
        while frame is not None and frame.f_locals.get("self") is link:
            if frame.f_code.co_name == "__init__":
                passed = arguments(frame)  # the outermost is that of the class itself
            frame = frame.f_back
        file, line = own_files.own_line(frame, self.files) or (None, None)
        file = self.request.relative(file) if file is not None else None
        object.__setattr__(link, _CONSTRUCTION, Construction(passed, file, line))


def construction(link: Any) -> Construction:
    """How a link was constructed; empty for one that was not constructed by the port."""
    noted = vars(link).get(_CONSTRUCTION)
    return noted if isinstance(noted, Construction) else Construction()


@dataclass(frozen=True)
class Caller:
    """Who applied a function.

    `function` is the public one of `chainer.functions` that was called, `arguments` its arguments
    besides tensors. `links` are ids of the links whose methods were running, outermost first;
    `file` and `line` the port's line.
    """

    function: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    links: tuple[int, ...] = ()
    file: str | None = None
    line: int | None = None


def caller(files: PortFiles, links: Mapping[int, str]) -> Caller:
    """Who called the caller of this function; `links` are the model's, by id."""
    import chainer.functions

    frame: FrameType | None = sys._getframe(2)
    functions = files.library + "functions" + os.sep
    inner = (functions, files.library + "function", files.library + "variable.py")
    public: FrameType | None = None
    while frame is not None and frame.f_code.co_filename.startswith(inner):
        if hasattr(chainer.functions, frame.f_code.co_name):
            public = frame
        frame = frame.f_back
    file, line = own_files.own_line(frame, files) or (None, None)
    running: list[int] = []
    while frame is not None:
        key = id(frame.f_locals.get("self"))
        if key in links and key not in running:
            running.append(key)
        frame = frame.f_back
    return Caller(
        function=public.f_code.co_name if public is not None else "",
        arguments=arguments(public) if public is not None else {},
        links=tuple(reversed(running)),
        file=file,
        line=line,
    )


def arguments(frame: FrameType) -> dict[str, Any]:
    """The arguments of a call by name, as plain values; tensors and links are left out."""
    names, _, keywords, variables = inspect.getargvalues(frame)
    values = {name: variables[name] for name in names if name in variables}
    if keywords and isinstance(variables.get(keywords), dict):
        values |= variables[keywords]
    return {
        name: plain(value) for name, value in values.items() if name != "self" and is_setting(value)
    }


def is_setting(value: Any) -> bool:
    """Whether a value is a setting, not a tensor or a link."""
    import chainer

    if isinstance(value, list | tuple):
        return all(is_setting(item) for item in value)
    is_tensor = hasattr(value, "__array__") or hasattr(value, "array")
    return not is_tensor and not isinstance(value, chainer.Link)
