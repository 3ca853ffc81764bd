"""The task of drawing charts of the benchmark records of a model or a port."""

from __future__ import annotations

from modeldocs.benchmarks import chart_set
from modeldocs.benchmarks.chart_set import ChartSet
from modeldocs.benchmarks.record import Record
from modeldocs.struct import Struct
from modeldocs.tasks.kind import TaskFolders, TaskKind
from modeldocs.tasks.pool import PooledTask

CATALOG = "(catalog)"
"""Name of the task that draws the whole catalog; no model's id has parentheses."""


class PanelInputs(Struct, frozen=True):
    """The records to draw; for the chart of the whole catalog also the graph of each, by digest."""

    records: tuple[Record, ...]
    graphs: tuple[str, ...] = ()


def task(name: str, records: tuple[Record, ...], graphs: tuple[str, ...] = ()) -> PooledTask:
    """The task of charting the records of the model or port of that name, or of the catalog."""
    return PooledTask(
        kind=PANEL.name, name=name, inputs=PanelInputs(records=records, graphs=graphs)
    )


def _run(inputs: PanelInputs, place: TaskFolders) -> ChartSet:
    if not inputs.graphs:
        return chart_set.draw(list(inputs.records))
    graphs = {digest: place.graph(digest) for digest in set(inputs.graphs)}
    pairs = zip(inputs.records, inputs.graphs, strict=True)
    return chart_set.draw_catalog([(record, graphs[digest]) for record, digest in pairs])


PANEL = TaskKind(name="panel", result=ChartSet, runs=chart_set.draw, run=_run, failed=None)
