"""The task of drawing charts of the benchmark records of a model or a port."""

from __future__ import annotations

from modeldocs.benchmarks import panel
from modeldocs.benchmarks.panel import Panel
from modeldocs.benchmarks.record import Record
from modeldocs.struct import Struct
from modeldocs.tasks.kind import Kind, Place
from modeldocs.tasks.pool import Task


class PanelInputs(Struct, frozen=True):
    """The records to draw."""

    records: tuple[Record, ...]


def task(name: str, records: tuple[Record, ...]) -> Task:
    """The task of charting the records of the model or port of that name."""
    return Task(kind=PANEL.name, name=name, inputs=PanelInputs(records=records))


def _run(inputs: PanelInputs, _place: Place) -> Panel:
    return panel.draw(list(inputs.records))


PANEL = Kind(name="panel", result=Panel, runs=panel.draw, run=_run, failed=None)
