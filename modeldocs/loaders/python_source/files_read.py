"""The files that a port reads while it is loaded, and those that it looks for in vain."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import modeldocs
from modeldocs import digest, machine
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source.own_files import OwnFiles, own_line

_IMPORT_SYSTEM = "<frozen importlib"
_LISTINGS = ("os.listdir", "os.scandir")


class FilesRead:
    """Records, by Python's audit events, what a port opens and which folders of its own it lists.

    Of folders that only Python's import system lists, the modules count; of those that the port's
    code lists, every name. Nothing is recorded of files that code in C looks for.
    """

    def __init__(self, request: LoadRequest, folder: Path) -> None:
        library = Path(modeldocs.__file__).parent
        places = (sys.prefix, sys.base_prefix, library, folder, "/proc", "/sys", "/dev", "/etc")
        self.excluded = tuple(str(Path(place).resolve()) + os.sep for place in (*places, "/usr"))
        self.own = OwnFiles(request)
        self.catalog = tuple(
            os.path.realpath(place) + os.sep for place in (request.root, *request.shared)
        )
        self.paths: set[str] = set()
        self.listed: set[str] = set()
        sys.addaudithook(self._on_event)
        _watch_stat(self._add)

    def _on_event(self, event: str, args: tuple[Any, ...]) -> None:
        if event in _LISTINGS:
            self._on_listing(args[0])
        elif event == "open" and not (
            isinstance(args[2], int) and args[2] & os.O_ACCMODE == os.O_WRONLY
        ):
            self._add(args[0])

    def _add(self, path: Any) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return
        with contextlib.suppress(OSError, ValueError, TypeError):  # the current folder may be gone
            self.paths.add(str(Path(os.fsdecode(path)).absolute()))

    def _on_listing(self, folder: Any) -> None:
        frame = sys._getframe(2)
        if frame.f_code.co_filename.startswith(_IMPORT_SYSTEM):
            kind = digest.MODULES
        elif own_line(frame, self.own) is not None:
            kind = digest.NAMES
        else:
            return
        with contextlib.suppress(OSError, ValueError, TypeError):  # it may be a descriptor
            self.listed.add(os.path.realpath(os.fsdecode(folder or ".")) + kind)

    def digests(self) -> dict[str, str]:
        """Digest by absolute path of each file read, but those of libraries."""
        digests: dict[str, str] = {}
        for path in sorted({str(_source(path).resolve()) for path in set(self.paths)}):
            if path in self.own or not path.startswith(self.excluded):
                try:
                    if Path(path).is_file():
                        digests[path] = digest.of_file(Path(path))
                except OSError as error:
                    if machine.cause(error) is not None:  # the result would not depend on it
                        raise
        return digests

    def sought(self) -> dict[str, str]:
        """What `digest.seen` tells of folders that were listed and files that were not found.

        Only those of the model and the shared folders: others are not the catalog's.
        """
        places = {os.path.realpath(_source(path)) for path in set(self.paths)} | set(self.listed)
        own = sorted(path for path in places if path.startswith(self.catalog))
        found = {path: digest.seen(path) for path in own}
        return {path: what for path, what in found.items() if what is not None}


def _watch_stat(add: Any) -> None:
    """Call `add` with paths that are not there, of which no event tells: `os.path.exists`."""
    real = os.stat

    def stat(path: Any, *args: Any, **options: Any) -> os.stat_result:
        try:
            return real(path, *args, **options)
        except FileNotFoundError:
            add(path)
            raise

    for functions in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        if real in functions:
            functions.add(stat)
    os.stat = stat


def _source(path: str) -> Path:
    """The file itself; for compiled Python its source, which decides what it contains."""
    if path.endswith(".pyc"):
        with contextlib.suppress(ValueError):
            return Path(importlib.util.source_from_cache(path))
    return Path(path)
