"""Layers that work along axes of one number which hold other elements: C is not C · H · W."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from modeldocs import formatting
from modeldocs.diff.changes.elements import Arranged
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.function.arrangement import Sizes
from modeldocs.diff.parity import Pair
from modeldocs.ir import Layer, operators

_ONE_AXIS: Final = operators.named(normalises="axis")
_FROM_AXIS: Final = operators.named(normalises="from axis")


def along_other_elements(arranged: Arranged, a: Layer, b: Layer, pair: Pair) -> Iterator[Finding]:
    """The finding on two layers of one operator that work along other elements of the same."""
    if a.operator not in _ONE_AXIS | _FROM_AXIS or not a.inputs or not b.inputs:
        return
    read = arranged.read(a.inputs[0], b.inputs[0])
    common = read.factors() if read is not None else None
    if read is None or common is None:
        return
    axes = _axes(a, read.ours), _axes(b, read.theirs)
    before = {one for axis in axes[0] for one in common.ours[axis]}
    after = {one for axis in axes[1] for one in common.theirs[axis]}
    if before != after:
        texts = _text(axes[0], read.ours), _text(axes[1], read.theirs)
        yield Finding("attribute", "computes", a.operator, pair, "axis", *texts)


def _axes(layer: Layer, shape: Sizes) -> list[int]:
    """The axes that a layer works along, of an operand of that shape."""
    if not shape:
        return []
    axis = int(layer.number("axis", -1)) % len(shape)
    return [axis] if layer.operator in _ONE_AXIS else list(range(axis, len(shape)))


def _text(axes: list[int], shape: Sizes) -> str:
    return f"{', '.join(map(str, axes))} of {formatting.dims(shape)}"
