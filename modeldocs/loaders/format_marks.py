"""Marks by which a format is recognised: checks of a file's first bytes, its JSON, or a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from modeldocs.loaders.python_source import imported_files, python_file

_READ_BYTES = 2**16
_MAX_JSON_BYTES = 2**22


class SourceStart(NamedTuple):
    """A file with its first bytes, or a folder, which has none."""

    path: Path
    start: bytes

    @property
    def document(self) -> dict[str, Any]:
        """The object in a JSON file; empty where it is none."""
        return _document(self.path) if self.start.lstrip()[:1] == b"{" else {}

    def inside(self, name: str) -> dict[str, Any]:
        """The object in a JSON file of a folder; empty where there is none."""
        return _document(self.path / name)


Check = Callable[[SourceStart], bool]


def read(path: Path) -> SourceStart | None:
    """A file or folder as a source; None where it cannot be read."""
    try:
        if path.is_dir():
            return SourceStart(path, b"")
        with path.open("rb") as file:
            return SourceStart(path, file.read(_READ_BYTES))
    except OSError:
        return None


def magic(mark: bytes, at: int = 0) -> Check:
    """Whether a file has these bytes at an offset."""
    return lambda source: source.start[at : at + len(mark)] == mark


def text(pattern: str) -> Check:
    """Whether a pattern is found at the start of a file."""
    compiled = re.compile(pattern.encode(), re.VERBOSE | re.DOTALL)
    return lambda source: compiled.match(source.start) is not None


def imports(*packages: str) -> Check:
    """Whether a Python file, or one of its own that it imports, imports one of these packages."""

    def matches(source: SourceStart) -> bool:
        if source.path.suffix != ".py":
            return False
        files = (source.path, *imported_files.of(source.path))
        return any(not python_file.imports(file).absolute.isdisjoint(packages) for file in files)

    return matches


def suffix(*suffixes: str, starts: bytes = b"") -> Check:
    """Whether a file has one of these suffixes, is binary, and starts as all such files do."""
    return lambda source: (
        source.path.suffix.lower() in suffixes
        and source.start.startswith(starts)
        and (bool(starts) or b"\0" in source.start)
    )


def either(*checks: Check) -> Check:
    """Whether one of some checks holds."""
    return lambda source: any(check(source) for check in checks)


def _document(path: Path) -> dict[str, Any]:
    try:
        if not path.is_file() or path.stat().st_size > _MAX_JSON_BYTES:
            return {}
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
