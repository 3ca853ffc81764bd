"""The store of results, by the digest of everything that they depend on.

`objects/` holds content by its own digest. `answers/` holds, by the key of a task, all results with
the files and versions that each depends on: which files a port imports is known only after it was
loaded. `lock` is locked by what uses the store (see `modeldocs.tasks.lock`). The pages that MkDocs
reads lie beside them.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from modeldocs import digest, mark
from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct, whole
from modeldocs.tasks import lock

if TYPE_CHECKING:
    from modeldocs.tasks.remote import RemoteStore

PART = ".part-"
"""Beginning of the names of files that are being written."""

_PART_DIGITS = 12

KIND = "store"
"""What the mark of a store's folder says."""

_FIX = "choose an empty folder with --store DIR, or remove it yourself"

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


def is_sought(path: str, what: str) -> bool:
    """Whether this is what was seen of a folder or where nothing was, not a file's digest."""
    return what == digest.ABSENT or path.endswith((digest.NAMES, digest.MODULES))


def is_seen(root: Path, path: str, what: str) -> bool:
    """Whether a program below `root` would see the same where it looks for a path."""
    return digest.seen(f"{root}{os.sep}{path}") == what


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
    Of folders, and of files that are not there, `files` holds what is seen (`modeldocs.digest`).
    `parts` are digests of further objects that the result refers to. `check` is the digest of the
    task's key and of all else here: what was changed, or belongs to another task, does not match.
    """

    files: dict[str, str]
    software: dict[str, str]
    result: str
    parts: tuple[str, ...]
    check: str

    @classmethod
    def of(
        cls,
        task: str,
        result: str,
        files: Mapping[str, str],
        software: Mapping[str, str],
        parts: Iterable[str],
    ) -> Dependencies:
        """The dependencies of the result of the task of that key."""
        fields = dict(files), dict(software), result, tuple(parts)
        return cls(
            files=fields[0],
            software=fields[1],
            result=result,
            parts=fields[3],
            check=key(task, *fields),
        )

    @property
    def name(self) -> str:
        """Digest of what the result depends on: a later one takes its place."""
        return key(self.files, self.software)

    def belongs_to(self, task: str) -> bool:
        """Whether it is unchanged since it was written, for the task of that key."""
        return self.check == key(task, self.files, self.software, self.result, self.parts)


class Accepted(NamedTuple):
    """The software for which a stored result is valid: these versions by package.

    Where not all can be known here (a framework is not installed) `exact` is False: a result may
    then depend on any versions of packages that are not named, and on files outside of the catalog
    that are not there.
    """

    software: Mapping[str, str]
    exact: bool = True

    def allows(self, entry: Dependencies, root: Path) -> bool:
        """Whether a result is valid for this software and the files of the catalog at `root`."""
        here = self.software
        if self.exact and entry.software != here:
            return False
        if any(version != here.get(name, version) for name, version in entry.software.items()):
            return False
        return all(self._same(root, path, one) for path, one in entry.files.items())

    def _same(self, root: Path, path: str, digest: str) -> bool:
        if is_sought(path, digest):
            return is_seen(root, path, digest)
        found = digest_file(root / path)
        unknown = found is None and not self.exact and path.startswith("..")
        return found == digest or (unknown and not os.path.lexists(root / path))


_ANY_CODE = Accepted(_NOTHING)
"""What depends on no file and no software but that of its key."""


class Answer(NamedTuple):
    """A stored result that is valid: its file, its dependencies, and the result itself."""

    file: Path
    dependencies: Dependencies
    data: bytes


class Store:
    """Results in a folder; safe for several writers, since files are written atomically.

    `remote` is a store that the folder's results are fetched from, and uploaded to.

    A file that is damaged, unreadable or not a file (after a full disk, an incomplete copy or a
    mistake) counts as missing, so that its result is computed and written again.
    """

    def __init__(self, folder: Path, remote: RemoteStore | None = None) -> None:
        self.folder, self.remote = folder, remote

    @property
    def pages(self) -> Path:
        """The folder of the pages that MkDocs reads."""
        return self.folder / "pages"

    @property
    def late(self) -> Path:
        """The folder of what is filled into pages after MkDocs has rendered them."""
        return self.folder / "late"

    def check(self) -> None:
        """Check that the folder is a store, or none yet.

        Raises:
            ModeldocsError: it is somebody else's.
        """
        mark.check(self.folder, KIND, _FIX)

    def claim(self) -> None:
        """Mark the folder as a store.

        Raises:
            ModeldocsError: it is somebody else's, or cannot be written.
        """
        try:
            mark.claim(self.folder, KIND, _FIX)
        except OSError as error:  # whatever else is written would be taken for somebody else's
            raise self._unwritable(self.folder, error) from None

    def in_use(self) -> contextlib.AbstractContextManager[bool]:
        """A context in which nothing is pruned; it waits while the store is being pruned.

        Raises:
            ModeldocsError: the folder is somebody else's.
        """
        self.claim()
        return lock.held(self.folder / lock.NAME, shared=True)

    def read_object(self, name: str) -> bytes | None:
        """Content by digest, None where it is missing or damaged."""
        data = _read(self.path(name)) if _DIGEST.fullmatch(name) else None
        return data if data is not None and digest.of(data) == name else None

    def read(self, name: str) -> bytes:
        """Content by digest.

        Raises:
            ModeldocsError: it is missing or damaged.
        """
        content = self.read_object(name)
        if content is None:
            raise ModeldocsError("a part of it is missing in the store", fix="build again")
        return content

    def write_object(self, data: bytes) -> str:
        """Store content; returns its digest.

        Raises:
            ModeldocsError: the store cannot be written.
        """
        name = digest.of(data)
        if _read(self.path(name)) != data:
            self._write(self.path(name), data)
        return name

    def answer(
        self, task: str, root: Path = _HERE, accepted: Accepted = _ANY_CODE
    ) -> Answer | None:
        """The result of a task by its key that is valid for the files below `root`.

        Of several, that of the highest versions. Returns None where there is none. The time of the
        answer's file becomes that of its last use.
        """
        entries = self.answers(task)
        for file in sorted(entries, key=lambda one: by_version(entries[one]), reverse=True):
            if accepted.allows(entries[file], root):
                data = self._complete(entries[file])
                if data is not None:
                    with contextlib.suppress(OSError):  # a store may be read-only
                        os.utime(file)
                    return Answer(file, entries[file], data)
        return None

    def _complete(self, entry: Dependencies) -> bytes | None:
        """The result of an answer; None where it or a part of it is missing."""
        if all(self.read_object(part) is not None for part in entry.parts):
            return self.read_object(entry.result)
        return None

    def write(
        self,
        task: str,
        data: bytes,
        files: Mapping[str, str] = _NOTHING,
        software: Mapping[str, str] = _NOTHING,
        parts: Iterable[str] = (),
    ) -> str:
        """Store the result of a task with its dependencies; returns the digest of the result.

        `files` are digests by path relative to the catalog's folder, `software` versions by
        package, `parts` digests of the objects that the result refers to.

        Raises:
            ModeldocsError: the store cannot be written.
        """
        result = self.write_object(data)
        self.add(task, Dependencies.of(task, result, files, software, parts))
        return result

    def add(self, task: str, entry: Dependencies) -> None:
        """Store an answer to a task, whose objects are stored.

        Raises:
            ModeldocsError: the store cannot be written.
        """
        self._write(self._folder(task) / entry.name, msgspec.json.encode(entry))

    def answers(self, task: str) -> dict[Path, Dependencies]:
        """The answers to a task by their files, without those that are damaged or foreign."""
        try:
            files = sorted(self._folder(task).iterdir())
        except OSError:
            return {}
        entries = {}
        for file in files:
            with contextlib.suppress(OSError, msgspec.MsgspecError, RecursionError):
                entry = msgspec.json.decode(file.read_bytes(), type=Dependencies)
                if entry.belongs_to(task):
                    entries[file] = entry
        return entries

    def has_answers(self, task: str) -> bool:
        """Whether there is any result of the task of that key, valid or not."""
        return self._folder(task).exists()

    def _folder(self, task: str) -> Path:
        return self.folder / "answers" / task[:2] / task[2:]

    def path(self, name: str) -> Path:
        """The path of content by its digest, whether it exists or not."""
        return self.folder / "objects" / name[:2] / name[2:]

    def _write(self, path: Path, data: bytes) -> None:
        if not self.folder.exists():
            self.claim()
        try:
            try:
                _write_whole(path, data)
            except (FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError):
                self._clear_way(path)
                _write_whole(path, data)
        except OSError as error:
            raise self._unwritable(path, error) from None

    def _unwritable(self, path: Path, error: OSError) -> ModeldocsError:
        return ModeldocsError(
            f"the store cannot be written: {error.strerror or error}",
            file=path.relative_to(self.folder.parent),
            fix="make room there and let it be written, or choose another folder with --store",
        )

    def _clear_way(self, path: Path) -> None:
        """Rename what is not a folder on the way to a file of the store, and folders in its place;
        let the folders be written.
        """
        for folder in reversed(path.parents):
            if folder.is_relative_to(self.folder) and os.path.lexists(folder):
                if folder.is_dir() and not folder.is_symlink():
                    folder.chmod(folder.stat().st_mode | stat.S_IRWXU)
                elif folder != self.folder:
                    _rename(folder)
        if path.is_dir():
            _rename(path)


def by_version(entry: Dependencies) -> list[tuple[str, list[int]]]:
    """What sorts results by the versions that they depend on."""
    return [
        (name, [int(part) for part in version.split(".") if part.isdigit()])
        for name, version in sorted(entry.software.items())
    ]


def _rename(path: Path) -> None:
    """Give what somebody put into our place another name beside it, which is free."""
    names = (path.with_name(f"{path.name}.aside-{number}") for number in itertools.count(1))
    path.rename(next(name for name in names if not os.path.lexists(name)))


def _write_whole(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=f"{PART}{path.name[:_PART_DIGITS]}-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
