"""Builds of a site up to its pages, without a site generator.

Both the MkDocs plugin and `modeldocs build --folder` start here. MkDocs is not imported.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import msgspec

from modeldocs import catalog, digest, environments, loaders
from modeldocs.catalog import Catalog
from modeldocs.site import addresses, tree
from modeldocs.site.page import Page
from modeldocs.site.pages import pages
from modeldocs.site.progress import shown_progress
from modeldocs.site.settings import Settings
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct
from modeldocs.tasks import build as tasks
from modeldocs.tasks import closure, store
from modeldocs.tasks.results import Results, Summary, summarise
from modeldocs.tasks.store import Store


@dataclass(frozen=True)
class Built:
    """A catalog, the results of its tasks with their summary, and the templates of its pages.

    `place` is the store in which its pages are written before MkDocs reads them. `more` are pages
    beside those of the catalog.
    """

    catalog: Catalog
    results: Results
    summary: Summary
    templates: Templates
    place: Store
    more: tuple[Page, ...] = ()

    def pages(self, home: str = addresses.HOME) -> Iterator[Page]:
        """All pages; `home` is the path of the catalog's page."""
        yield from pages(self.catalog, self.results, self.templates, home)
        yield from self.more

    def fingerprint(self, home: str) -> str:
        """Digest of everything the pages depend on: results, templates, code and software."""
        modules = [loaders.entry_point(name).module for name in loaders.frameworks()]
        code = closure.closure(pages.__module__, *modules)
        return store.key(
            home,
            self.catalog,
            sorted(self.results.digests.items()),
            self.results.failures,
            self.results.records,
            self.more,
            [environments.locked(name).ready for name in environments.names()],
            self.templates.digest(),
            [digest.of(page.content) for page in tree.asset_pages()],
            closure.digest_of(*code.files),
            closure.versions(code.packages),
        )


def write_slotted(built: Built, home: str) -> list[str]:
    """Write the pages with open slots to the store (see `tree.write_slotted`); return their paths.

    Nothing is written where the pages of an earlier build with the same fingerprint are there, as
    it wrote them.
    """
    place = built.place
    stamp = place.folder / "written.json"
    key = built.fingerprint(home)
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        last = msgspec.json.decode(stamp.read_bytes(), type=_Written)
        if last.key == key and last.content == _content(place):
            return list(last.paths)
    stamp.unlink(missing_ok=True)
    every = chain(built.pages(home), tree.asset_pages())
    paths = tree.write_slotted(every, place.pages, place.late)
    written = _Written(key=key, paths=tuple(paths), content=_content(place))
    stamp.write_bytes(msgspec.json.encode(written))
    return paths


class _Written(Struct, frozen=True):
    """Paths of the pages in the store, the digest of each file that belongs to them, and the
    fingerprint of the build that wrote them.
    """

    key: str
    paths: tuple[str, ...]
    content: dict[str, str]


def _content(place: Store) -> dict[str, str]:
    """Digests of the files of pages in a store, by path."""
    folders = (place.pages, place.late)
    files = (path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(place.folder).as_posix(): digest.of_file(path) for path in files}


def build(root: Path, settings: Settings, log: logging.Logger | None = None) -> Built:
    """Load, compare and draw the catalog of a project, using stored results where there are any.

    The progress is shown on the terminal; where there is none, it goes to `log`.

    Raises:
        ModeldocsError: there is no catalog.
    """
    start = time.monotonic()
    models = catalog.read(root / settings.models)
    with shown_progress(log) as progress:
        results = tasks.build(
            models,
            Store(root / settings.store),
            jobs=settings.jobs,
            progress=progress,
            run_pairs=settings.parity,
        )
    return Built(
        catalog=models,
        results=results,
        summary=summarise(models, results, time.monotonic() - start),
        templates=Templates([root / settings.templates]),
        place=results.store,
    )


def write_folder(built: Built, out: Path) -> None:
    """Write the pages as a plain folder, for a generator without the plugin.

    Raises:
        ModeldocsError: a template of the project cannot be rendered.
    """
    tree.write_tree(built.pages(), out)
