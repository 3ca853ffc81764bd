"""A remote store: results of tasks on any file system that `fsspec` reaches.

Tasks work in a local store. What that does not hold is fetched before a task would run, and what it
holds is uploaded after tasks ran. As in a local store, `objects/` holds content by its digest.
`answers/` holds one file for each task, a list of its answers: a task's results are found by its
key alone, also on servers that list no folders. What is damaged, cut off or foreign there is
ignored. Two machines that add an answer to one task at the same time may lose one, which is then
computed again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from modeldocs import digest
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.kinds import KINDS
from modeldocs.tasks.pool import PooledTask
from modeldocs.tasks.remote_files import RemoteFiles, is_url
from modeldocs.tasks.store import Dependencies, Store, by_version

FOLDER = ".modeldocs"
"""The local store of a remote one, beside `mkdocs.yml`."""

TASKS_AT_ONCE = 64
"""Tasks whose results are fetched together, which bounds the memory that they take."""

UPLOADS_AT_ONCE = 8
FAILURES = 3
"""Failed uploads after which no more are tried."""

_Seen = dict[tuple[str, str], PooledTask]
"""Tasks by kind and name."""

_missed: dict[tuple[str, str], _Seen] = {}
_copied: dict[tuple[str, str], _Seen] = {}
"""Tasks of which a remote store had no result, and whose results it has, by its URL and the local
folder: `serve` builds again at each change, and would look at all of them each time.
"""


def store_at(location: str, root: Path) -> Store:
    """The store at a folder, relative to `root`, or at a URL.

    Raises:
        ModeldocsError: the package for that URL's protocol is not installed, or the folder is
            somebody else's.
    """
    is_remote = is_url(location)
    store = Store(root / FOLDER, RemoteStore(location)) if is_remote else Store(root / location)
    store.check()
    return store


class _Found(NamedTuple):
    """An answer of a task, by its key."""

    task: str
    entry: Dependencies

    @property
    def names(self) -> tuple[str, ...]:
        """The digests of what it refers to."""
        return (self.entry.result, *self.entry.parts)


class RemoteStore:
    """A remote store by its URL. No failure of it is raised: one is told, and the work goes on."""

    def __init__(self, url: str) -> None:
        """Check that its protocol is known; it is not connected yet.

        Raises:
            ModeldocsError: fsspec, or the package that it needs for the protocol, is missing.
        """
        self.files = RemoteFiles(url)
        self.failed_uploads = 0

    @property
    def shown(self) -> str:
        """Its URL without credentials."""
        return self.files.shown

    def fetch(self, tasks: Sequence[PooledTask], place: TaskFolders) -> None:
        """Copy the valid results of tasks to the local store, but those missed here before."""
        missed = self._seen(_missed, place.objects)
        asked = [task for task in tasks if missed.get((task.kind, task.name)) != task]
        keyed = {KINDS[task.kind].key(task.inputs): task for task in asked}
        keys = list(keyed)
        for start in range(0, len(keys), TASKS_AT_ONCE):
            some = keys[start : start + TASKS_AT_ONCE]
            lists = self.files.read([_answers(key) for key in some])
            for key in some:
                if _answers(key) not in lists:
                    missed[keyed[key].kind, keyed[key].name] = keyed[key]
            found = (_choose(keyed[key], key, lists.get(_answers(key), b""), place) for key in some)
            self._copy([one for one in found if one is not None], place.objects)

    def _copy(self, chosen: Collection[_Found], store: Store) -> None:
        names = {name for found in chosen for name in found.names}
        missing = sorted(name for name in names if store.read_object(name) is None)
        for path, data in self.files.read([_object(name) for name in missing]).items():
            if _object(digest.of(data)) == path:
                store.write_object(data)
        for found in chosen:
            if all(store.read_object(name) is not None for name in found.names):
                store.add(found.task, found.entry)
                _note(store, self.files.url, found.entry)

    def upload(
        self, tasks: Sequence[PooledTask], place: TaskFolders, ran: Sequence[PooledTask] = ()
    ) -> None:
        """Copy the valid results of tasks in the local store to this one, but those known there.

        Tasks that `ran` have new results.
        """
        if self.files.read_only or self.files.unreadable:
            return
        store = place.objects
        copied, known = self._seen(_copied, store), _known(store, self.files.url)
        for task in ran:
            for seen in (copied, self._seen(_missed, store)):
                seen.pop((task.kind, task.name), None)
        fresh = [task for task in tasks if copied.get((task.kind, task.name)) != task]
        found = [
            one for task in fresh for one in _valid(task, place) if one.entry.check not in known
        ]
        if found:
            with ThreadPoolExecutor(UPLOADS_AT_ONCE) as threads:
                list(threads.map(lambda one: self._upload(one, store), found))
        if not self.failed_uploads:
            copied.update({(task.kind, task.name): task for task in fresh})

    def _upload(self, found: _Found, store: Store) -> None:
        """Write what an answer refers to, then the answer."""
        if self.failed_uploads >= FAILURES:
            return
        try:
            for name in found.names:
                self.files.write(_object(name), store.read(name))
            path = _answers(found.task)
            held = _entries(found.task, self.files.read([path]).get(path, b""))
            if self.files.unreadable:  # it may hold answers of others
                return
            entries = {entry.name: entry for entry in (*held, found.entry)}
            self.files.write(path, msgspec.json.encode([entries[name] for name in sorted(entries)]))
        except Exception as error:  # what a file system raises is its own affair
            self.failed_uploads += 1
            self.files.tell("written", error, f"results stay in {store.folder.name}")
        else:
            self.failed_uploads = 0
            _note(store, self.files.url, found.entry)

    def _seen(self, tasks: dict[tuple[str, str], _Seen], store: Store) -> _Seen:
        return tasks.setdefault((self.files.url, str(store.folder)), {})


def _answers(task: str) -> str:
    return f"answers/{task[:2]}/{task[2:]}.json"


def _object(name: str) -> str:
    return f"objects/{name[:2]}/{name[2:]}"


def _entries(task: str, data: bytes) -> list[Dependencies]:
    """The answers to a task in a list; none where that is damaged."""
    try:
        entries = msgspec.json.decode(data, type=list[Dependencies])
    except (msgspec.MsgspecError, RecursionError):
        return []
    return [entry for entry in entries if entry.belongs_to(task)]


def _choose(task: PooledTask, key: str, data: bytes, place: TaskFolders) -> _Found | None:
    """The answer to take of those in a list, None where none is valid here."""
    entries = sorted(_entries(key, data), key=by_version, reverse=True)
    accepted = KINDS[task.kind].accepted(task.inputs, place) if entries else ()
    valid = (entry for one in accepted for entry in entries if one.allows(entry, Path(place.root)))
    first = next(valid, None)
    return _Found(key, first) if first is not None else None


def _valid(task: PooledTask, place: TaskFolders) -> Iterator[_Found]:
    """The answers to a task in the local store that are valid here."""
    kind = KINDS[task.kind]
    key, root = kind.key(task.inputs), Path(place.root)
    entries = place.objects.answers(key).values()
    accepted = list(kind.accepted(task.inputs, place)) if entries else []
    for entry in entries:
        if any(one.allows(entry, root) for one in accepted):
            yield _Found(key, entry)


def _notes(store: Store, url: str) -> Path:
    """The file with the checks of the answers that are known to be in a remote store."""
    return store.folder / f"remote-{digest.of(url.encode())[:12]}.txt"


def _known(store: Store, url: str) -> set[str]:
    try:
        return set(_notes(store, url).read_text("ascii").split())
    except (OSError, ValueError):
        return set()


def _note(store: Store, url: str, entry: Dependencies) -> None:
    with contextlib.suppress(OSError), _notes(store, url).open("a", encoding="ascii") as file:
        file.write(f"{entry.check}\n")
