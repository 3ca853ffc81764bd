"""Values of attributes and shapes as a title has them."""

from __future__ import annotations

from typing import Any, Final

from modeldocs.ir import Constant

_ROUNDING: Final = {"ceil": "rounded up", "floor": "rounded down"}
_EDGES: Final = ("top", "left", "bottom", "right")


def text(given: Any) -> str:
    """A value as a title has it: `1,1` as 1, a missing one as none, a constant by its type."""
    if given is None:
        return "none"
    if not isinstance(given, tuple | list):
        return _constant(given) if isinstance(given, Constant) else str(given)
    if given and isinstance(given[-1], str) and given[-1] in _ROUNDING:
        return f"{text(given[:-1])} {_ROUNDING[given[-1]]}"
    if given and all(item == given[0] for item in given):
        return str(given[0])
    return (",".join(str(item) for item in given) or "none") + _one_sided(given)


def _constant(given: Constant) -> str:
    """A constant by its type and shape: `float32[1x50]`."""
    if given.shape is None:
        return f"{given.dtype} tensor"
    return f"{given.dtype}[{shape(given.shape) if given.shape else ''}]"


def _one_sided(given: Any) -> str:
    """The edges of a plane that are padded, where the opposite ones are not."""
    if len(given) != len(_EDGES) or not all(isinstance(item, int) for item in given):
        return ""
    padded = tuple(edge for edge, item in zip(_EDGES, given, strict=True) if item)
    return f" ({' and '.join(padded)} only)" if padded in (_EDGES[:2], _EDGES[2:]) else ""


def shape(given: Any) -> str:
    """A shape as people write it: `1x64x56x56`."""
    if given is None:
        return "unknown"
    return "x".join("?" if dim is None else str(dim) for dim in given) or "scalar"
