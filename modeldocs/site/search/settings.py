"""Settings of layers as words that search finds: `kernel=7x7`, `dilation=2x2`, `padding=same`.

The script of the search writes what a reader types, `kernel 7x7` or `dilation 2`, in the same way;
see `templates/search/query.js`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from modeldocs.cache_last import remembered
from modeldocs.ir import LayerGraph
from modeldocs.site.port.short_settings import ShortSetting, short_settings

OF_LAYERS: Final = ("kernel", "stride", "dilation", "pad", "group", "padding")
"""Names by which the page of all layers can be asked, too."""

_NAMES: Final = {
    "kernel_shape": "kernel",
    "strides": "stride",
    "dilations": "dilation",
    "pads": "pad",
}
_NUMBER = re.compile(r"-?[\d.]+(e[-+]?\d+)?")
_BREAKS = re.compile(r"[\s\-<>&]+")
"""What search splits words at, and what HTML would need escapes for."""


@remembered
def words(graph: LayerGraph) -> Counter[str]:
    """The settings that change what a layer computes, with the number of layers that have each."""
    found = Counter(word(setting) for layer in graph.layers for setting in short_settings(layer))
    del found[""]
    return found


def word(setting: ShortSetting) -> str:
    """One setting as a word; empty where its value is longer than anybody would type."""
    name = _NAMES.get(setting.name, setting.name)
    if setting.name == "pads":
        values = setting.value.split(",")
        value = values[0] if len(set(values)) == 1 else ",".join(values)
    elif _NUMBER.fullmatch(setting.value):
        value = _decimal(setting.value)
    else:
        value = setting.value.replace(",", "x") if setting.name in _NAMES else setting.value
    if len(value) > 24 or not value:
        return ""
    return f"{name}={_BREAKS.sub('_', value)}".lower()


def told(found: Iterable[tuple[str, Counter[str]]]) -> Iterator[str]:
    """What the page of all layers is found by: each setting, with its layers and their models."""
    layers: Counter[str] = Counter()
    models: dict[str, list[str]] = {}
    for model, counts in found:
        for name, count in counts.items():
            if name.partition("=")[0] in OF_LAYERS:
                layers[name] += count
                models.setdefault(name, []).append(model)
    for name, count in sorted(layers.items()):
        some = models[name][:_MODELS]
        more = f" and {len(models[name]) - _MODELS} more" if len(models[name]) > _MODELS else ""
        yield f"{name} {count} layer{'' if count == 1 else 's'} of {', '.join(some)}{more}"


_MODELS: Final = 8


def _decimal(text: str) -> str:
    """A number without an exponent, whose sign search would split it at."""
    return f"{float(text):.12f}".rstrip("0").rstrip(".")
