"""What a process that reads a catalog again and again remembers: models of unchanged folders."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.catalog.manifest import RECORDS

if TYPE_CHECKING:
    from modeldocs.catalog import Model

_State = tuple[tuple[str, int, int, int], ...]
"""Name, size, time of change and inode of each file of a folder."""

_BESIDE = (RECORDS, "__pycache__")
"""Folders whose content does not decide what the model is."""

_Read = Callable[[Path, tuple[str, ...]], "Model | None"]


class CatalogCache:
    """Models by folder, with the states of the files that they were read from.

    A model that something outside of its folder may decide is read each time: one with links, with
    folders of its own, or whose manifest names files or modules.
    """

    def __init__(self) -> None:
        self._known: dict[Path, tuple[_State, tuple[str, ...], Model | None]] = {}

    def model(self, folder: Path, shared: tuple[str, ...], read: _Read) -> Model | None:
        """The model in a folder, read now if that has changed; the same object if it has not."""
        state = _state(folder)  # before it is read, which notices what changes meanwhile
        known = self._known.get(folder)
        if known is not None and known[:2] == (state, shared):
            return known[2]
        model = read(folder, shared)
        self._known.pop(folder, None)
        if state is not None and not (model and _names_sources(model)):
            self._known[folder] = state, shared, model
        return model


def _names_sources(model: Model) -> bool:
    return any(one.file is not None or one.module for one in model.manifest.ports.values())


def _state(folder: Path) -> _State | None:
    """The state of a folder's files; None where it holds more than files and records."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink() or (entry.is_dir() and entry.name not in _BESIDE):
                return None
            stat = entry.stat()
            found.append((entry.name, stat.st_size, stat.st_mtime_ns, stat.st_ino))
    return tuple(sorted(found))
