"""The mark of folders that modeldocs writes: what such a folder is, and the files that it wrote.

Whatever else a folder holds is a reader's, and is neither written over nor deleted: all of it where
there is no mark, and each file that the mark does not list. The mark is a text file. Its first line
says what the folder is, each other one names a file, before that is written: after a process was
killed no file of ours is taken for a reader's, and none of a reader's for ours.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from modeldocs.errors import ModeldocsError

NAME = ".modeldocs"
"""The mark's file. MkDocs leaves hidden files where they are when it empties a site."""

_FIRST = "modeldocs "


def check(folder: Path, kind: str, fix: str) -> None:
    """Check that a folder may be written: it is none yet, empty, or one of that kind.

    Raises:
        ModeldocsError: it holds something else; with `fix`.
    """
    if folder.is_dir() and _kind(folder) not in ("", kind):
        there = _kind(folder)
        reason = (
            f"is a {there} that modeldocs wrote, not a {kind}"
            if there
            else f"holds files, and is no {kind} that modeldocs wrote"
        )
        raise ModeldocsError(reason, file=folder.name, fix=fix)


def claim(folder: Path, kind: str, fix: str) -> None:
    """Make a folder one of that kind, if it is none yet.

    Raises:
        ModeldocsError: as `check`.
        OSError: it cannot be written.
    """
    check(folder, kind, fix)
    mark = folder / NAME
    if not mark.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError), mark.open("xb", 0) as file:
            file.write(text(kind))
    elif not mark.stat().st_size:  # after a full disk; another process may be writing the same now
        with mark.open("r+b", 0) as file:
            file.write(text(kind))
    elif _is_cut(mark):  # what is added next would be part of the last line
        keep(folder, kind, listed(folder))


def _is_cut(mark: Path) -> bool:
    """Whether the last line is unfinished, as after a full disk."""
    with mark.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read() != b"\n"


def text(kind: str, files: Iterable[str] = ()) -> bytes:
    """The content of a mark."""
    return f"{_FIRST}{kind}\n".encode() + b"".join(map(_line, sorted(files)))


def kind(data: bytes) -> str | None:
    """What the content of a mark says; None where it is no mark."""
    first = data.partition(b"\n")[0].decode("utf-8", "replace")
    return first.removeprefix(_FIRST) if first.startswith(_FIRST) else None


def _kind(folder: Path) -> str | None:
    """What a folder is: "" for any that is empty, or marked this moment; None for a reader's."""
    with contextlib.suppress(OSError), (folder / NAME).open("rb") as file:
        first = file.readline(100)
        return kind(first) if first else ""
    names = [path.name for path in folder.iterdir()]
    if NAME in names and (folder / NAME).is_file() and os.access(folder / NAME, os.R_OK):
        return _kind(folder)  # another process has marked it meanwhile
    return None if names else ""


def parse(data: bytes) -> set[str]:
    """The files that the content of a mark lists; a line that was cut off is none."""
    lines = data.split(b"\n")[1:-1]
    paths = (_path(line) for line in lines)
    return {path for path in paths if path and ".." not in path.split("/") and path[0] != "/"}


def listed(folder: Path) -> set[str]:
    """The files that a folder's mark lists, by path in it; none where there is no mark."""
    try:
        return parse((folder / NAME).read_bytes())
    except OSError:
        return set()


def add(folder: Path, files: Iterable[str]) -> None:
    """List files that are written next."""
    with (folder / NAME).open("ab", 0) as mark:
        mark.write(b"".join(map(_line, files)))


def keep(folder: Path, kind: str, files: Iterable[str]) -> None:
    """List these files, and no others."""
    part = folder / f"{NAME}-{os.getpid()}"
    part.write_bytes(text(kind, files))
    part.replace(folder / NAME)


def _line(path: str) -> bytes:
    return os.fsencode(path.replace("\\", "\\\\").replace("\n", "\\n")) + b"\n"


def _path(line: bytes) -> str:
    if b"\\" not in line:
        return os.fsdecode(line)
    parts = os.fsdecode(line).split("\\\\")
    return "\\".join(part.replace("\\n", "\n") for part in parts)


def strangers(folder: Path) -> Iterator[str]:
    """The files in a folder that are not listed, but hidden ones beside the mark."""
    ours = listed(folder)
    return (path for path in files(folder) if path not in ours)


def files(folder: Path) -> Iterator[str]:
    """All files and links in a folder, by path in it, but hidden ones beside the mark."""
    pending = [""]
    while pending:
        inner = pending.pop()
        with os.scandir(f"{folder}/{inner}") as entries:
            for entry in entries:
                name = entry.name
                if not inner and name[0] == ".":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{inner}{name}/")
                else:
                    yield inner + name


def remove(folder: Path, kind: str, paths: Iterable[str]) -> None:
    """Delete those of some files that the mark lists, and take them off the list."""
    ours = listed(folder)
    gone = ours.intersection(paths)
    if gone:
        delete(folder, gone)
        keep(folder, kind, ours - gone)


def delete(folder: Path, paths: Iterable[str]) -> None:
    """Delete files by path in a folder, and folders that are empty then; not through links."""
    for path in paths:
        if _is_inside(folder, path):
            with contextlib.suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(f"{folder}/{path}")  # noqa: PTH108 (for thousands of files)
            with contextlib.suppress(OSError):
                for parent in Path(path).parents[:-1]:
                    (folder / parent).rmdir()


def _is_inside(folder: Path, path: str) -> bool:
    """Whether no folder on the way to a file is a link."""
    return not any((folder / parent).is_symlink() for parent in Path(path).parents[:-1])


class MarkedWriter:
    """Writes files into a marked folder, each listed before it is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._listed: set[str] | None = None

    def is_ours(self, path: str) -> bool:
        """Whether there is nothing of a reader's at a path."""
        if not _is_inside(self.folder, path):
            return False
        return not os.path.lexists(f"{self.folder}/{path}") or path in self._ours

    @property
    def _ours(self) -> set[str]:
        if self._listed is None:
            self._listed = listed(self.folder)
        return self._listed

    def check(self, path: str) -> None:
        """Check that a file may be written.

        Raises:
            ModeldocsError: there is one that is not listed, or a link on the way.
        """
        if not self.is_ours(path):
            raise ModeldocsError(
                "is in the way of a file, and modeldocs did not write it",
                file=f"{self.folder.name}/{path}",
                fix="move it to another folder",
            )

    def announce(self, path: str) -> None:
        """List a file that is written next.

        Raises:
            ModeldocsError: as `check`.
        """
        self.check(path)
        if path not in self._ours:
            add(self.folder, [path])
            self._ours.add(path)

    def write(self, path: str, data: bytes) -> None:
        """Write a file, unless it is there with that content.

        Raises:
            ModeldocsError: as `check`.
        """
        target = self.folder / path
        with contextlib.suppress(OSError):
            if target.read_bytes() == data:
                return
        self.announce(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)  # a built site may hold the same file
        target.write_bytes(data)
