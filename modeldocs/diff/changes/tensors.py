"""Whether two tensors are of one type, batch sizes and dimensions of size one apart."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from modeldocs.ir import Dim, TensorType

Shape = tuple[Dim, ...]


def difference(a: TensorType, b: TensorType, batches: tuple[Dim, Dim]) -> str | None:
    """`shape`, `ones`, `rows`, `dtype`, `integers`, or None where they are the same.

    `ones` are shapes that differ only in dimensions of size one, `rows` shapes of which one has
    neighbouring axes of the other merged: both have the same values in the same order. An unknown
    dimension is equal to any; the first one may be scaled with the batch size.
    """
    shapes = _shapes(a.shape, b.shape, batches)
    if shapes == "shape" or a.dtype == b.dtype:
        return shapes
    if "unknown" in (a.dtype, b.dtype):
        return shapes
    whole = all(dtype.startswith(("int", "uint")) for dtype in (a.dtype, b.dtype))
    return "integers" if whole else "dtype"


def ratio(a: Shape | None, b: Shape | None) -> Any:
    """The ratio of each dimension: equal for shapes that differ in the same way."""
    if a is None or b is None or len(a) != len(b):
        return (str(a), str(b))
    return tuple(
        str(Fraction(y, x)) if isinstance(x, int) and isinstance(y, int) and x else f"{x} {y}"
        for x, y in zip(a, b, strict=True)
    )


def _shapes(a: Shape | None, b: Shape | None, batches: tuple[Dim, Dim]) -> str | None:
    if a is None or b is None or _fit(a, b, batches):
        return None
    if _fit(_thin(a), _thin(b), batches) or _fit(_dense(a), _dense(b), (None, None)):
        return "ones"
    if _flattened(a, b) or _flattened(b, a):
        return "rows"
    return "shape"


def _flattened(a: Shape, b: Shape) -> bool:
    """Whether b is a with neighbouring axes of an image made one; the last axis is kept."""
    if not len(a) > len(b) > 2 or a[:1] != b[:1] or a[-1] != b[-1]:
        return False
    left = [dim for dim in a[1:-1] if isinstance(dim, int)]
    if len(left) != len(a) - 2:
        return False
    for dim in b[1:-1]:
        size = 1
        while left and isinstance(dim, int) and size < dim:
            size *= left.pop(0)
        if size != dim:
            return False
    return not left


def _fit(a: Shape, b: Shape, batches: tuple[Dim, Dim]) -> bool:
    if len(a) != len(b):
        return False
    scaled = [_scaled(a[0], b[0], batches)] if a else []
    same = [_one(x, y) for x, y in zip(a[1:], b[1:], strict=True)]
    return all(scaled + same)


def _one(x: Dim, y: Dim) -> bool:
    return x == y or not isinstance(x, int) or not isinstance(y, int)


def _scaled(x: Dim, y: Dim, batches: tuple[Dim, Dim]) -> bool:
    ours, theirs = batches
    if _one(x, y):
        return True
    if isinstance(ours, int) and isinstance(theirs, int):
        return isinstance(x, int) and isinstance(y, int) and x * theirs == y * ours
    return False


def _thin(shape: Shape) -> Shape:
    return (*shape[:1], *(dim for dim in shape[1:] if dim != 1))


def _dense(shape: Shape) -> Shape:
    return tuple(dim for dim in shape if dim != 1)
