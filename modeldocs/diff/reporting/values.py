"""Values of attributes and shapes as text in titles."""

from __future__ import annotations

from typing import Any, Final

from modeldocs import formatting
from modeldocs.ir import Constant

_ROUNDING: Final = {"ceil": "rounded up", "floor": "rounded down"}
_LONGEST: Final = 8
"""Elements of a list that are all told; of a longer one, the first."""
_FIRST: Final = 3
_EDGES: Final = ("top", "left", "bottom", "right")


def text(value: Any) -> str:
    """A value as text: `1,1` as 1, a missing value as `none`, a constant by type and shape."""
    if value is None:
        return "none"
    if not isinstance(value, tuple | list):
        return _constant(value) if isinstance(value, Constant) else str(value)
    if value and isinstance(value[-1], str) and value[-1] in _ROUNDING:
        return f"{text(value[:-1])} {_ROUNDING[value[-1]]}"
    if value and all(item == value[0] for item in value):
        return str(value[0])
    if len(value) > _LONGEST:
        return f"{','.join(str(item) for item in value[:_FIRST])},… ({len(value)})"
    return (",".join(str(item) for item in value) or "none") + _one_sided(value)


def _constant(value: Constant) -> str:
    """A constant by its type and shape: `float32[1×50]`."""
    if value.shape is None:
        return f"{value.dtype} tensor"
    return f"{value.dtype}[{formatting.dims(value.shape) if value.shape else ''}]"


def _one_sided(value: Any) -> str:
    """The edges of a plane that are padded, where the opposite ones are not."""
    if len(value) != len(_EDGES) or not all(isinstance(item, int) for item in value):
        return ""
    padded = tuple(edge for edge, item in zip(_EDGES, value, strict=True) if item)
    return f" ({' and '.join(padded)} only)" if padded in (_EDGES[:2], _EDGES[2:]) else ""
