"""A network written as Caffe's text format, in the current dialect: what OpenCV is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from modeldocs.loaders.caffe.enums import ENUMS
from modeldocs.loaders.caffe.network import LayerSource
from modeldocs.loaders.caffe.record import Record

Inputs = Sequence[tuple[str, tuple[int, ...]]]


def own_words(layers: Sequence[LayerSource], text: str) -> dict[int, str]:
    """The layers as their source has them, by the id of each; the others must be written anew.

    These are layers that OpenCV knows by another name or setting, and all of a network whose text
    is not there, is of Caffe's first dialect, or gives a name to none or several layers.
    """
    names = [layer.record.text("name") for layer in layers]
    whole = text and all(names) and len(set(names)) == len(names)
    if not whole or any(layer.record.span[1] == 0 for layer in layers):
        return {}
    found = {
        id(layer): ("layers " if layer.record.kind == "V1LayerParameter" else "layer ")
        + text[slice(*layer.record.span)]
        for layer in layers
        if not _respelt(layer)
    }
    mixed = len(found) < len(layers) and any(made.startswith("layers") for made in found.values())
    return {} if mixed else found


def _respelt(layer: LayerSource) -> bool:
    """Whether OpenCV knows a layer by another name or setting than the source."""
    pooling, convolution = (layer.record.message(f"{n}_param") for n in ("pooling", "convolution"))
    return layer.type == "Clip" or pooling.has("round_mode") or convolution.has("hole")


def write(inputs: Inputs, layers: Iterable[tuple[str, LayerSource]], own: dict[int, str]) -> str:
    """The text of a network with these inputs and layers, each under a name of its own.

    `own` are those in their source's words. Of the others is left out what decides no number:
    rules, fillers, multipliers, and fields of forks.
    """
    lines = [line for name, shape in inputs for line in _input(name, shape)]
    for name, layer in layers:
        if id(layer) in own:
            lines.append(own[id(layer)])
            continue
        lines += ["layer {", f"  name: {_quoted(name)}", f"  type: {_quoted(_type(layer))}"]
        lines += [f"  bottom: {_quoted(bottom)}" for bottom in layer.bottoms]
        lines += [f"  top: {_quoted(top)}" for top in layer.tops]
        for field in layer.record.values:
            settings = layer.record.get(field)
            if field.endswith("_param") and isinstance(settings, Record):
                lines += [f"  {field} {{", *_fields(settings, "    "), "  }"]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _type(layer: LayerSource) -> str:
    """The layer's type; OpenCV knows Clip only as the layer of forks that clips from 0 to 6."""
    ends = layer.record.message("clip_param")
    is_relu6 = layer.type == "Clip" and (ends.get("min"), ends.get("max")) == (0, 6)
    return "ReLU6" if is_relu6 else layer.type


def _input(name: str, shape: tuple[int, ...]) -> list[str]:
    """An input as every dialect has it."""
    dims = " ".join(f"dim: {dim}" for dim in shape)
    return [f"input: {_quoted(name)}", f"input_shape {{ {dims} }}"]


def _fields(record: Record, indent: str) -> Iterator[str]:
    """The fields of a message that Caffe's schema knows; one of them OpenCV calls otherwise."""
    for name, values in record.values.items():
        known = record.schema.get(name)
        if known is None or known.type in ("any", "FillerParameter"):
            continue
        for value in values:
            if isinstance(value, Record):
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
        return value if kind in ENUMS else _quoted(value)
    return repr(value)


def _quoted(text: str) -> str:
    """Any text between quotes: bytes that are no plain characters are escaped."""
    made = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}"
        for byte in text.encode("utf-8", "replace")
    )
    return f'"{made}"'
