"""A framework's settings as attributes of ONNX nodes."""

from __future__ import annotations

import json
from typing import Any


def attribute(value: Any) -> Any:
    """A setting as an ONNX attribute holds it; what none can hold is its JSON."""
    if isinstance(value, bool):
        return int(value)
    if _is_plain(value, int | float | str):
        return value
    if isinstance(value, list) and value:
        for kinds, kind in ((int, int), (int | float, float), (str, str)):
            if all(_is_plain(item, kinds) for item in value):
                return [kind(item) for item in value]
    return json.dumps(value, sort_keys=True, default=str)


def _is_plain(value: Any, kinds: Any) -> bool:
    whole = isinstance(value, int)
    fits = not isinstance(value, bool) and (not whole or -(2**63) <= value < 2**63)
    return isinstance(value, kinds) and fits
