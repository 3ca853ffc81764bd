"""The table of a graph's layers as CSV, and the totals of its columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from modeldocs import formatting
from modeldocs.ir import LayerGraph, Totals
from modeldocs.site.port.layer_row import OWN_COLUMN, LayerRow
from modeldocs.site.port.parameter_counts import known
from modeldocs.site.port.timing import PortTiming
from modeldocs.struct import Struct


class Footer(Struct, frozen=True):
    """Totals of the table's columns, and the layer at which live activations peak."""

    totals: Totals
    macs: int
    """Sum of the MACs that are known."""
    peak: LayerRow | None


def footer(graph: LayerGraph, table: list[LayerRow]) -> Footer:
    """The totals of a table; its rows add up to them."""
    return Footer(
        totals=graph.totals(),
        macs=known(row.layer.macs for row in table),
        peak=next((row for row in table if row.peaks), None),
    )


def cumulative(figures: list[int | None]) -> list[float | None]:
    """The share of the total that each figure and those before it have, 0 to 1; None without."""
    total = known(figures)
    result: list[float | None] = []
    before = 0
    for figure in figures:
        before += figure or 0
        result.append(before / total if total else None)
    return result


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
    "running_statistics",
    "macs",
    "activation_bytes",
    "module",
    "source",
    "origin",
)


_TIMES = ("forward_us", "backward_us")


def csv_bytes(table: Iterable[LayerRow], timing: PortTiming | None = None) -> bytes:
    """All layers as CSV (RFC 4180) with a header; figures are raw.

    `parameters` are trainable values, `running_statistics` the others; one that layers share
    counts at the first of them. With `timing` there are the layers' own times, in microseconds.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow((*_COLUMNS, *(_TIMES if timing else ())))
    for row in table:
        writer.writerow([*_cells(row), *(_times(row, timing) if timing else ())])
    return stream.getvalue().encode("utf-8")


def _times(row: LayerRow, timing: PortTiming) -> list[float | str]:
    times = timing.of_layer(row.layer.id).times
    return ["" if us is None else us for us in (times.forward_us, times.backward_us)]


def _cells(row: LayerRow) -> list[Any]:
    layer = row.layer
    own = {name: formatting.setting(layer.attributes.get(name, "")) for name in OWN_COLUMN}
    own["pads"] = formatting.pads(layer.attributes.get("pads"))
    return [
        row.index,
        layer.id,
        layer.name,
        layer.operator,
        " ".join(read.id for read in row.reads),
        " ".join(read.shape for read in row.reads),
        " ".join(formatting.shape(output) for output in layer.outputs),
        own["kernel_shape"],
        own["strides"],
        own["pads"],
        layer.padding or "",
        own["dilations"],
        own["group"],
        own["epsilon"],
        "; ".join(f"{key}={formatting.setting(value)}" for key, value in row.others.items()),
        layer.outputs[0].dtype if layer.outputs else "",
        _known_or_empty(row.counted.parameters),
        _known_or_empty(row.counted.statistics),
        _known_or_empty(layer.macs),
        _known_or_empty(layer.activation_bytes),
        layer.module,
        " ".join(place.full for place in row.places),
        " + ".join(origin.operator for origin in layer.origins),
    ]


def _known_or_empty(figure: int | None) -> int | str:
    return "" if figure is None else figure
