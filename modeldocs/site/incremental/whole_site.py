"""Sites that are as a build would make them, where MkDocs need not run."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from modeldocs.struct import Struct
from modeldocs.tasks.store import Store

_NOTE = "finished.msgpack"

FileState = tuple[int, int]
"""Size and time of change, in nanoseconds, of a file."""

State = dict[str, FileState]
"""The states of files by path."""


class Finished(Struct, frozen=True):
    """A built site: the key of all that it was made from, its folder, and its files."""

    key: str
    folder: str
    state: State


def state(around: Path, *folders: Path) -> State:
    """The state of all files of some folders, by path relative to `around`."""
    start = len(str(around)) + 1
    files = (file for folder in folders for file in _files(str(folder)))
    return {file.path[start:]: _state(file) for file in files}


def of(around: Path, files: Iterable[str]) -> State:
    """The states of some files, by path relative to `around`; without those that do not exist."""
    states = ((file, of_file(f"{around}/{file}")) for file in files)
    return {file: state for file, state in states if state is not None}


def of_file(path: str) -> FileState | None:
    """The state of a file; None where there is none."""
    try:
        stat = os.stat(path)  # noqa: PTH116 (for thousands of files)
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    """All files below a folder, none of them by a link; none where there is no such folder."""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry


def _state(file: os.DirEntry[str]) -> FileState:
    stat = file.stat()
    return stat.st_size, stat.st_mtime_ns


def is_finished(store: Store, folder: Path, key: str) -> bool:
    """Whether a folder holds the site of that key, as the last build left it."""
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        last = msgspec.msgpack.decode((store.folder / _NOTE).read_bytes(), type=Finished)
        return (last.key, last.folder) == (key, str(folder)) and last.state == state(folder, folder)
    return False


def note(store: Store, folder: Path, key: str) -> None:
    """Note that a folder holds the site of that key."""
    finished = Finished(key=key, folder=str(folder), state=state(folder, folder))
    (store.folder / _NOTE).write_bytes(msgspec.msgpack.encode(finished))
