"""A build of the site before any generator sees it: results, and pages.

The MkDocs plugin and `modeldocs build --folder` both start here, and MkDocs is not imported.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import msgspec

from modeldocs import catalog, digest, environments, loaders, tasks
from modeldocs.catalog import Catalog
from modeldocs.site import addresses, tree
from modeldocs.site.page import Page
from modeldocs.site.pages import pages
from modeldocs.site.progress import shown_progress
from modeldocs.site.settings import Settings
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct
from modeldocs.tasks import closure, store
from modeldocs.tasks.results import Results, Summary, summarise
from modeldocs.tasks.store import Store


@dataclass(frozen=True)
class Built:
    """A catalog, its results with a summary of them, and the templates for their pages."""

    catalog: Catalog
    results: Results
    summary: Summary
    templates: Templates

    def pages(self, home: str = addresses.HOME) -> Iterator[Page]:
        """All pages; the catalog's own goes to `home`."""
        return pages(self.catalog, self.results, self.templates, home)

    def fingerprint(self, home: str) -> str:
        """Digest of all that decides the pages: results, templates, code, software."""
        found = [loaders.entry_point(name).module for name in loaders.frameworks()]
        reached = closure.closure(pages.__module__, *found)
        return store.key(
            home,
            self.catalog,
            sorted(self.results.digests.items()),
            self.results.failures,
            self.results.records,
            [environments.locked(name).ready for name in environments.names()],
            self.templates.digest(),
            [digest.of(page.content) for page in tree.asset_pages()],
            closure.digest_of(*reached.files),
            closure.versions(reached.packages),
        )


def write_slotted(built: Built, home: str, pages: Path, late: Path) -> list[str]:
    """Write the pages as the plugin needs them, unless they are there; their paths.

    See `tree.write_slotted`.
    """
    stamp = built.results.store.folder / "written.json"
    told = _Written(key=built.fingerprint(home))
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        held = msgspec.json.decode(stamp.read_bytes(), type=_Written)
        if held.key == told.key and all((pages / path).is_file() for path in held.paths):
            return list(held.paths)
    stamp.unlink(missing_ok=True)
    every = chain(built.pages(home), tree.asset_pages())
    paths = tree.write_slotted(every, pages, late)
    stamp.write_bytes(msgspec.json.encode(msgspec.structs.replace(told, paths=tuple(paths))))
    return paths


class _Written(Struct, frozen=True):
    """Which pages lie in the store, and what they were made from."""

    key: str
    paths: tuple[str, ...] = ()


def build(root: Path, settings: Settings) -> Built:
    """Load, compare and draw the catalog of a project; only what the store has no answer to.

    Raises:
        ModeldocsError: there is no catalog.
    """
    started = time.monotonic()
    found = catalog.read(root / settings.models)
    with shown_progress() as progress:
        results = tasks.build(
            found,
            Store(root / settings.store),
            jobs=settings.jobs,
            progress=progress,
            run_pairs=settings.parity,
        )
    return Built(
        catalog=found,
        results=results,
        summary=summarise(found, results, time.monotonic() - started),
        templates=Templates([root / settings.templates]),
    )


def write_folder(built: Built, out: Path) -> None:
    """Write the pages as a plain folder, for a generator that has no plugins.

    Raises:
        ModeldocsError: a template of the project cannot be filled.
    """
    tree.write_tree(built.pages(), out)
