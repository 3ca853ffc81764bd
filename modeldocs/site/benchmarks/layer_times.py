"""Times by layer of a record whose source named the layers, beside the port's own layers."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.benchmarks.quantities import Block
from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Model
from modeldocs.site import addresses
from modeldocs.site.benchmarks.runs import Run
from modeldocs.site.templating import Link, Templates
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results


class LayerTime(Struct, frozen=True):
    """A row of the source: its times in ms, their share of all, and the port's layer."""

    name: str
    kind: str
    forward: float | None
    backward: float | None
    share: float
    layer: Link | None = None


class LayerTimes(Struct, frozen=True):
    """The rows of one record, the port that they were matched with, and what has no counterpart.

    `forward` and `backward` are the sums of the rows in ms, `whole` the record's time of a step.
    """

    title: str
    href: str
    port: Link
    rows: tuple[LayerTime, ...]
    forward: float
    backward: float
    whole: float | None
    strays: tuple[str, ...]
    untimed: tuple[str, ...]


def html(
    model: Model, runs: Sequence[Run], results: Results, templates: Templates, here: str
) -> str:
    """The tables of all records whose rows were matched with layers; empty without any."""
    tables = [
        _table(model, run, results, here)
        for run in runs
        if run.record.model.layers_of is not None and run.record.blocks
    ]
    found = [table for table in tables if table is not None]
    return templates.html("layer_times", tables=found) if found else ""


def _table(model: Model, run: Run, results: Results, here: str) -> LayerTimes | None:
    record = run.record
    name = (record.model.layers_of or "").partition("/")[2]
    port = next((one for one in model.ports if one.name == name), None)
    graph = results.graph(model, port) if port is not None else None
    if port is None or graph is None:
        return None
    page = addresses.link(here, addresses.port_folder(model, port))
    layers = {layer.id: layer for layer in graph.layers}
    blocks = record.blocks or ()
    total = sum(_us(block) for block in blocks)
    timed = {block.layer for block in blocks}
    return LayerTimes(
        title=f"{record.software.framework}, {record.device.name}",
        href=f"#{run.id}",
        port=Link(text=port.name, href=page),
        rows=tuple(
            LayerTime(
                name=block.path,
                kind=block.kind or "",
                forward=_ms(block.forward_us),
                backward=_ms(block.backward_us),
                share=_us(block) / total if total else 0.0,
                layer=Link(text=layers[block.layer].name, href=f"{page}#{block.layer}")
                if block.layer in layers
                else None,
            )
            for block in blocks
        ),
        forward=sum(block.forward_us or 0 for block in blocks) / 1e3,
        backward=sum(block.backward_us or 0 for block in blocks) / 1e3,
        whole=_whole(record),
        strays=tuple(block.path for block in blocks if block.layer not in layers),
        untimed=tuple(layer.name for layer in graph.layers if layer.id not in timed),
    )


def _whole(record: Record) -> float | None:
    """Mean time of a step in ms."""
    if record.mean_ms is None and record.step_ms is not None:
        return record.step_ms.mean
    return record.mean_ms


def _us(block: Block) -> float:
    return (block.forward_us or 0) + (block.backward_us or 0)


def _ms(us: float | None) -> float | None:
    return None if us is None else us / 1e3
