"""Times by layer or module of a record, beside the port's own layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.blocks import leaves
from modeldocs.benchmarks.quantities import Block
from modeldocs.catalog import Model
from modeldocs.ir import Layer
from modeldocs.site import addresses
from modeldocs.site.benchmarks.runs import Run
from modeldocs.site.templating import Link, Templates
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results

MAX_NAMES = 6
"""Names without a counterpart that a sentence lists."""


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
    """The tables of all records with times by layer or module; empty without any."""
    tables = [_table(model, run, results, here) for run in runs if run.record.blocks]
    found = [table for table in tables if table is not None]
    return templates.html("layer_times", tables=found) if found else ""


def _table(model: Model, run: Run, results: Results, here: str) -> LayerTimes | None:
    record = run.record
    name = (record.model.layers_of or "").partition("/")[2] or record.model.port
    port = next((one for one in model.ports if one.name == name), None)
    graph = results.graph(model, port) if port is not None else None
    if port is None or graph is None:
        return None
    page = addresses.link(here, addresses.port_folder(model, port))
    layers = {layer.id: layer for layer in graph.layers}
    blocks = leaves(record.blocks or ())
    total = sum(_us(block) for block in blocks)
    # A module that runs several times has several layers; its time stands at the first.
    first = {layer.name: layer.id for layer in reversed(graph.layers)}
    found = {block.path: block.layer or first.get(block.path) for block in blocks}
    timed = set(found.values())
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
                layer=_link(layers.get(found[block.path] or ""), page),
            )
            for block in blocks
        ),
        forward=sum(block.forward_us or 0 for block in blocks) / 1e3,
        backward=sum(block.backward_us or 0 for block in blocks) / 1e3,
        whole=metrics.mean_step_ms(record),
        strays=_shortened(block.path for block in blocks if found[block.path] not in layers),
        untimed=_shortened(
            layer.name
            for layer in graph.layers
            if layer.id not in timed and layer.name not in found  # a module that runs again
        ),
    )


def _shortened(names: Iterable[str]) -> tuple[str, ...]:
    """The names, of many the first few and the number of the others."""
    every = tuple(names)
    if len(every) <= MAX_NAMES + 1:
        return every
    return (*every[:MAX_NAMES], f"{len(every) - MAX_NAMES} more")


def _link(layer: Layer | None, page: str) -> Link | None:
    return Link(text=layer.name, href=f"{page}#{layer.id}") if layer is not None else None


def _us(block: Block) -> float:
    return (block.forward_us or 0) + (block.backward_us or 0)


def _ms(us: float | None) -> float | None:
    return None if us is None else us / 1e3
