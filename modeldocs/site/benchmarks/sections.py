"""Parts of pages on benchmarks: what stands on the page of a model and of a port."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.benchmarks.chart_set import ChartSet, latest
from modeldocs.benchmarks.labels import label
from modeldocs.catalog import Model
from modeldocs.site import addresses
from modeldocs.site.benchmarks import runs
from modeldocs.site.templating import Templates
from modeldocs.tasks.results import RecordFile, Results


def summary(
    model: Model, files: Sequence[RecordFile], results: Results, templates: Templates, folder: str
) -> str:
    """The best run of each device and task for a page in `folder`; empty without records."""
    found = runs.runs(model, files, results, folder)
    if not found:
        return ""
    page = addresses.link(folder, addresses.benchmarks_folder(model))
    return templates.html(
        "run_summary", runs=runs.best(found) or found, count=len(found), page=page
    )


def profile(files: Sequence[RecordFile], panel: ChartSet, templates: Templates) -> str:
    """Charts of the latest record's steps and blocks; empty where no steps were timed."""
    last = latest([item.record for item in files if item.record])
    if last is None:
        return ""
    charts = [svg for svg in (panel.steps, panel.blocks) if svg]
    return templates.html("profile", record=last, label=label(last), charts=charts)
