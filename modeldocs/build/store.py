"""The store: results under the hash of exactly what they depend on.

`objects/` holds content by its own digest. `plans/` holds, for a task whose inputs are known
before it runs, the digest of its result. `loads/` holds, for a load, every result seen with the
files and versions it depended on: a port's imports are known only after it was loaded.
"""

from __future__ import annotations

import importlib.util
import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from modeldocs import digest
from modeldocs.graph import Struct

_DIGEST = re.compile(r"[0-9a-f]{40}")


def key(*parts: Any) -> str:
    """Digest of plain data, the same on every machine and run."""
    return digest.of(msgspec.json.encode(parts, order="deterministic"))


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
def code_version(*modules: str) -> str:
    """Digest of the source of modules and packages: a result is as old as the code it came from."""
    digests = []
    for module in modules:
        spec = importlib.util.find_spec(module)
        for file in _sources(spec):
            digests.append((module, file.name, digest_file(file)))
    return key(digests)


@cache
def environment() -> str:
    """Digest of the packages installed, by name and version."""
    return key(sorted((d.metadata["Name"] or "", d.version) for d in metadata.distributions()))


def _sources(spec: Any) -> Iterable[Path]:
    if spec is None:
        return []
    if spec.submodule_search_locations:
        held = (f for place in spec.submodule_search_locations for f in Path(place).rglob("*"))
        return sorted(f for f in held if f.is_file() and f.suffix != ".pyc")
    return [Path(spec.origin)] if spec.origin else []


class Dependencies(Struct, frozen=True):
    """What one stored load depended on: digests of files by path, versions by package.

    Paths are relative to the catalog's folder, so a store travels between machines.
    """

    files: dict[str, str]
    software: dict[str, str]
    result: str


class Store:
    """Results in a folder; safe for several writers, since every file is put there whole.

    A damaged file (a disk that was full, a copy cut short) counts as absent: its result is made
    and written again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read_object(self, name: str) -> bytes | None:
        """Content by digest, None where the store does not hold it whole."""
        data = _read(self._object(name)) if _DIGEST.fullmatch(name) else None
        return data if data is not None and digest.of(data) == name else None

    def write_object(self, data: bytes) -> str:
        """Keep content; its digest."""
        name = digest.of(data)
        if _read(self._object(name)) != data:
            _write_whole(self._object(name), data)
        return name

    def read(self, task: str) -> bytes | None:
        """Result of a task by its key."""
        name = _read(self._plan(task))
        return None if name is None else self.read_object(name.decode("ascii", "replace"))

    def write(self, task: str, data: bytes) -> None:
        """Keep the result of a task under its key."""
        _write_whole(self._plan(task), self.write_object(data).encode())

    def read_load(self, load: str, root: Path, software: Mapping[str, str] | None) -> bytes | None:
        """The stored result of a load whose files are all as they were.

        `software` are the versions installed; None, where the framework is not installed, accepts
        any, the highest first.
        """
        entries = sorted(self._loads(load), key=lambda e: _version_order(e.software), reverse=True)
        for entry in entries:
            if software is not None and entry.software != dict(software):
                continue
            if all(digest_file(root / path) == held for path, held in entry.files.items()):
                found = self.read_object(entry.result)
                if found is not None:
                    return found
        return None

    def write_load(
        self, load: str, files: Mapping[str, str], software: Mapping[str, str], data: bytes
    ) -> None:
        """Keep the result of a load with the digests of the files it read, by relative path."""
        entry = Dependencies(
            files=dict(files), software=dict(software), result=self.write_object(data)
        )
        name = key(entry.files, entry.software)
        _write_whole(self.folder / "loads" / load / name, msgspec.json.encode(entry))

    def _loads(self, load: str) -> list[Dependencies]:
        folder = self.folder / "loads" / load
        if not folder.is_dir():
            return []
        found = []
        for file in sorted(folder.iterdir()):
            try:
                found.append(msgspec.json.decode(file.read_bytes(), type=Dependencies))
            except (OSError, msgspec.MsgspecError):
                continue
        return found

    def _plan(self, task: str) -> Path:
        return self.folder / "plans" / task[:2] / task[2:]

    def _object(self, name: str) -> Path:
        return self.folder / "objects" / name[:2] / name[2:]


def _version_order(software: Mapping[str, str]) -> list[tuple[str, list[int]]]:
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
