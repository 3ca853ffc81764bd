"""Conversions of weights from port to port, weights with the same steps grouped."""

from __future__ import annotations

from collections.abc import Iterable

from modeldocs.diff import MappedWeight, Weights
from modeldocs.struct import Struct


class Conversion(Struct, frozen=True):
    """Weights that are converted by the same steps."""

    weights: tuple[MappedWeight, ...]

    @property
    def first(self) -> MappedWeight:
        """The first of them, which stands for all."""
        return self.weights[0]

    @property
    def turned(self) -> bool:
        """Whether a weight must be rearranged by hand."""
        return self.first.turned


def conversions(weights: Weights) -> list[Conversion]:
    """The conversions of one direction: turned kernels first, then by the first weight of each."""
    return _grouped(weights.converted)


def groups(weights: Weights) -> list[Conversion]:
    """All weights of one direction; those that are copied as they are have an empty text."""
    return _grouped(weights.mapped)


def _grouped(weights: Iterable[MappedWeight]) -> list[Conversion]:
    grouped: dict[str, list[MappedWeight]] = {}
    for weight in weights:
        grouped.setdefault(_without_names(weight), []).append(weight)
    found = [Conversion(weights=tuple(group)) for group in grouped.values()]
    return sorted(found, key=lambda group: not group.turned)


def line(weight: MappedWeight) -> str:
    """A weight and its conversion: `conv1/kernel = conv1.weight: OIHW → HWIO`."""
    return f"{weight.target} = {weight.text}"


def _without_names(weight: MappedWeight) -> str:
    """The text of a conversion with each source's name replaced by a zero byte."""
    text = weight.text
    for name in sorted(weight.sources, key=len, reverse=True):
        text = text.replace(name, "\0")
    return text
