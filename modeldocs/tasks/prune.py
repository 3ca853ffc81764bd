"""Pruning a store: deleting what is no answer for the present catalog.

What uses a store locks it for the time (see `modeldocs.tasks.lock`), and pruning needs it alone: a
build never loses what it has read or written. What a process that was killed left is deleted too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from modeldocs.catalog import Catalog
from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct
from modeldocs.tasks import build, lock
from modeldocs.tasks.store import PART, Dependencies, Store

MODELS = "models"
"""The folder of models' pages among all pages."""

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
        ModeldocsError: there is no store, or it is in use.
    """
    if not store.folder.is_dir():
        raise ModeldocsError(
            "there is no store", file=store.folder, fix="name its folder with --store DIR"
        )
    since = time.time() - older_than * _DAY if older_than else float("inf")
    with lock.held(store.folder / lock.NAME, wait=False) as alone:
        if not alone:
            raise ModeldocsError(
                "the store is in use", file=store.folder, fix="prune it when the build has ended"
            )
        answers, objects = _useless(catalog, store, since)
        pages = list(_pages_of_others(catalog, store))
        parts = [path for path in _files(store.folder) if path.name.startswith(PART)]
        every = [*answers, *objects, *pages, *parts]
        pruned = Pruned(
            answers=len(answers),
            objects=len(objects),
            pages=len(pages),
            parts=len(parts),
            bytes=sum(path.lstat().st_size for path in every),
        )
        if not dry_run:
            _delete(every, store)
    return pruned


def _useless(catalog: Catalog, store: Store, since: float) -> tuple[list[Path], list[Path]]:
    """Answers, and objects that no other answer refers to, without those used or made `since`."""
    kept = build.recall(catalog, store).answers
    others = set(_whole(store.folder / "answers")) - kept.keys()
    recent = {path for path in others if path.lstat().st_mtime >= since}
    needed = [*kept.values(), *filter(None, map(_dependencies, recent))]
    reached = {store.path(name) for entry in needed for name in (entry.result, *entry.parts)}
    objects = set(_whole(store.folder / "objects")) - reached
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
    for folder in (store.pages / MODELS, store.late / MODELS):
        for path in _files(folder):
            model = path.relative_to(folder).parts
            if len(model) > 1 and model[0] not in present:
                yield path


def _whole(folder: Path) -> Iterator[Path]:
    """The files below a folder but those that a process that was killed left unfinished."""
    return (path for path in _files(folder) if not path.name.startswith(PART))


def _files(folder: Path) -> Iterator[Path]:
    for inner, _, names in os.walk(folder):
        yield from (Path(inner, name) for name in names)


def _delete(files: Iterable[Path], store: Store) -> None:
    """Delete files, and the folders of the store that are empty then."""
    for path in files:
        path.unlink(missing_ok=True)
    for inner, _, _ in os.walk(store.folder, topdown=False):
        folder = Path(inner)
        if folder != store.folder and not any(folder.iterdir()):
            folder.rmdir()
