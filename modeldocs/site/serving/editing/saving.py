"""Edited networks written into the catalog, as a new port of their model."""

from __future__ import annotations

import importlib.machinery
import re
import sys
from pathlib import Path
from typing import Final

from modeldocs import generators, loaders
from modeldocs.errors import ModeldocsError
from modeldocs.site.serving.editing.source import EditSource

TARGETS: Final = ("pytorch", "keras")
"""The targets whose programs are ports."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_RESERVED = ("model", "deploy", "net", "network")
"""Names of files that are called after their framework."""


def planned(source: EditSource, target: str, name: str) -> str:
    """The file that would be written, as the reader is told it: `models/lenet/wide.py`.

    Raises:
        ModeldocsError: the target gives no port, or the name cannot be that of a new file.
    """
    return f"{source.shown}/{_path(source, target, name).name}"


def save(source: EditSource, target: str, name: str, consent: str, program: bytes) -> str:
    """Write a program as a new file in the folder of the source's model; the file as told.

    Raises:
        ModeldocsError: the reader has not agreed to that very file, it is there already, or it
            cannot be written.
    """
    shown, path = planned(source, target, name), _path(source, target, name)
    if consent != shown:
        raise ModeldocsError(
            "is written only after you agreed to it by its name",
            file=shown,
            fix="confirm it on the page",
        )
    try:
        with path.open("xb") as file:
            file.write(program)
    except FileExistsError:
        raise _taken(shown) from None
    except OSError as error:
        raise ModeldocsError(
            f"cannot be written: {error.strerror}", file=shown, fix="make its folder writable"
        ) from None
    return shown


def _path(source: EditSource, target: str, name: str) -> Path:
    if target not in TARGETS:
        raise ModeldocsError(
            f"a program of {target[:50]!r} is no port", fix=f"use one of {', '.join(TARGETS)}"
        )
    if not _NAME.fullmatch(name):
        raise ModeldocsError(
            f"{name[:80]!r} cannot be the name of a port",
            fix="write up to 64 letters, digits, _ and -, with a letter or digit first",
        )
    folder = source.folder.resolve()
    path = folder / f"{name}{generators.target(target).suffix}"
    shown = f"{source.shown}/{path.name}"
    if path.resolve().parent != folder or not folder.is_relative_to(source.root.resolve()):
        raise ModeldocsError("is not in the folder of its model", file=shown, fix="name another")
    lower = name.lower()
    if any(one.name.lower() == path.name.lower() for one in folder.iterdir()):
        raise _taken(shown)
    if lower in (*_RESERVED, folder.name.lower()) or lower in map(str.lower, source.taken):
        raise ModeldocsError(
            f"the model has a port of that name, or {name!r} names none",
            file=shown,
            fix="choose another name",
        )
    if name not in loaders.frameworks() and _is_module(name):
        raise ModeldocsError(
            f"{name!r} is a module of Python, which programs beside the file would import from it",
            file=shown,
            fix="choose another name",
        )
    return path


def _is_module(name: str) -> bool:
    if not name.isidentifier():
        return False
    return name in sys.stdlib_module_names or bool(importlib.machinery.PathFinder.find_spec(name))


def _taken(shown: str) -> ModeldocsError:
    return ModeldocsError(
        "is there already, and is never written over", file=shown, fix="choose another name"
    )
