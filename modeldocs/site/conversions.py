"""Weights that are converted from port to port, told once for all to which the same is done."""

from __future__ import annotations

from modeldocs.diff import MappedWeight, Weights
from modeldocs.struct import Struct


class Conversion(Struct, frozen=True):
    """Weights of which each is made in the same way, of others."""

    weights: tuple[MappedWeight, ...]

    @property
    def first(self) -> MappedWeight:
        """The one that it is told of."""
        return self.weights[0]

    @property
    def turned(self) -> bool:
        """Whether a kernel is turned."""
        return self.first.turned


def conversions(held: Weights) -> list[Conversion]:
    """Turned kernels first, then in the order of the first weight of each."""
    grouped: dict[str, list[MappedWeight]] = {}
    for one in held.converted:
        grouped.setdefault(_manner(one), []).append(one)
    made = [Conversion(weights=tuple(group)) for group in grouped.values()]
    return sorted(made, key=lambda one: not one.turned)


def line(one: MappedWeight) -> str:
    """A weight and what it is made of: `conv1/kernel = conv1.weight: OIHW → HWIO`."""
    return f"{one.target} = {one.text}"


def _manner(one: MappedWeight) -> str:
    """What is done, whatever it is done with."""
    told = one.text
    for name in sorted(one.sources, key=len, reverse=True):
        told = told.replace(name, "\0")
    return told
