"""Sizes that a network states, in the shapes that it reshapes to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.parity.changed_sizes import ChangedSizes
from modeldocs.parity.edge_path import Shape


def follow(node: ir.Node, changed: ChangedSizes) -> None:
    """Make the sizes that a Reshape or a Resize states fit what it reads now."""
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
