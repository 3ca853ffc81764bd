"""A layer's settings as attributes of an ONNX node."""

from __future__ import annotations

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
    return {name: value for name, value in found.items() if value != []}
