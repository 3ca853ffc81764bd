"""A layer for OpenCV: in its source's own words where possible, else to be written anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeldocs.loaders.caffe.layer import Layer
from modeldocs.loaders.caffe.weights import Assembled, stored


@dataclass(frozen=True, slots=True)
class Unit:
    """A layer under a unique name, with its blobs.

    `words` is its text in the source; None for a layer that must be written anew.
    """

    name: str
    layer: Layer
    blobs: tuple[np.ndarray, ...]
    words: str | None


def units(layers: Sequence[Assembled], text: str) -> list[Unit]:
    """The layers of a network with this text.

    A layer that must be written anew gets a name that no other layer or blob has.
    """
    words = own_words([one.layer for one in layers], text)
    return [
        Unit(
            one.layer.name if own is not None else f"{one.layer.name} ({number})",
            one.layer,
            stored(one),
            own,
        )
        for number, (one, own) in enumerate(zip(layers, words, strict=True), 1)
    ]


def own_words(layers: Sequence[Layer], text: str) -> list[str | None]:
    """The text of each layer in the source; None for those that must be written anew.

    These are layers that OpenCV knows by another name or setting, and all layers of a network
    without text, in Caffe's first dialect, or with layers of no name or of the same name.
    """
    anew: list[str | None] = [None] * len(layers)
    names = [layer.record.text("name") for layer in layers]
    usable = text and all(names) and len(set(names)) == len(names)
    if not usable or any(layer.record.span[1] == 0 for layer in layers):
        return anew
    words = [None if _is_respelled(layer) else _words(layer, text) for layer in layers]
    # What is written anew is in the current dialect, and a text has one dialect.
    mixed = None in words and any(own and own.startswith("layers") for own in words)
    return anew if mixed else words


def _words(layer: Layer, text: str) -> str:
    field = "layers" if layer.record.kind == "V1LayerParameter" else "layer"
    return f"{field} {text[slice(*layer.record.span)]}"


def _is_respelled(layer: Layer) -> bool:
    """Whether OpenCV has another name or setting for a layer than the source."""
    pooling, convolution = (layer.record.message(f"{n}_param") for n in ("pooling", "convolution"))
    return layer.type == "Clip" or pooling.has("round_mode") or convolution.has("hole")
