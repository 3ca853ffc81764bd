"""The store that a command or a call of Python works with: that of mkdocs.yml, else .modeldocs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from modeldocs.site import settings
from modeldocs.site.settings import Settings
from modeldocs.tasks import remote
from modeldocs.tasks.store import Store

_CONFIG = Path("mkdocs.yml")


def settings_here() -> Settings:
    """The settings of mkdocs.yml in the current folder; the defaults where there is none.

    Raises:
        ModeldocsError: it cannot be read, or names a target that is not installed.
    """
    found = settings.read(_CONFIG) if _CONFIG.exists() else Settings()
    settings.check(found, _CONFIG.name)
    return found


def store_at(location: str | None, *, configured: bool = True) -> Store:
    """The store at a location, by default that of mkdocs.yml in the current folder if `configured`.

    Raises:
        ModeldocsError: the package for that URL's protocol is not installed.
    """
    if location is None and configured:
        location = settings_here().store
    return remote.store_at(location or remote.FOLDER, Path())


@contextmanager
def opened_store(location: str | None, models: Path) -> Iterator[Store]:
    """The store to work with, in use until the block ends.

    Where none is given, none is there and there is no catalog, or where it cannot be written, it is
    a temporary one: to look at a file in some folder leaves nothing in that.
    """
    store = store_at(location)
    if location or store.folder.is_dir() or models.is_dir():
        place = next(
            one for one in (store.folder, *store.folder.absolute().parents) if one.exists()
        )
        if os.access(place, os.W_OK):
            with store.in_use():
                yield store
            return
    with tempfile.TemporaryDirectory(prefix="modeldocs-store-") as temporary:
        yield Store(Path(temporary), store.remote)
