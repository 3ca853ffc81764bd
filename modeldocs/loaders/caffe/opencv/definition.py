"""Layers of a network in Caffe's text format, in the current dialect, for OpenCV to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from modeldocs.loaders.caffe.format.record import CaffeMessage
from modeldocs.loaders.caffe.format.schema import enums
from modeldocs.loaders.caffe.layer import CaffeLayer
from modeldocs.loaders.caffe.operation import CaffeOperation
from modeldocs.loaders.caffe.weights import stored

Inputs = Sequence[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class DefinedLayer:
    """A layer under a unique name, with its blobs.

    `words` is its text in the source; None for a layer that must be written anew.
    """

    name: str
    layer: CaffeLayer
    blobs: tuple[np.ndarray, ...]
    words: str | None


def units(layers: Sequence[CaffeOperation], text: str) -> list[DefinedLayer]:
    """The layers of a network with this text.

    A layer that must be written anew gets a name that no other layer or blob has.
    """
    words = own_words([one.layer for one in layers], text)
    return [
        DefinedLayer(
            one.layer.name if own is not None else f"{one.layer.name} ({number})",
            one.layer,
            stored(one),
            own,
        )
        for number, (one, own) in enumerate(zip(layers, words, strict=True), 1)
    ]


def own_words(layers: Sequence[CaffeLayer], text: str) -> list[str | None]:
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


def _words(layer: CaffeLayer, text: str) -> str:
    field = "layers" if layer.record.kind == "V1LayerParameter" else "layer"
    return f"{field} {text[slice(*layer.record.span)]}"


def _is_respelled(layer: CaffeLayer) -> bool:
    """Whether OpenCV has another name or setting for a layer than the source."""
    pooling, convolution = (layer.record.message(f"{n}_param") for n in ("pooling", "convolution"))
    return layer.type == "Clip" or pooling.has("round_mode") or convolution.has("hole")


def write(inputs: Inputs, units: Iterable[DefinedLayer]) -> str:
    """The text of a network with these inputs and layers.

    Layers that are not in their source's own words lose the settings that change no result: rules,
    fillers, multipliers, and fields of forks.
    """
    lines = [line for name, shape in inputs for line in _input(name, shape)]
    for unit in units:
        if unit.words is not None:
            lines.append(unit.words)
            continue
        layer = unit.layer
        lines += ["layer {", f"  name: {_quoted(unit.name)}", f"  type: {_quoted(_type(layer))}"]
        lines += [f"  bottom: {_quoted(bottom)}" for bottom in layer.bottoms]
        lines += [f"  top: {_quoted(top)}" for top in layer.tops]
        for field in layer.record.values:
            settings = layer.record.get(field)
            if field.endswith("_param") and isinstance(settings, CaffeMessage):
                lines += [f"  {field} {{", *_fields(settings, "    "), "  }"]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _type(layer: CaffeLayer) -> str:
    """The layer's type; OpenCV knows Clip only as the layer of forks that clips from 0 to 6."""
    ends = layer.record.message("clip_param")
    is_relu6 = layer.type == "Clip" and (ends.get("min"), ends.get("max")) == (0, 6)
    return "ReLU6" if is_relu6 else layer.type


def _input(name: str, shape: tuple[int, ...]) -> list[str]:
    """An input, as every dialect spells it."""
    dims = " ".join(f"dim: {dim}" for dim in shape)
    return [f"input: {_quoted(name)}", f"input_shape {{ {dims} }}"]


def _fields(record: CaffeMessage, indent: str) -> Iterator[str]:
    """Lines for the fields that Caffe's schema knows, two of them under OpenCV's names."""
    for name, values in record.values.items():
        known = record.schema.get(name)
        if known is None or known.type in ("any", "FillerParameter"):
            continue
        for value in values:
            if isinstance(value, CaffeMessage):
                yield f"{indent}{name} {{"
                yield from _fields(value, indent + "  ")
                yield f"{indent}}}"
            elif name == "round_mode":
                yield f"{indent}ceil_mode: {_scalar(value == 'CEIL', '')}"
            elif name == "hole":
                yield f"{indent}dilation: {value!r}"
            else:
                yield f"{indent}{name}: {_scalar(value, known.type)}"


def _scalar(value: str | float, kind: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if kind in enums() else _quoted(value)
    return repr(value)


def _quoted(text: str) -> str:
    """Any text between quotes, bytes other than printable ASCII escaped."""
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}"
        for byte in text.encode("utf-8", "replace")
    )
    return f'"{escaped}"'
