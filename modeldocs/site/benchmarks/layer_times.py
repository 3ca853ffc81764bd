"""Times by layer or module of a record, beside the port's own layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from posixpath import join

import msgspec

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.attribution import BlockTime, TimeBreakdown, attribute
from modeldocs.benchmarks.labels import label, software_name
from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Model, Port
from modeldocs.ir import LayerGraph
from modeldocs.site import addresses
from modeldocs.site.benchmarks.runs import ListedRun
from modeldocs.site.data_file import script
from modeldocs.site.page import Page
from modeldocs.site.templating import PageLink, Templates
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results

MAX_NAMES = 6
"""Names without a counterpart that a sentence lists."""

MAX_ROWS = 30
"""Rows of the longest table that the page holds whole; of longer ones it has the slowest."""

SLOWEST = 5
"""Rows that the page has of a longer table; the others are in a file beside it."""


class LayerTime(Struct, frozen=True):
    """A row of the source: its own time in ms, its share of all, and the port's layers."""

    name: str
    kind: str
    forward: float | None
    backward: float | None
    share: float
    layers: tuple[PageLink, ...] = ()


class LayerTimes(Struct, frozen=True):
    """The rows of one record, the port that they were matched with, and what has no counterpart.

    `run` names the record, unlike any other of the model.
    `timed` is the record's own time of a step in ms, where the rows are of another pass.
    `file` is the script with all rows, empty where the page has them.
    `whole` is the time of a step in ms, to which the rows add up with the time `between` them;
    `excess` by how much they were measured longer.
    """

    title: str
    run: str
    href: str
    port: PageLink
    rows: tuple[LayerTime, ...]
    whole: float
    between: float
    excess: float
    strays: tuple[str, ...]
    untimed: tuple[str, ...]
    timed: float | None = None
    file: str = ""

    @property
    def largest(self) -> float:
        """The largest share of a row."""
        return max((row.share for row in self.rows), default=0.0)

    @property
    def slowest(self) -> Sequence[LayerTime]:
        """The rows that the page has: all, or the slowest, the longest time first."""
        if not self.file:
            return self.rows
        return sorted(self.rows, key=lambda row: row.share, reverse=True)[:SLOWEST]


def tables(
    model: Model, runs: Sequence[ListedRun], results: Results, here: str
) -> list[LayerTimes]:
    """The tables of all records with times by layer or module."""
    made = (_table(model, run, results, here) for run in runs if run.record.blocks)
    return [
        msgspec.structs.replace(table, file=f"times-{number}.js")
        if len(table.rows) > MAX_ROWS
        else table
        for number, table in enumerate((one for one in made if one is not None), start=1)
    ]


def html(found: Sequence[LayerTimes], templates: Templates) -> str:
    """The tables on the page; empty without any."""
    return templates.html("layer_times", tables=found) if found else ""


def files(found: Sequence[LayerTimes], templates: Templates, here: str) -> Iterator[Page]:
    """The scripts with all rows of the tables that the page has a part of."""
    row = templates.macros("layer_time_rows").row
    for table in found:
        if table.file:
            rows = [str(row(one, table.largest)) for one in table.rows]
            yield Page(path=join(here, table.file), content=script(rows))


def port_of(model: Model, record: Record) -> Port | None:
    """The port that the blocks of a record are of, or are matched with."""
    name = (record.model.layers_of or "").partition("/")[2] or record.model.port
    return next((port for port in model.ports if port.name == name), None)


def _table(model: Model, run: ListedRun, results: Results, here: str) -> LayerTimes | None:
    record = run.record
    port = port_of(model, record)
    graph = results.graph(model, port) if port is not None else None
    found = attribute(record, graph) if graph is not None else None
    if port is None or graph is None or found is None:
        return None
    page = addresses.link(here, addresses.port_folder(model, port))
    names, whole = graph.names(), found.total.us or 0.0
    between = [part for part in found.unattributed if not part.path]
    return LayerTimes(
        title=", ".join(filter(None, (software_name(record.software), record.device.name))),
        run=label(record),
        href=f"#{run.id}",
        port=PageLink(text=port.name, href=page),
        rows=tuple(
            LayerTime(
                name=part.path or "the network itself",
                kind=part.kind,
                forward=_ms(part.times.forward_us),
                backward=_ms(part.times.backward_us),
                share=(part.times.us or 0.0) / whole if whole else 0.0,
                layers=_links(part, names, page),
            )
            for part in found.parts
            if part not in between
        ),
        whole=whole / 1e3,
        between=sum(part.times.us or 0.0 for part in between) / 1e3,
        excess=(found.excess.us or 0.0) / 1e3,
        strays=shortened(part.path for part in found.unattributed if part.path),
        untimed=shortened(_untimed(found, graph)),
        timed=_ms(metrics.timed_apart(record, found.total.us)),
    )


def _untimed(found: TimeBreakdown, graph: LayerGraph) -> Iterable[str]:
    timed = {*found.reruns, *(layer for part in found.parts for layer in part.layers)}
    return (layer.name for layer in graph.layers if layer.id not in timed)


def shortened(names: Iterable[str]) -> tuple[str, ...]:
    """The names, of many the first few and the number of the others."""
    every = tuple(names)
    if len(every) <= MAX_NAMES + 1:
        return every
    return (*every[:MAX_NAMES], f"{len(every) - MAX_NAMES} more")


def _links(part: BlockTime, names: dict[str, str], page: str) -> tuple[PageLink, ...]:
    shown = part.layers[: MAX_NAMES + 1]
    links = [PageLink(text=names[layer], href=f"{page}#{layer}") for layer in shown]
    more = len(part.layers) - len(shown)
    return (*links, PageLink(text=f"{more} more", href=page)) if more else tuple(links)


def _ms(us: float | None) -> float | None:
    return None if us is None else us / 1e3
