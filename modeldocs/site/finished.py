"""Sites that are as a build would make them, where MkDocs need not run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from modeldocs.struct import Struct
from modeldocs.tasks.store import Store

_NOTE = "finished.msgpack"

UNFINISHED = ".modeldocs-unfinished"
"""The file in a site's folder while it is made: what an interrupted build leaves may be emptied."""

State = dict[str, tuple[int, int]]
"""Size and time of change, in nanoseconds, of files by path."""


class Finished(Struct, frozen=True):
    """A built site: the key of all that it was made from, its folder, and its files."""

    key: str
    folder: str
    state: State


def state(around: Path, *folders: Path) -> State:
    """The state of all files of some folders, by path relative to `around`."""
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    found = ((path.relative_to(around).as_posix(), path.stat()) for path in files)
    return {path: (stat.st_size, stat.st_mtime_ns) for path, stat in found}


@contextlib.contextmanager
def being_made(folder: Path) -> Iterator[None]:
    """A block that makes the site in a folder; the mark stays if it does not end."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / UNFINISHED).touch()
    yield
    (folder / UNFINISHED).unlink()


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
