"""Sizes that a network states: in the shapes that it reshapes and resizes to, and as numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.numeric.parity.edge_path import Shape
from modeldocs.numeric.parity.sizes.changed_sizes import ChangedSizes

_MOST = 8
"""Elements of the largest constant whose numbers are looked at, one by one."""


def follow(node: ir.Node, changed: ChangedSizes) -> None:
    """Make the sizes that a node states fit what it reads now."""
    was, now = changed.was(node.inputs[0]), changed.now(node.inputs[0])
    if node.op_type == "Reshape":
        changed.replace(node, 1, np.array(_reshaped(node, was, now, changed), np.int64))
    elif (
        node.op_type == "Resize" and (sizes := values.constant(values.operand(node, 3))) is not None
    ):
        axes = values.attribute(node, "axes", range(len(was)))
        scaled = [
            size * now[axis] // was[axis] for size, axis in zip(sizes.tolist(), axes, strict=True)
        ]
        changed.replace(node, 3, np.array(scaled, np.int64))
    else:
        follow_numbers(node, changed)


def follow_numbers(node: ir.Node, changed: ChangedSizes) -> None:
    """Put numbers that the other network has in place of a few that a node reads, where they differ
    as sizes do: a length that is divided by, the end of a slice that leaves out the last row.
    """
    for slot, value in enumerate(node.inputs if changed.told else ()):
        data = values.constant(value)
        if data is None or data.size > _MOST or data.dtype.kind not in "fiu":
            continue
        if changed.is_new(value):
            continue
        stated = data.reshape(-1).tolist()
        followed = [_followed(number, changed) for number in stated]
        if followed != stated:
            changed.replace(node, slot, np.array(followed, data.dtype).reshape(data.shape))


def _followed(number: float, changed: ChangedSizes) -> float:
    """What the other network states in place of a number, where both are a size that changed, or
    one less or more than it.
    """
    other = changed.told.get(number)
    if other is None:
        return number
    follows = any(
        abs(old - number) <= 1 and old - number == new - other
        for old, smaller in changed.smaller.items()
        for new in smaller
    )
    return other if follows else number


def _reshaped(node: ir.Node, was: Shape, now: Shape, changed: ChangedSizes) -> list[int]:
    own = changed.was(node.outputs[0])
    stated: list[int] = []
    for ours, theirs in parts(was, own):
        wanted = math.prod(now[ours])
        same = math.prod(was[ours]) == wanted
        stated += own[theirs] if same else _stated(own[theirs], wanted, changed)
    return stated


def parts(ours: Shape, theirs: Shape) -> Iterator[tuple[slice, slice]]:
    """Runs of axes of both shapes that have as many elements, as short as they can be."""
    i = j = 0
    start = i, j
    left = right = 1
    while i < len(ours) or j < len(theirs):
        if j == len(theirs) or (i < len(ours) and left <= right):
            left, i = left * ours[i], i + 1
        else:
            right, j = right * theirs[j], j + 1
        if left == right and i > start[0] and j > start[1]:
            yield slice(start[0], i), slice(start[1], j)
            start = i, j
    yield slice(start[0], i), slice(start[1], j)


def _stated(sizes: Shape, wanted: int, changed: ChangedSizes) -> Shape:
    """The sizes in place of some that became others elsewhere, so that there are as many elements
    as wanted; where that cannot be, with one of them scaled.
    """
    choices = [(*sorted(changed.smaller.get(size, ())), size) for size in sizes]
    for chosen in itertools.product(*choices):
        if math.prod(chosen) == wanted:
            return chosen
    total = math.prod(sizes)
    for place, size in enumerate(sizes):
        if size * wanted % total == 0:
            return (*sizes[:place], size * wanted // total, *sizes[place + 1 :])
    return sizes
