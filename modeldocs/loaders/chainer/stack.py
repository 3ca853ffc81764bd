"""Where in a port a function was applied, read off the stack of calls at that moment."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from modeldocs.loaders import LoadRequest, callables

MAX_TEXT = 200
_MODELS = f"links{os.sep}model{os.sep}"


class PortFiles:
    """The files whose lines are worth telling: a port's own, and of Chainer's only its models."""

    def __init__(self, request: LoadRequest) -> None:
        self.own = callables.OwnFiles(request)
        self.library = library()

    def __contains__(self, file: str) -> bool:
        if file.startswith(self.library):
            return file.startswith(self.library + _MODELS)
        return file in self.own


def library() -> str:
    """Chainer's own folder, with a separator at its end."""
    import chainer

    return str(Path(chainer.__file__).parent) + os.sep


@dataclass(frozen=True)
class Caller:
    """Who applied a function.

    `function` is the public one of `chainer.functions` that was called, `arguments` what it was
    given beside tensors; `links` are those that were running, outermost first, by id; `file` and
    `line` are of the port.
    """

    function: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    links: tuple[int, ...] = ()
    file: str | None = None
    line: int | None = None


def caller(files: PortFiles, links: Mapping[int, str]) -> Caller:
    """Who called the caller of this function. `links` are the model's, by id."""
    import chainer.functions

    frame: FrameType | None = sys._getframe(2)
    functions = files.library + "functions" + os.sep
    inner = (functions, files.library + "function", files.library + "variable.py")
    public: FrameType | None = None
    while frame is not None and frame.f_code.co_filename.startswith(inner):
        if hasattr(chainer.functions, frame.f_code.co_name):
            public = frame
        frame = frame.f_back
    running, place = _links_and_place(frame, files, links)
    return Caller(
        function=public.f_code.co_name if public is not None else "",
        arguments=arguments(public) if public is not None else {},
        links=running,
        file=place.f_code.co_filename if place is not None else None,
        line=place.f_lineno if place is not None else None,
    )


def _links_and_place(
    frame: FrameType | None, files: PortFiles, links: Mapping[int, str]
) -> tuple[tuple[int, ...], FrameType | None]:
    """Links whose methods are running, outermost first, and the innermost frame of the port."""
    found: list[int] = []
    place: FrameType | None = None
    while frame is not None:
        if place is None and frame.f_code.co_filename in files:
            place = frame
        running = id(frame.f_locals.get("self"))
        if running in links and running not in found:
            found.append(running)
        frame = frame.f_back
    return tuple(reversed(found)), place


def arguments(frame: FrameType) -> dict[str, Any]:
    """What a call was given, by name, as plain values; tensors are left out."""
    told = inspect.getargvalues(frame)
    given = {name: told.locals[name] for name in told.args if name in told.locals}
    if told.keywords and isinstance(told.locals.get(told.keywords), dict):
        given |= told.locals[told.keywords]
    return {
        name: plain(value) for name, value in given.items() if name != "self" and told_of(value)
    }


def told_of(value: Any) -> bool:
    """Whether a value is a setting, not a tensor or a link."""
    if isinstance(value, list | tuple):
        return all(told_of(item) for item in value)
    return not (hasattr(value, "__array__") or hasattr(value, "array") or _is_link(value))


def _is_link(value: Any) -> bool:
    import chainer

    return isinstance(value, chainer.Link)


def plain(value: Any) -> Any:
    """A setting as JSON holds it; of an object its class, whose text would tell an address."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return value[:MAX_TEXT]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, slice):
        parts = (
            "" if part is None else str(part) for part in (value.start, value.stop, value.step)
        )
        return ":".join(parts).removesuffix(":") or ":"
    if value is Ellipsis:
        return "..."
    if hasattr(value, "__name__"):
        return str(value.__name__)
    return type(value).__name__
