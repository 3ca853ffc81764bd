"""Plumbing on an edge (`Reshape 1x50x4x4 to 1x800`), done again on a tensor of another shape."""

from __future__ import annotations

from math import prod

from modeldocs.graph import TensorType

Shape = tuple[int, ...]

_SHAPING = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand"})


class Misfit(Exception):
    """An edit that leaves layers whose shapes do not fit together."""


def seen(source: TensorType, notes: tuple[str, ...]) -> tuple[TensorType, tuple[str, ...]]:
    """The tensor that an operand sees through its notes, and the notes as they then read."""
    told: list[str] = []
    current, dtype = sizes(source), source.dtype
    for note in notes:
        operation, _, rest = note.partition(" ")
        if operation == "Transpose":
            axes = [int(axis) for axis in rest.split(",")]
            if sorted(axes) != list(range(len(current))):
                raise Misfit(note)
            current = tuple(current[axis] for axis in axes)
        elif operation in _SHAPING and " to " in rest:
            before, after = (_read(text) for text in rest.split(" to "))
            made = after if before == current else _reshaped(current, after)
            note = f"{operation} {_told(current)} to {_told(made)}"
            current = made
        elif operation != "Cast":
            raise Misfit(note)
        told.append(note)
    return TensorType(shape=current, dtype=dtype), tuple(told)


def sizes(tensor: TensorType) -> Shape:
    """The shape, where all of it is known.

    Raises:
        Misfit: a dimension is symbolic or unknown.
    """
    if tensor.shape is None or not all(isinstance(dim, int) for dim in tensor.shape):
        raise Misfit(f"unknown dimensions in {tensor.shape}")
    return tuple(int(dim) for dim in tensor.shape if isinstance(dim, int))


def _reshaped(current: Shape, wanted: Shape) -> Shape:
    """`wanted` with the last dimension that can make up for another number of elements."""
    total = prod(current)
    for place in reversed(range(len(wanted))):
        rest = prod(wanted[:place] + wanted[place + 1 :])
        if wanted[place] != 1 and rest and total % rest == 0:
            return (*wanted[:place], total // rest, *wanted[place + 1 :])
    raise Misfit(f"{current} cannot be read as {wanted}")


def _read(text: str) -> Shape:
    if not all(part.isdigit() for part in text.split("x")):
        raise Misfit(text)
    return tuple(int(part) for part in text.split("x"))


def _told(shape: Shape) -> str:
    return "x".join(map(str, shape))
