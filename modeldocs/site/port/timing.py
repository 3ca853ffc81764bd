"""The recorded run whose times a port's page shows, and the times of its layers and groups."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.attribution import BlockTime, TimeBreakdown, Times, attribute, summed
from modeldocs.benchmarks.devices import short_name
from modeldocs.benchmarks.labels import is_half, precision, software_name
from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Model, Port
from modeldocs.ir import LayerGraph
from modeldocs.site import addresses
from modeldocs.site.benchmarks.layer_times import port_of, shortened
from modeldocs.site.templating import PageLink
from modeldocs.struct import Struct
from modeldocs.tasks.results import RecordFile, Results

MICROSECONDS_BELOW = 10_000.0
"""Microseconds of a step below which a table is in microseconds, above in milliseconds."""


class Cells(Struct, frozen=True):
    """Times of a row, its share of the whole step, and the bytes that its layer returned.

    A layer without a time of its own has a `note` instead: the layer that has it, with a reason.
    """

    times: Times
    share: float | None
    bytes: int | None = None
    note: PageLink | None = None
    reason: str = ""


class MeasuredOn(Struct, frozen=True):
    """What a record was measured on, and how."""

    device: str
    batch: int | None
    half: bool


@dataclass(frozen=True)
class PortTiming:
    """A record's times on the page of its port; `run` and `others` link to records."""

    attribution: TimeBreakdown
    names: dict[str, str]
    """Names of the layers, by id, in the order of the table."""
    run: PageLink
    others: tuple[PageLink, ...] = ()
    measured: MeasuredOn | None = None
    """The device, batch and precision that the times are of."""
    timed_us: float | None = None
    """The time of a step that pages of benchmarks show, where layers were timed in another pass."""

    @property
    def has_backward(self) -> bool:
        """Whether times of the backward pass are known."""
        return self.attribution.total.backward_us is not None

    @property
    def has_bytes(self) -> bool:
        """Whether the record has the bytes that a layer returned."""
        return any(part.activation_bytes is not None for part in self._alone.values())

    @property
    def unit(self) -> str:
        """The unit of the table's times."""
        return "µs" if self._whole < MICROSECONDS_BELOW else "ms"

    def figure(self, us: float | None) -> str:
        """A time in the table's unit, without it; empty where it is unknown."""
        if us is None:
            return ""
        return f"{us:,.1f}" if self.unit == "µs" else f"{us / 1e3:,.3f}"

    def share(self, times: Times) -> float | None:
        """Times as a share of the whole step, 0 to 1."""
        return times.us / self._whole if times.us is not None and self._whole else None

    def of_layer(self, layer: str) -> Cells:
        """The cells of a layer's row."""
        times = self.attribution.layers.get(layer)
        if times is not None:
            part = self._alone.get(layer)
            size = part.activation_bytes if part is not None else None
            return Cells(times=times, share=self.share(times), bytes=size)
        note, reason = self._note(layer)
        return Cells(times=Times(), share=None, note=note, reason=reason)

    def of_layers(self, layers: Collection[str]) -> Cells:
        """The cells of a group's row; of all layers: of the table's last row."""
        times = self.attribution.of_layers(layers)
        return Cells(times=times, share=self.share(times))

    @property
    def attributed(self) -> Times:
        """The time that is of layers, of one or of several together."""
        return summed(part.times for part in self.attribution.parts if part.layers)

    @property
    def unattributed(self) -> Times:
        """The time that is of no layer."""
        return summed(part.times for part in self.attribution.unattributed)

    @property
    def together(self) -> Times:
        """The time that several layers share."""
        return summed(part.times for part in self.attribution.together)

    @property
    def between(self) -> Times:
        """The part of the unattributed time that no row of the source has."""
        return summed(part.times for part in self.attribution.unattributed if not part.path)

    @property
    def strays(self) -> tuple[str, ...]:
        """Rows of the source that are of no layer, of many the first few."""
        return shortened(part.path for part in self.attribution.unattributed if part.path)

    @property
    def _whole(self) -> float:
        return self.attribution.total.us or 0.0

    @functools.cached_property
    def _alone(self) -> dict[str, BlockTime]:
        """For each layer with a time of its own the last part of it: bytes leave it there."""
        parts = self.attribution.parts
        return {part.layers[0]: part for part in parts if len(part.layers) == 1}

    @functools.cached_property
    def _reruns(self) -> dict[str, str]:
        return self.attribution.reruns

    @functools.cached_property
    def _together(self) -> tuple[BlockTime, ...]:
        return self.attribution.together

    def _note(self, layer: str) -> tuple[PageLink | None, str]:
        first = self._reruns.get(layer)
        if first is not None:
            text = f"in row {[*self.names].index(first) + 1}"
            reason = "a later run of the same module, whose time is at its first"
            return PageLink(text=text, href=f"#{first}"), reason
        sharing = [part for part in self._together if layer in part.layers]
        if not sharing:
            return None, ""
        part = min(sharing, key=lambda part: len(part.layers))
        other = next(one for one in part.layers if one != layer)
        others = len(part.layers) - 1
        text = f"with {self.names[other]}" if others == 1 else f"with {others} others"
        reason = f"{self.figure(part.times.us)} {self.unit} together, as {part.path}"
        return PageLink(text=text, href=f"#{other}"), reason


def timing(
    model: Model, port: Port, graph: LayerGraph, results: Results, folder: str
) -> PortTiming | None:
    """The times of the best record of a port, for a page in `folder`; None without such a record.

    Best is one of a GPU before one of a CPU, then with backward, then the newest.
    """
    files = [
        file
        for file in results.records.get(model.id, [])
        if file.record is not None and file.record.blocks and port_of(model, file.record) is port
    ]
    ranked = sorted(files, key=_rank, reverse=True)
    found = [(file, attribute(file.record, graph)) for file in ranked if file.record is not None]
    known = [(file, one) for file, one in found if one is not None]
    if not known:
        return None
    links = _links([file for file, _ in known], folder, model)
    return PortTiming(
        attribution=known[0][1],
        names={layer.id: layer.name for layer in graph.layers},
        run=links[0],
        others=tuple(links[1:]),
        measured=_measured(known[0][0]),
        timed_us=_timed_us(*known[0]),
    )


def _measured(file: RecordFile) -> MeasuredOn:
    record = file.record
    assert record is not None
    device = short_name(record.device.name)
    return MeasuredOn(device=device, batch=record.run.batch, half=is_half(record.numerics))


def _timed_us(file: RecordFile, found: TimeBreakdown) -> float | None:
    assert file.record is not None
    return metrics.timed_apart(file.record, found.total.us)


def _rank(file: RecordFile) -> tuple[bool, bool, str, str]:
    record = file.record
    assert record is not None
    backward = any(block.backward_us is not None for block in record.blocks or ())
    return record.device.kind == "cuda", backward, record.run.date, file.file


def _links(files: Sequence[RecordFile], folder: str, model: Model) -> list[PageLink]:
    page = addresses.link(folder, addresses.benchmarks_folder(model))
    return [
        PageLink(text=_title(file.record), href=f"{page}#{file.file.removesuffix('.json')}")
        for file in files
        if file.record is not None
    ]


def _title(record: Record) -> str:
    """`framework · device · task · batch · precision · date`, as far as they are known."""
    run = record.run
    parts = (
        software_name(record.software),
        record.device.name,
        run.task,
        f"batch {run.batch}" if run.batch else None,
        precision(record.numerics),
        run.date,
    )
    return " · ".join(filter(None, parts))
