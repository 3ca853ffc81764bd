"""In which order a layer sees the elements of what it reads, however the plumbing is told."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations as orders
from math import prod
from typing import Any, Final

import numpy as np

from modeldocs.graph import Operand

_MOST: Final = 1 << 22
"""Elements beyond which plumbing is compared as it is told."""

Array = np.ndarray[Any, np.dtype[np.int64]]


def parted(ours: Sequence[Operand], theirs: Sequence[Operand]) -> list[tuple[Operand, Operand]]:
    """Pairs of operands, by place, of which the two sides see the elements in another order."""
    pairs = [pair for pair in zip(ours, theirs, strict=False) if pair[0].notes != pair[1].notes]
    told = [(turns(x.notes), turns(y.notes)) for x, y in pairs]
    if sorted(x for x, _ in told) == sorted(y for _, y in told):
        return []
    return [
        pair
        for pair, (before, after) in zip(pairs, told, strict=True)
        if before != after and not _same_order(*pair)
    ]


def permutation(x: Operand, y: Operand) -> tuple[int, ...] | None:
    """The axes of x in the order that y sees them, where y is x transposed."""
    before, after = _elements(x), _elements(y)
    if before is None or after is None or before.ndim != after.ndim or before.ndim > 5:
        return None
    for order in orders(range(before.ndim)):
        if np.array_equal(before.transpose(order), after):
            return order
    return None


def _same_order(x: Operand, y: Operand) -> bool:
    before, after = _elements(x), _elements(y)
    if before is None or after is None:
        return False
    return np.array_equal(before.ravel(), after.ravel())


def _elements(operand: Operand) -> Array | None:
    """The places in the source of the elements that a layer sees; None where that is unknown."""
    steps = _steps(operand)
    if steps is None or prod(steps[0]) > _MOST:
        return None
    seen = np.arange(prod(steps[0])).reshape(steps[0])
    for order, shape in steps[1]:
        seen = seen.transpose(order) if order else seen.reshape(shape)
    return seen


_Step = tuple[tuple[int, ...], tuple[int, ...]]


def _steps(operand: Operand) -> tuple[tuple[int, ...], list[_Step]] | None:
    """The source's shape, and what is done to it: (axes, ()) to turn, ((), shape) to reshape."""
    shape = operand.type.shape
    found: list[_Step] = []
    for note in reversed(operand.notes):
        head, _, tail = note.partition(" ")
        if head == "Cast":
            continue
        if shape is None or not all(isinstance(dim, int) for dim in shape):
            return None
        sizes = tuple(int(dim) for dim in shape if isinstance(dim, int))
        if head == "Transpose":
            axes = _axes(tail, len(sizes))
            if axes is None:
                return None
            found.append((axes, ()))
            shape = tuple(sizes[axes.index(axis)] for axis in range(len(axes)))
        else:
            found.append(((), sizes))
            shape = _sizes(tail.partition(" to ")[0])
            if shape is None or prod(shape) != prod(sizes):
                return None
    if shape is None or not all(isinstance(dim, int) for dim in shape):
        return None
    return tuple(int(dim) for dim in shape if isinstance(dim, int)), found[::-1]


def _axes(told: str, rank: int) -> tuple[int, ...] | None:
    if not told:
        return tuple(reversed(range(rank)))
    axes = tuple(int(axis) for axis in told.split(",") if axis.strip().isdigit())
    return axes if sorted(axes) == list(range(rank)) else None


def _sizes(told: str) -> tuple[int, ...] | None:
    if told == "scalar":
        return ()
    parts = told.split("x")
    return tuple(map(int, parts)) if all(part.isdigit() for part in parts) else None


def turns(notes: Sequence[str]) -> list[str]:
    """What is left of the transpositions on an edge once neighbours are made one."""
    found: list[str] = []
    current: tuple[int, ...] | None = None
    for note in (*notes, ""):
        head, _, tail = note.partition(" ")
        axes = tail.replace(" ", "").split(",")
        if head == "Transpose" and all(axis.isdigit() for axis in axes):
            step = tuple(int(axis) for axis in axes)
            fits = current is not None and len(current) == len(step)
            current = tuple(current[axis] for axis in step) if current and fits else step
        elif head == "Transpose":
            found.append(note)
        elif head != "Cast" and current is not None:
            if current != tuple(range(len(current))):
                found.append(",".join(map(str, current)))
            current = None
    return found
