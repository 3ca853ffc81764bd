"""The columns of times of the table of layers, of one recorded run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from modeldocs import formatting
from modeldocs.site.port import layer_cells
from modeldocs.site.port.layer_column import CsvField, LayerColumn
from modeldocs.site.port.layer_row import LayerRow
from modeldocs.site.port.timing import Cells, PortTiming


def of(timing: PortTiming) -> list[LayerColumn]:
    """The columns of a layer's own times, its share of a step, and the bytes that it returned."""
    in_us = timing.unit == "µs"
    shown_as = {"data-per": "1" if in_us else "1000", "data-digits": "1" if in_us else "3"}

    def column(
        key: str,
        heading: str,
        value: Callable[[Cells], float | None],
        text: Callable[[Cells], str],
        field: str = "",
        **more: Any,
    ) -> LayerColumn:
        def raw(row: LayerRow) -> float | None:
            return value(timing.of_layer(row.layer.id))

        return LayerColumn(
            key=key,
            heading=heading,
            cell=lambda row: text(timing.of_layer(row.layer.id)),
            value=raw,
            csv=CsvField(field, raw) if field else None,
            is_number=True,
            when="times",
            several=lambda rows: text(timing.of_layers([row.layer.id for row in rows])),
            **more,
        )

    def forward(cells: Cells) -> str:
        if cells.note is not None:
            return layer_cells.note(cells.note.href or "", cells.reason, cells.note.text)
        return timing.figure(cells.times.forward_us)

    return [
        column(
            "forward",
            f"Forward, {timing.unit}",
            lambda cells: cells.times.forward_us,
            forward,
            is_sum=True,
            shown_as=shown_as,
            field="forward_us",
        ),
        column(
            "backward",
            f"Backward, {timing.unit}",
            lambda cells: cells.times.backward_us,
            lambda cells: timing.figure(cells.times.backward_us),
            is_sum=True,
            shown_as=shown_as,
            field="backward_us",
        ),
        column(
            "time-share",
            "Time",
            lambda cells: cells.share,
            lambda cells: layer_cells.percent(cells.share),
            hint="Share of the time of a step, forward and backward",
            is_sum=True,
            shown_as={"data-per": "0.01", "data-digits": "1", "data-unit": " %"},
        ),
        column(
            "returned",
            "Returned",
            lambda cells: cells.bytes,
            lambda cells: formatting.size(cells.bytes) if cells.bytes is not None else "",
            hint="Bytes of the tensors that the layer returned in a step of the recorded run, "
            "with its batch",
        ),
    ]
