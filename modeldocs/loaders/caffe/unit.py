"""A layer as OpenCV is given it: in its source's own words where those can be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeldocs.loaders.caffe.assembly import Assembled
from modeldocs.loaders.caffe.filling import stored
from modeldocs.loaders.caffe.layer_source import LayerSource


@dataclass(frozen=True, slots=True)
class Unit:
    """A layer under a name that no other layer has, with its blobs.

    `words` is its text in the source; None for one that must be written anew.
    """

    name: str
    source: LayerSource
    blobs: tuple[np.ndarray, ...]
    words: str | None


def units(layers: Sequence[Assembled], text: str) -> list[Unit]:
    """The layers of a network with this text: by their own names in their own words, the others
    by names that neither layer nor blob of a network has.
    """
    words = own_words([layer.source for layer in layers], text)
    made = []
    for number, (layer, said) in enumerate(zip(layers, words, strict=True), 1):
        name = layer.source.name if said is not None else f"{layer.source.name} ({number})"
        made.append(Unit(name, layer.source, stored(layer), said))
    return made


def own_words(layers: Sequence[LayerSource], text: str) -> list[str | None]:
    """Each layer as its source has it; None for those that must be written anew.

    These are layers that OpenCV knows by another name or setting, and all of a network whose text
    is not there, is of Caffe's first dialect, or gives a name to none or several layers.
    """
    anew: list[str | None] = [None] * len(layers)
    names = [layer.record.text("name") for layer in layers]
    whole = text and all(names) and len(set(names)) == len(names)
    if not whole or any(layer.record.span[1] == 0 for layer in layers):
        return anew
    found = [None if _respelt(layer) else _words(layer, text) for layer in layers]
    mixed = None in found and any(said and said.startswith("layers") for said in found)
    return anew if mixed else found


def _words(layer: LayerSource, text: str) -> str:
    field = "layers" if layer.record.kind == "V1LayerParameter" else "layer"
    return f"{field} {text[slice(*layer.record.span)]}"


def _respelt(layer: LayerSource) -> bool:
    """Whether OpenCV knows a layer by another name or setting than the source."""
    pooling, convolution = (layer.record.message(f"{n}_param") for n in ("pooling", "convolution"))
    return layer.type == "Clip" or pooling.has("round_mode") or convolution.has("hole")
