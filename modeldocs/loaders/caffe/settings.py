"""A layer's settings as attributes of an ONNX node."""

from __future__ import annotations

import json
from typing import Any

from modeldocs.loaders.caffe.record import Record


def settings(layer: Record, field: str) -> dict[str, Any]:
    """Every setting that the source gave a layer, and the defaults of those in a field."""
    found = {
        name: known.default
        for name, known in (layer.message(field).schema if field else {}).items()
        if known.default is not None
    }
    for name in layer.values:
        if name.endswith("_param") and isinstance(layer.get(name), Record):
            found.update(layer.message(name).plain())
    return {name: _attribute(value) for name, value in found.items() if value != []}


def _attribute(value: Any) -> Any:
    """A setting as an ONNX attribute holds it; what none can hold is its JSON."""
    if isinstance(value, list):
        for kinds, kind in ((int, int), (int | float, float), (str, str)):
            if all(isinstance(item, kinds) and _fits(item) for item in value):
                return [kind(item) for item in value]
    if isinstance(value, bool):
        return int(value)
    plain = isinstance(value, str | int | float) and _fits(value)
    return value if plain else json.dumps(value, sort_keys=True)


def _fits(value: Any) -> bool:
    return not isinstance(value, bool) and (not isinstance(value, int) or abs(value) < 2**63)
