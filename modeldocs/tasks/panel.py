"""The task of drawing charts of the benchmark records of a model or a port."""

from __future__ import annotations

from modeldocs.benchmarks import panel
from modeldocs.benchmarks.panel import Panel
from modeldocs.benchmarks.record import Record
from modeldocs.struct import Struct
from modeldocs.tasks.kind import Kind, Place
from modeldocs.tasks.pool import Task

CATALOG = "(catalog)"
"""Name of the task that draws the whole catalog; no model's id has parentheses."""


class PanelInputs(Struct, frozen=True):
    """The records to draw; for the chart of the whole catalog also the graph of each, by digest."""

    records: tuple[Record, ...]
    graphs: tuple[str, ...] = ()


def task(name: str, records: tuple[Record, ...], graphs: tuple[str, ...] = ()) -> Task:
    """The task of charting the records of the model or port of that name, or of the catalog."""
    return Task(kind=PANEL.name, name=name, inputs=PanelInputs(records=records, graphs=graphs))


def _run(inputs: PanelInputs, place: Place) -> Panel:
    if not inputs.graphs:
        return panel.draw(list(inputs.records))
    graphs = {digest: place.graph(digest) for digest in set(inputs.graphs)}
    pairs = zip(inputs.records, inputs.graphs, strict=True)
    return panel.draw_catalog([(record, graphs[digest]) for record, digest in pairs])


PANEL = Kind(name="panel", result=Panel, runs=panel.draw, run=_run, failed=None)
