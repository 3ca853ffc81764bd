"""The page of all benchmarks: models and devices, and every recorded run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import join

from modeldocs.benchmarks.devices import DEVICES
from modeldocs.benchmarks.groups import TASKS
from modeldocs.catalog import Catalog
from modeldocs.site import addresses
from modeldocs.site.benchmarks import accuracy, runs
from modeldocs.site.benchmarks.runs import ListedRun
from modeldocs.site.page import Page
from modeldocs.site.search import terms as search_terms
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct
from modeldocs.tasks.panel import CATALOG
from modeldocs.tasks.results import Results


class Matrix(Struct, frozen=True):
    """The highest rates of one task: a row for each model, a column for each device."""

    task: str
    devices: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[ListedRun | None, ...]], ...]
    """Title and page of the model, and its best run on each device."""


def pages(catalog: Catalog, results: Results, templates: Templates) -> Iterator[Page]:
    """The page of the catalog's benchmarks, also where there is none: it says how to record."""
    here = addresses.BENCHMARKS
    found = [
        run
        for model in catalog.models
        for run in runs.runs(model, results.records.get(model.id, []), results, here)
    ]
    matrices = [matrix for task in TASKS if (matrix := _matrix(task, found))]
    work = results.panel(CATALOG).work
    parts = {
        "matrices": templates.html("run_matrices", matrices=matrices) if matrices else "",
        "accuracy": accuracy.html(catalog.models, found, results, templates, here),
        "work": templates.html("chart", charts=[work]) if work else "",
        "runs": templates.html("runs", runs=found, one_model=False) if found else "",
    }
    devices = {run.record.device.name for run in found}
    years = sorted({run.record.run.date[:4] for run in found})
    yield templates.page(
        join(here, "index.md"),
        "benchmarks",
        "Benchmarks",
        parts,
        terms=search_terms.of_benchmarks((), (run.record for run in found)),
        count=len(found),
        models=len({run.model_page for run in found}),
        devices=len(devices),
        years=years,
    )


def _matrix(task: str, found: Sequence[ListedRun]) -> Matrix | None:
    best = [run for run in runs.best(found) if run.record.run.task == task]
    names = sorted({run.record.device.name for run in best}, key=_age)
    cells = {(run.model_page, run.record.device.name): run for run in best}
    titles = {run.model_page: run.model for run in best}
    if not titles:
        return None
    return Matrix(
        task=task,
        devices=tuple(names),
        rows=tuple(
            (title, page, tuple(cells.get((page, name)) for name in names))
            for page, title in titles.items()
        ),
    )


def _age(device: str) -> tuple[int, str]:
    """Devices by year of release; those of unknown year come last."""
    return (DEVICES[device].year if device in DEVICES else 9999, device)
