"""The store of results, by the digest of everything that they depend on.

`objects/` holds content by its own digest. `answers/` holds, by the key of a task, all results with
the files and versions that each depends on: which files a port imports is known only after it was
loaded.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from modeldocs import digest
from modeldocs.struct import Struct, whole

_DIGEST = re.compile(r"[0-9a-f]{40}")
_HERE = Path()
_NOTHING: Mapping[str, str] = {}


def key(*parts: Any) -> str:
    """Digest of plain data, equal on every machine and run."""
    return digest.of(msgspec.json.encode(whole(parts), order="deterministic"))


def digest_file(path: Path) -> str | None:
    """Digest of a file's content, None where it cannot be read."""
    try:
        return digest.of_file(path)
    except (OSError, ValueError):
        return None


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (OSError, ValueError):
        return None


@cache
def environment() -> str:
    """Digest of the names and versions of all installed packages."""
    return key(sorted((d.metadata["Name"] or "", d.version) for d in metadata.distributions()))


class Dependencies(Struct, frozen=True):
    """Dependencies of a stored result: digests of files by path, versions by package.

    Paths are relative to the catalog's folder, so that a store can be moved to another machine.
    """

    files: dict[str, str]
    software: dict[str, str]
    result: str


class Store:
    """Results in a folder; safe for several writers, since files are written atomically.

    A damaged file (after a full disk or an incomplete copy) counts as missing, so that its result
    is computed again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read_object(self, name: str) -> bytes | None:
        """Content by digest, None where it is missing or damaged."""
        data = _read(self.path(name)) if _DIGEST.fullmatch(name) else None
        return data if data is not None and digest.of(data) == name else None

    def write_object(self, data: bytes) -> str:
        """Store content; returns its digest."""
        name = digest.of(data)
        if _read(self.path(name)) != data:
            _write_whole(self.path(name), data)
        return name

    def read(
        self, task: str, root: Path = _HERE, software: Mapping[str, str] | None = _NOTHING
    ) -> bytes | None:
        """The result of a task by its key, if the files below `root` that it depends on are equal.

        `software` are the installed versions. None (the framework is not installed) accepts any
        versions, the highest first. Returns None where there is no valid result.
        """
        entries = sorted(self._answers(task), key=lambda e: _order(e.software), reverse=True)
        for entry in entries:
            if software is not None and entry.software != dict(software):
                continue
            if all(digest_file(root / path) == file for path, file in entry.files.items()):
                result = self.read_object(entry.result)
                if result is not None:
                    return result
        return None

    def write(
        self,
        task: str,
        data: bytes,
        files: Mapping[str, str] = _NOTHING,
        software: Mapping[str, str] = _NOTHING,
    ) -> str:
        """Store the result of a task with its dependencies; returns the digest of the result.

        `files` are digests by path relative to the catalog's folder, `software` versions by
        package.
        """
        result = self.write_object(data)
        entry = Dependencies(files=dict(files), software=dict(software), result=result)
        name = key(entry.files, entry.software)
        _write_whole(self._answer(task) / name, msgspec.json.encode(entry))
        return result

    def _answers(self, task: str) -> list[Dependencies]:
        try:
            files = sorted(self._answer(task).iterdir())
        except OSError:
            return []
        entries = []
        for file in files:
            try:
                entries.append(msgspec.json.decode(file.read_bytes(), type=Dependencies))
            except (OSError, msgspec.MsgspecError):
                continue
        return entries

    def _answer(self, task: str) -> Path:
        return self.folder / "answers" / task[:2] / task[2:]

    def path(self, name: str) -> Path:
        """The path of content by its digest, whether it exists or not."""
        return self.folder / "objects" / name[:2] / name[2:]


def _order(software: Mapping[str, str]) -> list[tuple[str, list[int]]]:
    return [
        (name, [int(part) for part in version.split(".") if part.isdigit()])
        for name, version in sorted(software.items())
    ]


def _write_whole(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
