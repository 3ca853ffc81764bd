"""The files of a port's own, and the lines in them that run or construct something."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import modeldocs
from modeldocs.loaders import LoadRequest

_OURS = str(Path(modeldocs.__file__).parent) + os.sep

LINE = "_modeldocs_line"
"""The attribute of an object that holds the file and line that constructed it."""


class OwnFiles:
    """The files of a port: below its root, shared or in its package, not of another library.

    An environment, and modeldocs itself, may lie below the root, and the root below a library.
    """

    def __init__(self, request: LoadRequest) -> None:
        roots = (folder.rstrip(os.sep) + os.sep for folder in (request.root, *request.shared))
        self.folders = (*roots, *package_folders(request.module))
        self.libraries = tuple(
            folder
            for folder in (*library_folders(), _OURS)
            if not self.folders[0].startswith(folder)
        )

    def __contains__(self, file: str) -> bool:
        is_below = file.startswith(self.folders)
        return is_below and (
            not file.startswith(self.libraries) or file.startswith(self.folders[1:])
        )


@functools.cache
def package_folders(module: str | None) -> tuple[str, ...]:
    """Folders of the package that a module belongs to, or the file of a single module."""
    spec = importlib.util.find_spec(module.split(".")[0]) if module else None
    if spec is None:
        return ()
    folders = [folder.rstrip(os.sep) + os.sep for folder in spec.submodule_search_locations or ()]
    return tuple(folders) if folders else ((spec.origin,) if spec.origin else ())


@functools.cache
def library_folders() -> tuple[str, ...]:
    """The folders of this interpreter's library and of its packages."""
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(sorted({sysconfig.get_path(kind).rstrip(os.sep) + os.sep for kind in kinds}))


class Files(Protocol):
    """A set of files, by name."""

    def __contains__(self, file: str, /) -> bool: ...


def own_line(
    frame: FrameType | None, files: Files, created: object = None
) -> tuple[str, int] | None:
    """The innermost line in some files, from `frame` outwards, but for methods of `created`."""
    while frame is not None:
        is_method = created is not None and frame.f_locals.get("self") is created
        if frame.f_code.co_filename in files and not is_method:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


@contextlib.contextmanager
def recorded_lines(kind: Any, files: Files) -> Iterator[None]:
    """Record on objects of a class, in this block, the line in some files that constructed each."""
    original = kind.__init__

    # Without `functools.wraps`: Keras compares two readings of the signature, which would differ.
    def init(created: Any, *args: Any, **kwargs: Any) -> None:
        original(created, *args, **kwargs)
        line = own_line(sys._getframe(1), files, created)
        if line is not None:
            # Frameworks register what is set on their objects as an attribute.
            vars(created).setdefault(LINE, line)

    kind.__init__ = init
    try:
        yield
    finally:
        kind.__init__ = original
