"""The columns of the table of layers, in the order of its CSV.

The page has those that it always shows first, then times, shares and the others. A column is added
here alone: page, groups, totals, copies, CSV and terminal read this list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from modeldocs import formatting
from modeldocs.ir import Layer
from modeldocs.site.port import layer_cells, time_columns
from modeldocs.site.port.layer_column import CsvField, LayerColumn, TerminalCell, summed
from modeldocs.site.port.layer_row import LayerRow
from modeldocs.site.port.timing import PortTiming

OPERATOR: Final = "what"
"""The heading in a terminal of the operators, which have other settings below them."""

_PAGE_ORDER: Final = ("", "times", "shares", "columns")
"""Columns that the page always shows, and those that a box of its form shows."""


def _attribute(
    name: str, shown: Callable[[object], str] = formatting.setting
) -> Callable[[LayerRow], str]:
    """The value of an attribute; empty where a layer has none of that name."""
    return lambda row: shown(row.layer.attributes.get(name, ""))


def _setting(
    key: str,
    heading: str,
    name: str,
    shown: Callable[[Any], str] = formatting.window,
    raw: Callable[[Any], str] = formatting.setting,
) -> LayerColumn:
    """The column of one attribute, as the page shows it and as the CSV has it."""
    return LayerColumn(
        key=key,
        heading=heading,
        cell=_attribute(name, shown),
        when="columns",
        csv=CsvField(name, _attribute(name, raw)),
    )


def _size(value: int | None, note: str = "") -> str:
    return formatting.size(value) + note


def _count(value: int | None) -> str:
    """A figure in the table, where most layers have none."""
    return formatting.exact(value) if value != 0 else ""


def _cumulative(key: str, heading: str) -> LayerColumn:
    """The share of a figure that a row and those above it have."""
    return LayerColumn(
        key=f"{key}-share",
        heading=f"Σ {heading}",
        hint=f"Cumulative share of {heading}: of this row and those above it",
        cell=lambda row: layer_cells.percent(row.shares[key]),
        value=lambda row: row.shares[key],
        is_number=True,
        when="shares",
    )


def _others(layer: Layer) -> str:
    """Attributes that the headline of a layer does not say."""
    said = ("kernel_shape", "strides", "pads", "group", "dilations")
    shown = {
        name: value
        for name, value in layer.attributes.items()
        if name not in said
        or (name == "dilations" and any(size != 1 for size in formatting.sizes(value)))
    } | {name: formatting.body(body) for name, body in layer.bodies.items()}
    return ", ".join(f"{key} {formatting.setting(value)}" for key, value in shown.items())


COLUMNS: Final = (
    LayerColumn(
        key="index",
        heading="#",
        cell=lambda row: str(row.index),
        is_number=True,
        csv=CsvField("index", lambda row: row.index),
    ),
    LayerColumn(key="id", csv=CsvField("id", lambda row: row.layer.id)),
    LayerColumn(
        key="name",
        heading="Name",
        cell=layer_cells.name,
        csv=CsvField("name", lambda row: row.layer.name),
        terminal=TerminalCell("layer", lambda layer: layer.name),
    ),
    LayerColumn(
        key="operator",
        heading="Operator",
        cell=layer_cells.operator,
        csv=CsvField("operator", lambda row: row.layer.operator),
        terminal=TerminalCell(OPERATOR, formatting.headline),
    ),
    LayerColumn(key="settings", heading="Settings", cell=layer_cells.settings, style="mr-settings"),
    LayerColumn(
        key="reads",
        heading="Reads",
        cell=layer_cells.reads,
        when="columns",
        csv=CsvField("inputs", lambda row: " ".join(read.id for read in row.reads)),
    ),
    LayerColumn(
        key="input",
        heading="Input",
        cell=layer_cells.inputs,
        style="mr-shape",
        csv=CsvField("input_shapes", lambda row: " ".join(read.shape for read in row.reads)),
    ),
    LayerColumn(
        key="output",
        heading="Output",
        cell=lambda row: ", ".join(map(formatting.shape, row.layer.outputs)),
        style="mr-shape",
        csv=CsvField(
            "output_shapes", lambda row: " ".join(map(formatting.shape, row.layer.outputs))
        ),
        terminal=TerminalCell(
            "output", lambda layer: formatting.shape(layer.outputs[0] if layer.outputs else None)
        ),
    ),
    _setting("kernel", "Kernel", "kernel_shape"),
    _setting("stride", "Stride", "strides"),
    replace(
        _setting("pads", "Pads", "pads", formatting.pads, formatting.pads),
        hint="top, left, bottom, right; one number where all are equal",
        terminal=TerminalCell(
            "pads",
            lambda layer: formatting.pads(layer.attributes.get("pads")),
            lambda pads: f"pads {pads}" if pads not in ("", "0") else "",
        ),
    ),
    LayerColumn(
        key="padding",
        heading="Padding",
        hint="the source's own padding strategy",
        cell=lambda row: row.layer.padding or "",
        when="columns",
        csv=CsvField("padding", lambda row: row.layer.padding),
        terminal=TerminalCell("padding", lambda layer: layer.padding or "", str),
    ),
    _setting("dilation", "Dilation", "dilations"),
    replace(_setting("groups", "Groups", "group", formatting.setting), is_number=True),
    replace(
        _setting("epsilon", "ε", "epsilon", formatting.setting), hint="epsilon", is_number=True
    ),
    LayerColumn(
        key="attributes",
        heading="Attributes",
        cell=layer_cells.attributes,
        style="mr-attributes",
        when="columns",
        csv=CsvField(
            "attributes",
            lambda row: "; ".join(f"{k}={formatting.setting(v)}" for k, v in row.others.items()),
        ),
        terminal=TerminalCell("attributes", _others, str),
    ),
    LayerColumn(
        key="type",
        heading="Type",
        cell=lambda row: (row.layer.outputs[0].dtype or "") if row.layer.outputs else "",
        when="columns",
        csv=CsvField("dtype", lambda row: row.layer.outputs[0].dtype if row.layer.outputs else ""),
    ),
    LayerColumn(
        key="parameters",
        heading="Parameters",
        cell=layer_cells.parameters,
        is_number=True,
        several=summed(lambda row: row.counted.parameters),
        is_sum=True,
        csv=CsvField("parameters", lambda row: row.counted.parameters),
        terminal=TerminalCell(
            "parameters",
            lambda layer: formatting.exact(layer.parameter_count) if layer.parameters else "",
        ),
    ),
    LayerColumn(
        key="statistics",
        heading="Not trained",
        hint="Running statistics and other values that are not trained",
        cell=lambda row: _count(row.counted.statistics),
        is_number=True,
        several=summed(lambda row: row.counted.statistics),
        is_sum=True,
        csv=CsvField("running_statistics", lambda row: row.counted.statistics),
    ),
    LayerColumn(
        key="macs",
        heading="MACs",
        cell=lambda row: _count(row.layer.macs),
        is_number=True,
        several=summed(lambda row: row.layer.macs),
        is_sum=True,
        csv=CsvField("macs", lambda row: row.layer.macs),
        terminal=TerminalCell("MACs", lambda layer: _count(layer.macs)),
    ),
    LayerColumn(
        key="activations",
        heading="Activations",
        cell=lambda row: _size(row.layer.activation_bytes),
        value=lambda row: row.layer.activation_bytes,
        is_number=True,
        when="columns",
        csv=CsvField("activation_bytes", lambda row: row.layer.activation_bytes),
    ),
    LayerColumn(
        key="alive",
        heading="Alive",
        hint="Bytes of activations that are alive while the layer runs, in this order",
        cell=lambda row: _size(row.live, " (peak)" if row.peaks else ""),
        value=lambda row: row.live,
        is_number=True,
        when="columns",
    ),
    LayerColumn(
        key="module",
        heading="Module",
        cell=lambda row: row.layer.module,
        when="columns",
        csv=CsvField("module", lambda row: row.layer.module),
    ),
    LayerColumn(
        key="source",
        heading="Source",
        cell=layer_cells.places,
        style="mr-place",
        csv=CsvField("source", lambda row: " ".join(place.full for place in row.places)),
    ),
    LayerColumn(
        key="origin",
        heading="Origin",
        cell=layer_cells.origins,
        when="columns",
        csv=CsvField(
            "origin", lambda row: " + ".join(origin.operator for origin in row.layer.origins)
        ),
    ),
    _cumulative("parameters", "parameters"),
    _cumulative("macs", "MACs"),
)


def columns(table: Sequence[LayerRow], timing: PortTiming | None = None) -> list[LayerColumn]:
    """The columns of a table, in the order of its CSV; with `timing` those of recorded times.

    What no layer has is in the CSV alone.
    """
    lacking = set[str]()
    if all(row.counted.statistics == 0 for row in table):
        lacking.add("statistics")
    if timing is not None and not timing.has_backward:
        lacking.add("backward")
    if timing is not None and not timing.has_bytes:
        lacking.add("returned")
    every = (*COLUMNS, *(time_columns.of(timing) if timing is not None else ()))
    return [replace(one, cell=None) if one.key in lacking else one for one in every]


def of_page(every: Sequence[LayerColumn]) -> list[LayerColumn]:
    """Those of the page, in its order."""
    shown = (one for one in every if one.cell is not None)
    return sorted(shown, key=lambda one: _PAGE_ORDER.index(one.when))
