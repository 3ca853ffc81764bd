"""Where each node of a symbol was made: the line of the port, and the Gluon blocks around it.

MXNet asks the current `AttrScope` for attributes whenever a node is made; ours adds the place.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.mxnet.reading import MODULES, SOURCE

_PLACES = re.compile(rf',? ?(?:{SOURCE}="[^"]*(?:"|$)|{MODULES}="(?:\[\[.*?\]\]"|.*$))', re.DOTALL)


def unplaced(message: str) -> str:
    """What MXNet says of a node, without the place that it was given here."""
    return _PLACES.sub("", message)


class Places:
    """While it is entered, nodes get their places, and blocks remember their line."""

    def __init__(self, request: LoadRequest) -> None:
        self.request = request
        self.own = _own_files(request)
        self.names: dict[int, tuple[str, str]] = {}
        self.lines: dict[int, str] = {}
        self.calls: list[Any] = []

    def __enter__(self) -> None:
        import mxnet as mx

        block = mx.gluon.Block
        self.init, self.call = block.__init__, block.__call__
        block.__init__ = lambda made, *a, **k: self._constructed(made, *a, **k)
        block.__call__ = lambda called, *a, **k: self._called(called, *a, **k)
        self.usual = mx.AttrScope.get
        mx.AttrScope.get = lambda scope, attr: {
            **self.usual(scope, attr),
            **self.attributes(sys._getframe(1)),
        }

    def __exit__(self, *error: object) -> None:
        import mxnet as mx

        mx.AttrScope.get = self.usual
        mx.gluon.Block.__init__, mx.gluon.Block.__call__ = self.init, self.call

    def describe(self, root: Any) -> None:
        """Learn the path of each block below `root`: the first, where it has several."""
        waiting = [("", root)]
        while waiting:
            path, block = waiting.pop()
            if id(block) in self.names:
                continue
            self.names[id(block)] = (path, _kind(block))
            prefix = f"{path}." if path else ""
            children = [(prefix + name, child) for name, child in block._children.items()]
            waiting += reversed(children)

    def attributes(self, frame: FrameType) -> dict[str, str]:
        """What is told of a node that is being made."""
        steps = [self.names[id(block)] for block in self.calls if id(block) in self.names]
        steps = [step for step in steps if step[0]]
        lines = [self.lines[id(block)] for block in self.calls if id(block) in self.lines]
        line = lines[-1] if lines else self._line(frame)
        made = {MODULES: msgspec.json.encode(steps).decode()} if steps else {}
        return made | ({SOURCE: line} if line else {})

    def _constructed(self, made: Any, *args: Any, **kwargs: Any) -> None:
        self.init(made, *args, **kwargs)
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_locals.get("self") is made:
            frame = frame.f_back
        line = self._line(frame)
        if line:
            self.lines[id(made)] = line

    def _called(self, called: Any, *args: Any, **kwargs: Any) -> Any:
        self.calls.append(called)
        try:
            return self.call(called, *args, **kwargs)
        finally:
            self.calls.pop()

    def _line(self, frame: FrameType | None) -> str:
        """`file:line` of the innermost frame that is the port's own."""
        while frame is not None and frame.f_code.co_filename not in self.own:
            frame = frame.f_back
        if frame is None:
            return ""
        return f"{self.request.relative(frame.f_code.co_filename)}:{frame.f_lineno}"


class _Folder:
    """The files below one folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __contains__(self, file: str) -> bool:
        return file.startswith(self.folder)


def _own_files(request: LoadRequest) -> Any:
    """A port's own files; of MXNet's own models, those beside them, not all of MXNet."""
    if (request.module or "").split(".")[0] != "mxnet":
        return callables.OwnFiles(request)
    import importlib

    file = importlib.import_module(str(request.module)).__file__ or ""
    return _Folder(str(Path(file).parent))


def _kind(block: Any) -> str:
    kind = type(block)
    return f"nn.{kind.__name__}" if kind.__module__.startswith("mxnet.gluon.nn") else kind.__name__
