"""Builds of a site up to its pages, without a site generator.

Both the MkDocs plugin and `modeldocs build --folder` start here. MkDocs is not imported.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import msgspec

from modeldocs import catalog
from modeldocs.catalog import Catalog, Model
from modeldocs.site import addresses, page_writer
from modeldocs.site.page import Page
from modeldocs.site.pages import pages
from modeldocs.site.progress import shown_progress
from modeldocs.site.settings import Settings, check
from modeldocs.site.templating import Templates
from modeldocs.tasks import build as tasks
from modeldocs.tasks.remote import store_at
from modeldocs.tasks.results import Results, Summary, summarise
from modeldocs.tasks.session import TaskSession
from modeldocs.tasks.store import Store


@dataclass(frozen=True)
class Built:
    """A catalog, the results of its tasks with their summary, and the templates of its pages.

    `place` is the store in which its pages are written before MkDocs reads them. `more` are pages
    beside those of the catalog. `jobs` is the number of processes to make pages in, by default one
    per core.
    """

    catalog: Catalog
    results: Results
    summary: Summary
    templates: Templates
    place: Store
    more: tuple[Page, ...] = ()
    jobs: int | None = None

    def by_model(self) -> Iterator[tuple[Model, Built]]:
        """Each model with what its pages depend on: its results, and the models around it."""
        models, results = self.catalog.models, self.results.by_model()
        for number, model in enumerate(models):
            around = models[max(number - 1, 0) : number + 2]
            catalog = msgspec.structs.replace(self.catalog, models=around)
            own = results.get(model.id) or Results(self.results.place)
            yield model, dataclasses.replace(self, catalog=catalog, results=own, more=())

    def pages(self, home: str = addresses.HOME) -> Iterator[Page]:
        """All pages; `home` is the path of the catalog's page."""
        yield from pages(self.catalog, self.results, self.templates, home)
        yield from self.more


def build(
    root: Path,
    settings: Settings,
    log: logging.Logger | None = None,
    session: TaskSession | None = None,
) -> Built:
    """Load, compare and draw the catalog of a project, using stored results where there are any.

    In a `session` pages do not wait for runs of pairs: `results.postponed` has those that the store
    does not hold. The progress is shown on the terminal; where there is none, it goes to `log`.

    Raises:
        ModeldocsError: there is no catalog, or a setting names a target that is not installed.
    """
    start = time.monotonic()
    check(settings, "mkdocs.yml")
    memory = session.models if session is not None else None
    models = catalog.read(root / settings.models, memory).with_targets(settings.generate)
    with shown_progress(log) as progress, _executor(settings) as executor:
        results = tasks.build(
            models,
            store_at(settings.store, root),
            workers=executor or settings.jobs,
            progress=progress,
            pairs_run=("now" if session is None else "later") if settings.parity else "never",
            session=session,
        )
    return Built(
        catalog=models,
        results=results,
        summary=summarise(models, results, time.monotonic() - start),
        templates=_templates(root / settings.templates),
        place=results.store,
        jobs=settings.jobs,
    )


def _templates(folder: Path) -> Templates:
    """The templates with those of a project; they are compiled again where one has changed."""
    return _compiled(folder, tuple(sorted(folder.rglob("*.j2"))))


@functools.lru_cache(1)
def _compiled(folder: Path, _files: tuple[Path, ...]) -> Templates:
    """The templates; a file more would hide another that was compiled, a changed one is noticed."""
    return Templates([folder])


def _executor(settings: Settings) -> contextlib.AbstractContextManager[Executor | None]:
    """The cluster of the settings; None where tasks run on this machine."""
    if settings.scheduler is None:
        return contextlib.nullcontext()
    from modeldocs.tasks import cluster

    return cluster.connected(settings.scheduler)


def write_folder(built: Built, out: Path) -> None:
    """Write the pages as a plain folder, for a generator without the plugin.

    Raises:
        ModeldocsError: a template of the project cannot be rendered.
    """
    page_writer.write_tree(built.pages(), out)
