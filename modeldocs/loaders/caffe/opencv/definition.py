"""A network in Caffe's text format, in the current dialect, for OpenCV to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from modeldocs.loaders.caffe.format.enums import ENUMS
from modeldocs.loaders.caffe.format.record import Record
from modeldocs.loaders.caffe.layer import Layer
from modeldocs.loaders.caffe.opencv.unit import Unit

Inputs = Sequence[tuple[str, tuple[int, ...]]]


def write(inputs: Inputs, units: Iterable[Unit]) -> str:
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
            if field.endswith("_param") and isinstance(settings, Record):
                lines += [f"  {field} {{", *_fields(settings, "    "), "  }"]
        lines.append("}")
    return "\n".join(lines) + "\n"


def _type(layer: Layer) -> str:
    """The layer's type; OpenCV knows Clip only as the layer of forks that clips from 0 to 6."""
    ends = layer.record.message("clip_param")
    is_relu6 = layer.type == "Clip" and (ends.get("min"), ends.get("max")) == (0, 6)
    return "ReLU6" if is_relu6 else layer.type


def _input(name: str, shape: tuple[int, ...]) -> list[str]:
    """An input, as every dialect spells it."""
    dims = " ".join(f"dim: {dim}" for dim in shape)
    return [f"input: {_quoted(name)}", f"input_shape {{ {dims} }}"]


def _fields(record: Record, indent: str) -> Iterator[str]:
    """Lines for the fields that Caffe's schema knows, two of them under OpenCV's names."""
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
    """Any text between quotes, bytes other than printable ASCII escaped."""
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}"
        for byte in text.encode("utf-8", "replace")
    )
    return f'"{escaped}"'
