"""A layer's settings in a few characters: `3×3 /2 pad 1`, `ε 1e-5`, `ratio 0.5`.

Settings that change nothing (stride 1, no pads, one group) are left out; all of them are in the
full columns of the table and in its CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from modeldocs import formatting
from modeldocs.ir import Layer
from modeldocs.struct import Struct

MAX_LENGTH = 32
"""Characters of one setting; the rest of a longer one is in its tooltip."""


class ShortSetting(Struct, frozen=True):
    """One setting: its attribute (`kernel_shape`; `padding` for the source's padding strategy),
    its whole value, and both as short text.
    """

    name: str
    value: str
    text: str

    @property
    def key(self) -> str:
        """Name and value, by which a table is filtered."""
        return f"{self.name} {self.value}"


def short_settings(layer: Layer) -> tuple[ShortSetting, ...]:
    """The settings of a layer that change what it computes, windows first."""
    return tuple(_settings(layer))


def _settings(layer: Layer) -> Iterator[ShortSetting]:
    attributes = layer.attributes
    named = [name for name in _SHORT if name in attributes]
    others = [name for name in attributes if name not in _SHORT]
    for name in named:
        text = _SHORT[name](attributes[name])
        if text and text != layer.padding:
            yield ShortSetting(name, _value(attributes[name]), formatting.cut(text, MAX_LENGTH))
        if name == "pads" and layer.padding:
            yield _strategy(layer.padding)
    if layer.padding and "pads" not in attributes:
        yield _strategy(layer.padding)
    for name in others:
        if not _is_neutral(name, attributes[name]):
            value = _value(attributes[name])
            yield ShortSetting(name, value, formatting.cut(f"{name} {value}", MAX_LENGTH))
    for name, body in layer.bodies.items():
        value = formatting.body(body)
        yield ShortSetting(name, value, formatting.cut(f"{name} {value}", MAX_LENGTH))


def _strategy(padding: str) -> ShortSetting:
    return ShortSetting("padding", padding, padding)


def _stride(value: Any) -> str:
    sizes = formatting.sizes(value)
    if all(size == 1 for size in sizes):
        return ""
    return f"/{formatting.one_or_all(sizes, formatting.TIMES)}"


def _pads(value: Any) -> str:
    sizes = formatting.sizes(value)
    return f"pad {formatting.one_or_all(sizes, ',')}" if any(size != 0 for size in sizes) else ""


def _dilation(value: Any) -> str:
    sizes = formatting.sizes(value)
    if all(size == 1 for size in sizes):
        return ""
    return f"dilation {formatting.one_or_all(sizes, formatting.TIMES)}"


def _output_padding(value: Any) -> str:
    sizes = formatting.sizes(value)
    return f"output pad {formatting.one_or_all(sizes, ',')}" if any(sizes) else ""


_SHORT: dict[str, Callable[[Any], str]] = {
    "kernel_shape": lambda value: formatting.window(value),
    "strides": _stride,
    "pads": _pads,
    "dilations": _dilation,
    "output_padding": _output_padding,
    "ceil_mode": lambda value: "ceil" if value == 1 else "",
    "group": lambda value: "" if value == 1 else f"groups {_value(value)}",
    "epsilon": lambda value: f"ε {_value(value)}",
}
"""Settings with a spelling of their own, in the order in which they are shown."""

_NEUTRAL: dict[str, Any] = {
    "count_include_pad": 0,
    "storage_order": 0,
    "transA": 0,
    "is_causal": 0,
    "training_mode": 0,
    "steps": 1,
}
"""Values of settings that change nothing."""


def _is_neutral(name: str, value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return name in _NEUTRAL and all(item == _NEUTRAL[name] for item in values)


def _value(value: Any) -> str:
    """A value: `3×3` only for windows, else `0.1,0.2`."""
    return formatting.setting(value, ",")
