"""Recorded runs as rows of a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from posixpath import join

from modeldocs.benchmarks import devices, groups, metrics
from modeldocs.benchmarks.copy_accounting import Audit, audit
from modeldocs.benchmarks.labels import precision, settings, software_name
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.sample_macs import input_size, sample_macs
from modeldocs.benchmarks.trust import Trust, trust
from modeldocs.catalog import RECORDS, Model
from modeldocs.site import addresses
from modeldocs.struct import Struct
from modeldocs.tasks.results import RecordFile, Results


class ListedRun(Struct, frozen=True):
    """A record with what a table shows of it.

    `id` is the row's anchor on the model's page of benchmarks, `page` leads there, `file` to the
    record. `ms` is the time of a step, `rate` samples per second; `utilisation` is the share of the
    device's own rate, 0 to 1.
    """

    id: str
    model: str
    page: str
    file: str
    record: Record
    size: str
    precision: str
    conditions: str
    software: str
    trust: Trust
    is_usual: bool
    """Whether its input has the size of most runs of its task."""
    ms: float | None = None
    rate: float | None = None
    utilisation: float | None = None
    audit: Audit | None = None
    """The bytes copied to the device, explained; None where they are unknown."""
    printed: tuple[tuple[str, str], ...] = ()
    """Figures as the source prints them: name and value."""

    @property
    def model_page(self) -> str:
        """The model's page of benchmarks."""
        return self.page.partition("#")[0]

    @property
    def source(self) -> str:
        """Where its figures are from."""
        provenance = self.record.provenance
        return provenance.title if provenance else "measured here"


def runs(
    model: Model, files: Sequence[RecordFile], results: Results, folder: str
) -> list[ListedRun]:
    """The runs of a model's records for a page in `folder`, in the order of a table."""
    records = [item.record for item in files if item.record]
    usual = [id(record) for group in groups.by_task(records).values() for record in group]
    found = [
        _run(model, item.file, item.record, results, folder, is_usual=id(item.record) in usual)
        for item in files
        if item.record
    ]
    return sorted(found, key=_order)


def best(runs: Iterable[ListedRun]) -> list[ListedRun]:
    """The run with the highest rate of each model, device and task, of the usual input size."""
    chosen: dict[tuple[str, str, str | None], ListedRun] = {}
    for run in runs:
        key = run.model_page, run.record.device.name, run.record.run.task
        known = chosen[key].rate if key in chosen else 0.0
        if run.is_usual and run.rate and run.rate > (known or 0.0):
            chosen[key] = run
    return list(chosen.values())


def _order(run: ListedRun) -> tuple[int, bool, float, str]:
    """By task, the usual input size first, then the highest rate."""
    tasks, task = groups.TASKS, run.record.run.task
    place = tasks.index(task) if task in tasks else len(tasks)
    return place, not run.is_usual, -(run.rate or 0), run.id


def _run(
    model: Model, file: str, record: Record, results: Results, folder: str, *, is_usual: bool
) -> ListedRun:
    target = addresses.benchmarks_folder(model)
    anchor = file.removesuffix(".json")
    rate = metrics.samples_per_second(record)
    size = groups.size(record)
    software = record.software
    name = software_name(software)
    return ListedRun(
        id=anchor,
        model=model.title,
        page=f"{addresses.link(folder, target)}#{anchor}",
        file=addresses.link(folder, join(addresses.model_folder(model), RECORDS), file),
        record=record,
        size="×".join(str(one) for one in size) if size else "",
        precision=precision(record.numerics) or "",
        conditions=", ".join(settings(record)),
        software=f"{name}, CUDA {software.cuda}" if software.cuda else name or "not named",
        trust=trust(record),
        is_usual=is_usual,
        ms=metrics.step_ms(record),
        rate=rate,
        utilisation=_utilisation(model, record, rate, results),
        audit=_audit(model, record, results),
        printed=tuple(_printed(record)),
    )


def _printed(record: Record) -> Iterator[tuple[str, str]]:
    for figure in record.provenance.figures if record.provenance else ():
        yield f"{figure.name}, as printed", f"{figure.value:,.6g} {figure.unit}".removesuffix(" 1")


def _utilisation(
    model: Model, record: Record, rate: float | None, results: Results
) -> float | None:
    """The share of the device's rate, where the run's input has the size of the port's."""
    graph = results.graph_of(model, record)
    if graph is None or rate is None:
        return None
    macs = sample_macs(record, graph)
    return devices.utilisation(record, rate, macs) if macs is not None else None


def _audit(model: Model, record: Record, results: Results) -> Audit | None:
    """The audit of the copies in a record's trace, with 4 bytes a parameter and an input."""
    copies = (record.gpu.memcpy or {}).get("HtoD") if record.gpu else None
    graph = results.graph_of(model, record) if copies is not None else None
    if copies is None or copies.bytes is None or graph is None or record.model.port is None:
        return None
    states = 4 * sum(parameter.elements for parameter in graph.parameters().values())
    own, batch = input_size(graph), record.run.batch
    sample = math.prod(size for size in own if isinstance(size, int)) if own is not None else 0
    found = audit(copies.bytes, states, 4 * batch * sample if batch else None)
    # Without the batch, what is left over may be inputs.
    return found if found.matches or batch else None
