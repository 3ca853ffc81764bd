"""A framework's settings as plain data, and as attributes of ONNX nodes."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

MAX_ARRAY = 64
"""Elements of the largest array that is a setting; of others there are type and shape."""


def plain(value: Any) -> Any:
    """A setting as JSON can hold it; of an object the name or class, as its text has an address."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return [plain(item) for item in sorted(value, key=str)]
    if isinstance(value, np.ndarray):
        text = f"{value.dtype} array of {value.shape}"
        return value.tolist() if value.size <= MAX_ARRAY else text
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return ":".join("" if part is None else str(part) for part in parts[: 2 + bool(parts[2])])
    if value is Ellipsis:
        return "..."
    name = getattr(value, "name", "")
    return str(getattr(value, "__name__", f"{type(value).__name__} {name}".strip()))


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
