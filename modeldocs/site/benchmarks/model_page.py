"""The page of a model's benchmarks: charts of its runs, all runs, times by layer."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import join

from modeldocs.benchmarks import generations
from modeldocs.catalog import Model
from modeldocs.site import addresses, breadcrumbs
from modeldocs.site.benchmarks import (
    layer_times,
    profile_panel,
    runs,
    scaling,
    series_panel,
    step_difference,
)
from modeldocs.site.page import Page
from modeldocs.site.search import terms as search_terms
from modeldocs.site.templating import Templates
from modeldocs.tasks.results import Results


def pages(model: Model, results: Results, templates: Templates) -> Iterator[Page]:
    """The page of a model's records, and files that it loads; none where it has no record."""
    files = results.records.get(model.id, [])
    here = addresses.benchmarks_folder(model)
    found = runs.runs(model, files, results, here)
    if not found:
        return
    panel = results.panel(model.id)
    times = layer_times.tables(model, found, results, here)
    parts = {
        "bar": breadcrumbs.of_benchmarks(model, templates),
        "runs": templates.html("runs", runs=found, one_model=True),
        "history": templates.html(
            "generations",
            charts=[panel.history],
            generations=panel.generations,
            gains=generations.gains(panel.generations),
        )
        if panel.history
        else "",
        "frameworks": templates.html("framework_charts", charts=panel.frameworks)
        if panel.frameworks
        else "",
        "series": series_panel.html(found, panel.series, templates),
        "explained": step_difference.html(found, templates),
        "profiles": profile_panel.html(found, templates),
        "scaling": scaling.html(found, panel, templates),
        "layers": layer_times.html(times, templates),
    }
    for task, svg in panel.rates.items():
        parts[f"rates-{task}"] = templates.html("chart", charts=[svg])
    yield templates.page(
        join(here, "index.md"),
        "model_benchmarks",
        f"Benchmarks of {model.title}",
        parts,
        terms=search_terms.of_benchmarks([model], (run.record for run in found)),
        model=model,
        tasks=list(panel.rates),
        runs=found,
    )
    yield from layer_times.files(times, templates, here)
