"""Pruning a store: deleting what is no answer for the present catalog.

What uses a store locks it for the time (see `modeldocs.tasks.lock`), and pruning needs it alone: a
build never loses what it has read or written. What a process that was killed left is deleted too.
Files that modeldocs did not write stay: its own have digests for names, or are listed in the mark.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from modeldocs import mark
from modeldocs.catalog import Catalog
from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct
from modeldocs.tasks import build, lock
from modeldocs.tasks.store import KIND, PART, Dependencies, Store

MODELS = "models"
"""The folder of models' pages among all pages."""

_NAMES = {
    "answers": re.compile(r"[0-9a-f]{2}/[0-9a-f]{38}/[0-9a-f]{40}"),
    "objects": re.compile(r"[0-9a-f]{2}/[0-9a-f]{38}"),
}
"""How the files of a store's folders are named."""

_PART = re.compile(rf"{re.escape(PART)}[0-9a-f]{{12}}-\w{{8}}")

_DAY = 24 * 60 * 60


class Pruned(Struct, frozen=True):
    """Numbers of files that were deleted, and their size in bytes."""

    answers: int
    objects: int
    pages: int
    parts: int
    bytes: int


def prune(
    catalog: Catalog, store: Store, *, older_than: float = 0.0, dry_run: bool = False
) -> Pruned:
    """Delete what is no answer for the catalog, and was not used within `older_than` days.

    With `dry_run` nothing is deleted; the numbers are those of what would be.

    Raises:
        ModeldocsError: there is no store, it is in use, or the folder is somebody else's.
    """
    if not store.folder.is_dir():
        raise ModeldocsError(
            "there is no store", file=store.folder, fix="name its folder with --store DIR"
        )
    store.claim()
    since = time.time() - older_than * _DAY if older_than else float("inf")
    with lock.held(store.folder / lock.NAME, wait=False) as alone:
        if not alone:
            raise ModeldocsError(
                "the store is in use", file=store.folder, fix="prune it when the build has ended"
            )
        answers, objects = _useless(catalog, store, since)
        pages = list(_pages_of_others(catalog, store))
        parts = [
            path
            for name in _NAMES
            for path in _files(store.folder / name)
            if _PART.fullmatch(path.name)
        ]
        every = [*answers, *objects, *pages, *parts]
        pruned = Pruned(
            answers=len(answers),
            objects=len(objects),
            pages=len(pages),
            parts=len(parts),
            bytes=sum(path.lstat().st_size for path in every),
        )
        if not dry_run:
            inside = {path.relative_to(store.folder).as_posix() for path in every}
            mark.delete(store.folder, inside)
            mark.remove(store.folder, KIND, inside)
    return pruned


def _useless(catalog: Catalog, store: Store, since: float) -> tuple[list[Path], list[Path]]:
    """Answers, and objects that no other answer refers to, without those used or made `since`."""
    kept = build.recall(catalog, store).answers
    others = set(_whole(store, "answers")) - kept.keys()
    recent = {path for path in others if path.lstat().st_mtime >= since}
    needed = [*kept.values(), *filter(None, map(_dependencies, recent))]
    reached = {store.path(name) for entry in needed for name in (entry.result, *entry.parts)}
    objects = set(_whole(store, "objects")) - reached
    old = [path for path in objects if path.lstat().st_mtime < since]
    return list(others - recent), old


def _dependencies(file: Path) -> Dependencies | None:
    """The dependencies in the file of an answer; None where it cannot be read."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Dependencies)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None


def _pages_of_others(catalog: Catalog, store: Store) -> Iterator[Path]:
    """Pages of models that the catalog does not have."""
    present = {model.id for model in catalog.models}
    folders = tuple(f"{folder.name}/{MODELS}/" for folder in (store.pages, store.late))
    for path in mark.listed(store.folder):
        steps = path.split("/")
        is_of_other = path.startswith(folders) and len(steps) > 3 and steps[2] not in present
        if is_of_other and os.path.lexists(store.folder / path):
            yield store.folder / path


def _whole(store: Store, name: str) -> Iterator[Path]:
    """The files of a folder of the store but those that are being written, and those of others."""
    folder = store.folder / name
    start = len(str(folder)) + 1
    return (path for path in _files(folder) if _NAMES[name].fullmatch(str(path)[start:]))


def _files(folder: Path) -> Iterator[Path]:
    """The files in a folder, none of them by a link."""
    if not folder.is_symlink():
        for inner, _, names in os.walk(folder):
            yield from (Path(inner, name) for name in names)
