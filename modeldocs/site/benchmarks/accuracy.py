"""Models by their published accuracy, beside what they cost: parameters, MACs, recorded rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from modeldocs.catalog import Model
from modeldocs.catalog.manifest import Accuracy
from modeldocs.site import addresses
from modeldocs.site.benchmarks import runs
from modeldocs.site.benchmarks.runs import ListedRun
from modeldocs.site.catalog.home import representative
from modeldocs.site.templating import PageLink, Templates
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results


class AccuracyRow(Struct, frozen=True):
    """A model with an accuracy; `rates` has its best inference run on each device."""

    model: PageLink
    accuracy: Accuracy
    parameters: int | None
    macs: int | None
    rates: dict[str, ListedRun]


def html(
    models: Sequence[Model],
    found: Sequence[ListedRun],
    results: Results,
    templates: Templates,
    here: str,
) -> str:
    """The table, the most accurate model first; empty where no model has an accuracy."""
    rows = [row for model in models if (row := _row(model, found, results, here)) is not None]
    if not rows:
        return ""
    devices = Counter(device for row in rows for device in row.rates)
    return templates.html(
        "accuracy",
        rows=sorted(rows, key=lambda row: row.accuracy.percent, reverse=True),
        devices=[device for device, _ in devices.most_common()],
        counts=devices,
    )


def _row(
    model: Model, found: Sequence[ListedRun], results: Results, here: str
) -> AccuracyRow | None:
    accuracy = model.manifest.accuracy
    if accuracy is None:
        return None
    graph = representative(model, results)
    totals = graph.totals() if graph is not None else None
    page = addresses.link(here, addresses.benchmarks_folder(model))
    best = [run for run in runs.best(found) if run.record.run.task == "inference"]
    return AccuracyRow(
        model=PageLink(text=model.title, href=addresses.link(here, addresses.model_folder(model))),
        accuracy=accuracy,
        parameters=totals.parameters if totals else None,
        macs=totals.macs if totals else None,
        rates={run.record.device.name: run for run in best if run.model_page == page},
    )
