"""Where each node of a symbol was created: the line of the port, and the Gluon blocks around it.

MXNet asks the current `AttrScope` for attributes whenever it creates a node; while `Locations` is
entered, the answer includes the location.
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.mxnet.symbol_json import MODULES, SOURCE
from modeldocs.loaders.python_source import own_files

_LOCATION = re.compile(
    rf',? ?(?:{SOURCE}="[^"]*(?:"|$)|{MODULES}="(?:\[\[.*?\]\]"|.*$))', re.DOTALL
)


def without_locations(message: str) -> str:
    """An error message of MXNet without the attributes that hold a node's location."""
    return _LOCATION.sub("", message)


class Locations:
    """While it is entered, nodes get their location, and blocks keep the line that made them."""

    def __init__(self, request: LoadRequest) -> None:
        self.request = request
        self.own_files = _own_files(request)
        self.names: dict[int, tuple[str, str]] = {}
        """Path and class of each block, by id."""
        self.lines: dict[int, str] = {}
        self.running: list[Any] = []
        """Blocks whose calls have not returned, outermost first."""

    def __enter__(self) -> None:
        import mxnet as mx

        block = mx.gluon.Block
        self.block_init, self.block_call = block.__init__, block.__call__
        block.__init__ = lambda block, *args, **kwargs: self._init(block, *args, **kwargs)
        block.__call__ = lambda block, *args, **kwargs: self._call(block, *args, **kwargs)
        self.scope_get = mx.AttrScope.get
        mx.AttrScope.get = lambda scope, attributes: {
            **self.scope_get(scope, attributes),
            **self.attributes(sys._getframe(1)),
        }

    def __exit__(self, *error: object) -> None:
        import mxnet as mx

        mx.AttrScope.get = self.scope_get
        mx.gluon.Block.__init__, mx.gluon.Block.__call__ = self.block_init, self.block_call

    def describe(self, root: Any) -> None:
        """Note the path of each block below `root`: the first, where it has several."""
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
        """The attributes that hold the location of a node created by a frame."""
        named = [self.names[id(block)] for block in self.running if id(block) in self.names]
        modules = [(path, kind) for path, kind in named if path]
        lines = [self.lines[id(block)] for block in self.running if id(block) in self.lines]
        line = lines[-1] if lines else self._line(frame)
        attributes = {MODULES: msgspec.json.encode(modules).decode()} if modules else {}
        return attributes | ({SOURCE: line} if line else {})

    def _init(self, block: Any, *args: Any, **kwargs: Any) -> None:
        self.block_init(block, *args, **kwargs)
        line = self._line(sys._getframe(2), block)
        if line:
            self.lines[id(block)] = line

    def _call(self, block: Any, *args: Any, **kwargs: Any) -> Any:
        self.running.append(block)
        try:
            return self.block_call(block, *args, **kwargs)
        finally:
            self.running.pop()

    def _line(self, frame: FrameType, block: Any = None) -> str:
        """`file:line` of the innermost frame in the port's files that is no method of a block."""
        line = own_files.own_line(frame, self.own_files, block)
        return f"{self.request.relative(line[0])}:{line[1]}" if line is not None else ""


class _Folder:
    """The files below one folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __contains__(self, file: str) -> bool:
        return file.startswith(self.folder)


def _own_files(request: LoadRequest) -> own_files.Files:
    """A port's own files; for a model of MXNet itself those of its folder, not all of MXNet."""
    if (request.module or "").split(".")[0] != "mxnet":
        return own_files.OwnFiles(request)
    file = importlib.import_module(str(request.module)).__file__ or ""
    return _Folder(str(Path(file).parent))


def _kind(block: Any) -> str:
    kind = type(block)
    return f"nn.{kind.__name__}" if kind.__module__.startswith("mxnet.gluon.nn") else kind.__name__
