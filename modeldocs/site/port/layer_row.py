"""The rows of a graph's table of layers: a layer with everything that its row shows."""

from __future__ import annotations

import itertools
from posixpath import basename
from typing import Any

from modeldocs import formatting
from modeldocs.ir import Layer, LayerGraph, Operand, Origin
from modeldocs.site.port.parameter_counts import Counted, counted, known
from modeldocs.site.port.short_settings import ShortSetting, short_settings
from modeldocs.site.port.source import Sources
from modeldocs.site.templating import PageLink
from modeldocs.struct import Struct

OWN_COLUMN = ("kernel_shape", "strides", "pads", "dilations", "group", "epsilon")
"""Attributes that have columns of their own."""


class LayerInput(Struct, frozen=True):
    """A tensor that a layer reads: the id and name of its producer, its shape, steps on the way."""

    id: str
    name: str
    shape: str
    steps: tuple[str, ...]


class SourcePlace(Struct, frozen=True):
    """Where a layer stands in the source: its origin, a link in few characters, and in full."""

    origin: Origin
    link: PageLink
    full: str


class LayerRow(Struct, frozen=True):
    """A layer in the table. Figures are raw; the columns format them."""

    index: int
    layer: Layer
    reads: tuple[LayerInput, ...]
    settings: tuple[ShortSetting, ...]
    others: dict[str, Any]
    """Attributes without a column of their own, and the operators of bodies."""
    places: tuple[SourcePlace, ...]
    counted: Counted
    live: int | None
    """Bytes of activations that are alive while it runs."""
    peaks: bool
    """Whether these are the most of all layers."""
    shares: dict[str, float | None]
    """Of `parameters` and `macs`: the share that this row and those above it have, 0 to 1."""

    @property
    def modules(self) -> str:
        """Paths of the modules that it lies in, outermost first, as a filter compares them."""
        return "|".join(dict.fromkeys(module.path for module in self.layer.modules))


def rows(graph: LayerGraph, sources: Sources | None = None) -> list[LayerRow]:
    """A row for each layer; `sources` are the files that the page shows."""
    names, live, figures = graph.names(), graph.live_bytes(), counted(graph)
    peak, places = peak_index(live), _SourceLinks(sources or Sources(()))
    parameters = cumulative([one.parameters for one in figures])
    macs = cumulative([layer.macs for layer in graph.layers])
    return [
        LayerRow(
            index=index + 1,
            layer=layer,
            reads=tuple(_read(operand, names) for operand in layer.inputs),
            settings=short_settings(layer),
            others=_others(layer),
            places=tuple(places.place(origin) for origin in layer.origins),
            counted=adds,
            live=live[index],
            peaks=index == peak,
            shares={"parameters": parameters[index], "macs": macs[index]},
        )
        for index, (layer, adds) in enumerate(zip(graph.layers, figures, strict=True))
    ]


def _others(layer: Layer) -> dict[str, Any]:
    attributes = {k: v for k, v in layer.attributes.items() if k not in OWN_COLUMN}
    return attributes | {name: formatting.body(body) for name, body in layer.bodies.items()}


def peak_index(live: tuple[int | None, ...]) -> int | None:
    """Index of the first layer at which the most is alive; None where that is unknown."""
    known = [size for size in live if size is not None]
    return live.index(max(known)) if known else None


def cumulative(figures: list[int | None]) -> list[float | None]:
    """The share of the total that each figure and those before it have, 0 to 1; None without."""
    total = known(figures)
    before = itertools.accumulate(figure or 0 for figure in figures)
    return [one / total if total else None for one in before]


def _read(operand: Operand, names: dict[str, str]) -> LayerInput:
    return LayerInput(
        id=operand.value,
        name=names.get(operand.value, operand.value),
        shape=formatting.shape(operand.type),
        steps=tuple(formatting.step(step) for step in operand.steps),
    )


class _SourceLinks:
    """Links to the source; where it is one file, its lines need no name."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def place(self, origin: Origin) -> SourcePlace:
        full = ":".join(str(part) for part in (origin.file, origin.line) if part)
        href = self._sources.href(origin.file or "", origin.line)
        if href and len(self._sources.files) == 1:
            text = f"line {origin.line}"
        else:
            text = ":".join(
                str(part) for part in (basename(origin.file or ""), origin.line) if part
            )
        return SourcePlace(origin=origin, link=PageLink(text=text, href=href), full=full)
