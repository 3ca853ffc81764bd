"""Each layer of the reference port in every other port of its model."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from posixpath import join

from modeldocs import formatting, loaders
from modeldocs.catalog import Model, Port
from modeldocs.diff import Diff
from modeldocs.ir import Layer, LayerGraph
from modeldocs.site import addresses
from modeldocs.site.data_file import script
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.site.page import Page
from modeldocs.site.pair import page as diff_page
from modeldocs.site.port.short_settings import short_settings
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results

_FILE = "every-port"
_IDLE = "spelling"
"""Consequence of changes that change nothing."""


class CounterpartCell(Struct, frozen=True):
    """What a layer of the reference is in a port: the text of its layers there.

    `differences` are the titles of the changes between the two, of those that matter; `href` leads
    to the first of the layers. Without a layer there the text is empty.
    """

    text: str = ""
    href: str = ""
    differences: tuple[str, ...] = ()
    is_equal: bool = False
    """Whether the text is the reference's."""


class ReferenceRow(Struct, frozen=True):
    """A layer of the reference port, and its cells in the order of the ports."""

    name: str
    href: str
    operator: str
    text: str
    cells: tuple[CounterpartCell, ...]

    @property
    def differs(self) -> bool:
        """Whether it is another layer in any port."""
        return any(cell.differences for cell in self.cells)


class EveryPort(Struct, frozen=True):
    """The table: the reference port, the names and frameworks of the others, and the rows.

    `extra` has for each port the number of its layers without a counterpart.
    """

    reference: str
    ports: tuple[tuple[str, str], ...]
    extra: tuple[int, ...]
    rows: tuple[ReferenceRow, ...]


def of_model(model: Model, compared: ComparedPorts, results: Results) -> EveryPort | None:
    """The table of a model; None where its reference was compared with no other port."""
    ports = {port.name: port for port in model.ports}
    reference = ports.get(compared.reference)
    graph = results.graph(model, reference) if reference else None
    if reference is None or graph is None:
        return None
    columns = [
        column
        for name in compared.ordered(ports)
        if name != reference.name
        and (column := _column(model, reference, ports[name], results)) is not None
    ]
    if not columns:
        return None
    folder = addresses.link(addresses.model_folder(model), addresses.port_folder(model, reference))
    rows = tuple(
        ReferenceRow(
            name=layer.name,
            href=f"{folder}#{layer.id}",
            operator=layer.operator,
            text=_text(layer),
            cells=tuple(column.cell(layer) for column in columns),
        )
        for layer in graph.layers
    )
    return EveryPort(
        reference=reference.name,
        ports=tuple((one.port.name, loaders.title(one.port.framework)) for one in columns),
        extra=tuple(one.extra for one in columns),
        rows=rows,
    )


class _Column:
    """The layers of one port as counterparts of the reference's.

    `side` is the place of the reference in the pair, 0 for A.
    """

    def __init__(self, model: Model, port: Port, graph: LayerGraph, diff: Diff, side: int) -> None:
        self.port, self._layers = port, {layer.id: layer for layer in graph.layers}
        here = addresses.model_folder(model)
        self._folder = addresses.link(here, addresses.port_folder(model, port))
        pairs = [(match.a, match.b) for match in diff.matches]
        self._counterparts = {one: pair[1 - side] for pair in pairs for one in pair[side]}
        matched = {one for pair in pairs for one in pair[1 - side]}
        self.extra = len(self._layers.keys() - matched)
        self._differences: dict[str, list[str]] = {}
        for change in diff.changes:
            if change.consequence != _IDLE:
                for one in {one for pair in change.pairs for one in pair[side]}:
                    self._differences.setdefault(one, []).append(change.title)

    def cell(self, layer: Layer) -> CounterpartCell:
        """The cell of a layer of the reference."""
        found = [
            self._layers[one] for one in self._counterparts.get(layer.id, ()) if one in self._layers
        ]
        differences = tuple(self._differences.get(layer.id, ()))
        if not found:
            return CounterpartCell(differences=differences)
        text = " + ".join(_text(one, beside=layer) for one in found)
        return CounterpartCell(
            text=text,
            href=f"{self._folder}#{found[0].id}",
            differences=differences,
            is_equal=text == _text(layer),
        )


def _column(model: Model, reference: Port, port: Port, results: Results) -> _Column | None:
    for pair in results.pairs(model):
        if {one.name for one in pair} == {reference.name, port.name}:
            diff, graph = diff_page.compared(model, *pair, results), results.graph(model, port)
            if diff is not None and graph is not None:
                return _Column(
                    model, port, graph, diff, [one.name for one in pair].index(reference.name)
                )
    return None


def _text(layer: Layer, beside: Layer | None = None) -> str:
    """A layer's settings as numbers, pads of 0 too; its operator where that is another one."""
    known = [
        one.text
        for one in short_settings(layer)
        if one.name not in ("padding", "pads", "ceil_mode")
    ]
    pads = layer.attributes.get("pads")
    if pads is not None:
        known.insert(
            1 if layer.attributes.get("kernel_shape") else 0, f"pad {formatting.pads(pads) or 0}"
        )
    if beside is not None and _has_bias(layer) != _has_bias(beside) and _has_weight(layer):
        known.append("bias" if _has_bias(layer) else "no bias")
    operator = layer.operator if beside is not None and layer.operator != beside.operator else ""
    return " ".join(filter(None, [operator, *known]))


def _has_bias(layer: Layer) -> bool:
    return any(one.role == "bias" for one in layer.parameters)


def _has_weight(layer: Layer) -> bool:
    return any(one.role == "weight" for one in layer.parameters)


def html(table: EveryPort | None, templates: Templates) -> str:
    """The table's frame on the model's page, which loads the rows; empty where there is none."""
    return "" if table is None else templates.html("every_port", table=table, file=_FILE)


def files(model: Model, table: EveryPort | None, templates: Templates) -> Iterator[Page]:
    """The rows that the page loads, and the table as CSV."""
    if table is None:
        return
    row = templates.macros("every_port_rows").row
    path = join(addresses.model_folder(model), _FILE)
    yield Page(path=f"{path}.js", content=script([str(row(one)) for one in table.rows]))
    yield Page(path=f"{path}.csv", content=_csv(table))


def _csv(table: EveryPort) -> bytes:
    """A row a layer (RFC 4180, with a header)."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(["layer", "operator", table.reference, *(name for name, _ in table.ports)])
    for row in table.rows:
        writer.writerow([row.name, row.operator, row.text, *(cell.text for cell in row.cells)])
    return stream.getvalue().encode("utf-8")
