"""In which order a layer sees the elements of what it reads, however the plumbing is told."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from modeldocs.diff.function.arrangement import KEPT, Arrangement, Sizes
from modeldocs.graph import Dim, Operand


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


def _same_order(x: Operand, y: Operand) -> bool:
    before, after = seen(x), seen(y)
    if before is None or after is None:
        return False
    return before.simplified() == after.simplified()


def seen(operand: Operand, source: Arrangement = KEPT) -> Arrangement | None:
    """The elements of what a layer reads in the order it sees them; None where that is unknown.

    `source` is the order in which the value that the notes begin with has them.
    """
    shape = whole(operand.type.shape)
    return source if not operand.notes else _seen(operand.notes, shape, source)


@lru_cache(maxsize=4096)
def _seen(notes: tuple[str, ...], shape: Sizes | None, source: Arrangement) -> Arrangement | None:
    steps = _steps(notes, shape)
    if steps is None:
        return None
    shape, found = steps[0], source
    for axes, sizes in steps[1]:
        if axes:
            turned = found.transposed(shape, axes)
            if turned is None:
                return None
            found = turned
            shape = tuple(shape[axis] for axis in axes)
        else:
            shape = sizes
    return found


_Step = tuple[tuple[int, ...], Sizes]


def _steps(notes: Sequence[str], shape: Sizes | None) -> tuple[Sizes, list[_Step]] | None:
    """The source's shape, and what is done to it: (axes, ()) to turn, ((), shape) to reshape.

    `shape` is what comes of it.
    """
    found: list[_Step] = []
    for note in reversed(notes):
        head, _, tail = note.partition(" ")
        if head == "Cast":
            continue
        if shape is None:
            return None
        if head == "Transpose":
            axes = _axes(tail, len(shape))
            if axes is None:
                return None
            found.append((axes, ()))
            shape = tuple(shape[axes.index(axis)] for axis in range(len(axes)))
        else:
            found.append(((), shape))
            before = _sizes(tail.partition(" to ")[0])
            if before is None or prod(before) != prod(shape):
                return None
            shape = before
    return None if shape is None else (shape, found[::-1])


def whole(shape: Sequence[Dim] | None) -> Sizes | None:
    """A shape all of whose sizes are known."""
    if shape is None:
        return None
    sizes = tuple(dim for dim in shape if isinstance(dim, int))
    return sizes if len(sizes) == len(shape) else None


def _axes(told: str, rank: int) -> tuple[int, ...] | None:
    if not told:
        return tuple(reversed(range(rank)))
    axes = tuple(int(axis) for axis in told.split(",") if axis.strip().isdigit())
    return axes if sorted(axes) == list(range(rank)) else None


def _sizes(told: str) -> Sizes | None:
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
