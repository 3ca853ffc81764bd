"""A build of the site before any generator sees it: results, and pages.

The MkDocs plugin and `modeldocs build --folder` both start here, and MkDocs is not imported.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from modeldocs import catalog, tasks
from modeldocs.catalog import Catalog
from modeldocs.site import addresses, tree
from modeldocs.site.page import Page
from modeldocs.site.pages import pages
from modeldocs.site.progress import shown_progress
from modeldocs.site.settings import Settings
from modeldocs.site.templating import Templates
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
