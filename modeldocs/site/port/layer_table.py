"""The table of a graph's layers as CSV, and what its last row says of all of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from modeldocs.ir import LayerGraph, Totals
from modeldocs.site.port.layer_columns import columns
from modeldocs.site.port.layer_row import LayerRow
from modeldocs.site.port.timing import PortTiming
from modeldocs.struct import Struct


class Footer(Struct, frozen=True):
    """Totals of a graph, and the layer at which live activations peak."""

    totals: Totals
    peak: LayerRow | None


def footer(graph: LayerGraph, table: Sequence[LayerRow]) -> Footer:
    """What the last row of a table says of its layers."""
    return Footer(totals=graph.totals(), peak=next((row for row in table if row.peaks), None))


def csv_bytes(table: Sequence[LayerRow], timing: PortTiming | None = None) -> bytes:
    """All layers as CSV (RFC 4180) with a header; figures are raw.

    `parameters` are trainable values, `running_statistics` the others; one that layers share
    counts at the first of them. With `timing` there are the layers' own times, in microseconds.
    """
    fields = [one.csv for one in columns(table, timing) if one.csv is not None]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(field.name for field in fields)
    for row in table:
        writer.writerow([field.value(row) for field in fields])
    return stream.getvalue().encode("utf-8")
