"""The table of a graph's layers, one row a layer, as HTML and as CSV."""

from __future__ import annotations

import csv
import io
from typing import Any

from modeldocs import spelling
from modeldocs.diagram import Drawing
from modeldocs.ir import Layer, LayerGraph, Operand, Origin
from modeldocs.site import source
from modeldocs.site.templating import Link, Templates
from modeldocs.struct import Struct

MAX_ROWS = 1000
"""Rows of a page; of larger graphs it shows the first rows, and all are offered as CSV."""

_OWN_COLUMN = ("kernel_shape", "strides", "pads", "dilations", "group", "epsilon")


class Row(Struct, frozen=True):
    """A layer in the table. Figures are raw; the columns format them."""

    index: int
    layer: Layer
    reads: tuple[tuple[str, str, tuple[str, ...]], ...]
    """For each operand the id and name of the layer that it reads, and the steps on the edge."""
    others: dict[str, Any]
    places: tuple[tuple[Origin, Link], ...]


def html(
    graph: LayerGraph, drawing: Drawing | None, sources: dict[str, int], templates: Templates
) -> str:
    """Diagram and table of a graph; `sources` maps files on the page to their 1-based numbers."""
    rows = _rows(graph, sources)
    return templates.html("layers", rows=rows[:MAX_ROWS], total=len(rows), drawing=drawing)


def _rows(graph: LayerGraph, sources: dict[str, int]) -> list[Row]:
    names = graph.names()
    return [
        Row(
            index=index,
            layer=layer,
            reads=tuple(_read(operand, names) for operand in layer.inputs),
            others={k: v for k, v in layer.attributes.items() if k not in _OWN_COLUMN},
            places=tuple((origin, _place(origin, sources)) for origin in layer.origins),
        )
        for index, layer in enumerate(graph.layers, start=1)
    ]


def _read(operand: Operand, names: dict[str, str]) -> tuple[str, str, tuple[str, ...]]:
    steps = tuple(spelling.step(step) for step in operand.steps)
    return operand.value, names.get(operand.value, operand.value), steps


def _place(origin: Origin, sources: dict[str, int]) -> Link:
    text = ":".join(str(part) for part in (origin.file, origin.line) if part)
    number = sources.get(origin.file or "")
    if number is None or origin.line is None:
        return Link(text=text, href="")
    return Link(text=text, href=f"#{source.anchor(number, origin.line)}")


_COLUMNS = (
    "index",
    "id",
    "name",
    "operator",
    "inputs",
    "input_shapes",
    "output_shapes",
    "kernel_shape",
    "strides",
    "pads",
    "padding",
    "dilations",
    "group",
    "epsilon",
    "attributes",
    "dtype",
    "parameters",
    "macs",
    "activation_bytes",
    "module",
    "source",
    "origin",
)


def csv_bytes(graph: LayerGraph) -> bytes:
    """All layers as CSV (RFC 4180) with a header; figures are raw."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for row in _rows(graph, {}):
        writer.writerow(_cells(row))
    return stream.getvalue().encode("utf-8")


def _cells(row: Row) -> list[Any]:
    layer = row.layer
    own = {name: spelling.setting(layer.attributes.get(name, "")) for name in _OWN_COLUMN}
    own["pads"] = spelling.pads(layer.attributes.get("pads"))
    return [
        row.index,
        layer.id,
        layer.name,
        layer.operator,
        " ".join(identity for identity, _, _ in row.reads),
        " ".join(spelling.shape(operand.type) for operand in layer.inputs),
        " ".join(spelling.shape(output) for output in layer.outputs),
        own["kernel_shape"],
        own["strides"],
        own["pads"],
        layer.padding or "",
        own["dilations"],
        own["group"],
        own["epsilon"],
        "; ".join(f"{key}={spelling.setting(value)}" for key, value in row.others.items()),
        layer.outputs[0].dtype if layer.outputs else "",
        "" if layer.parameter_count is None else layer.parameter_count,
        "" if layer.macs is None else layer.macs,
        "" if layer.activation_bytes is None else layer.activation_bytes,
        layer.module,
        " ".join(link.text for _, link in row.places),
        " + ".join(origin.operator for origin in layer.origins),
    ]
