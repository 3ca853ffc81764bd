"""The layers of a model's ports as columns, kept packed between builds."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from modeldocs import formatting
from modeldocs.catalog import Model
from modeldocs.ir import Layer, LayerGraph
from modeldocs.site.port.moved_bytes import moved_bytes
from modeldocs.site.port.parameter_counts import counted
from modeldocs.site.port.short_settings import short_settings
from modeldocs.site.search import settings as search_settings
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results


class CatalogLayer(Struct, frozen=True, omit_defaults=False, array_like=True):
    """A layer of a port. Sizes are written as on pages (`3×3`), and empty where there are none.

    `layer` is its id in the port. `settings` are all that change what it computes, windows too, in
    short. `parameters` are trained values, `macs` multiply-accumulates, and `bytes` what it reads
    and writes at least once: its inputs, its parameters and its outputs. A figure is None where it
    is not known.
    """

    model: str
    port: str
    framework: str
    layer: str
    name: str
    operator: str
    module: str
    kernel_shape: str
    strides: str
    pads: str
    padding: str
    dilations: str
    group: str
    settings: str
    inputs: str
    outputs: str
    parameters: int | None
    macs: int | None
    share_of_macs: float | None
    """Of the port's, 0 to 1."""
    bytes: int | None
    source: str


_ROWS = msgspec.msgpack.Decoder(list[CatalogLayer])


class ModelLayers(Struct, frozen=True):
    """The layers of a model, packed, and how many there are in how many ports.

    `settings` are the words by which search finds them, with the layers that have each.
    """

    model: str
    packed: bytes
    layers: int
    ports: int
    settings: dict[str, int]


def of_model(model: Model, results: Results) -> ModelLayers:
    """The layers of a model's ports that loaded."""
    graphs = [(port, graph) for port in model.ports if (graph := results.graph(model, port))]
    rows = [
        row
        for port, graph in graphs
        for row in _of_graph((model.id, port.name, port.framework), graph)
    ]
    packed = zlib.compress(msgspec.msgpack.encode(rows)) if rows else b""
    settings = sum((search_settings.words(graph) for _, graph in graphs), Counter[str]())
    return ModelLayers(
        model=model.id,
        packed=packed,
        layers=len(rows),
        ports=len(graphs),
        settings=dict(settings),
    )


def unpacked(models: Iterable[bytes]) -> Iterator[CatalogLayer]:
    """The layers of models, in order."""
    for packed in models:
        if packed:
            yield from _ROWS.decode(zlib.decompress(packed))


def _of_graph(place: tuple[str, str, str], graph: LayerGraph) -> Iterator[CatalogLayer]:
    total = sum(layer.macs or 0 for layer in graph.layers)
    for layer, adds in zip(graph.layers, counted(graph), strict=True):
        sizes = {name: formatting.setting(layer.attributes.get(name, "")) for name in _SIZES}
        model, port, framework = place
        yield CatalogLayer(
            model=model,
            port=port,
            framework=framework,
            layer=layer.id,
            name=layer.name,
            operator=layer.operator,
            module=layer.module,
            **sizes,
            pads=formatting.pads(layer.attributes.get("pads")),
            padding=layer.padding or "",
            settings=" ".join(setting.text for setting in short_settings(layer)),
            inputs=" ".join(formatting.shape(operand.type) for operand in layer.inputs),
            outputs=" ".join(formatting.shape(output) for output in layer.outputs),
            parameters=adds.parameters,
            macs=layer.macs,
            share_of_macs=layer.macs / total if total and layer.macs is not None else None,
            bytes=moved_bytes(layer).total,
            source=_source(layer),
        )


_SIZES = ("kernel_shape", "strides", "dilations", "group")


def _source(layer: Layer) -> str:
    origin = next((origin for origin in layer.origins if origin.file), None)
    return f"{origin.file}:{origin.line}" if origin and origin.line else ""
