"""The place of a change in the networks: all layers of an operator, or some parts by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from modeldocs.diff.parity import Ids, Pair
from modeldocs.ir import Layer, LayerGraph

_FEW: Final = 3
"""Parts that a title names; where there are more, it names none."""

_LONG: Final = 60
"""Characters of a place in a title; a longer one is left out, so that titles fit on a line."""


class LayerPositions:
    """The positions and names of the layers of two graphs, by id."""

    def __init__(self, a: LayerGraph, b: LayerGraph) -> None:
        self.orders = order(a), order(b)
        self.graphs = (a, b)
        self._labels: tuple[dict[str, str], ...] = ()
        self._counts: tuple[Counter[str], ...] = ()

    def rank(self, pair: Pair) -> tuple[int, int]:
        """A key to sort pairs by their position in A, then in B."""
        (ours, theirs), (a, b) = self.orders, pair
        return _first(ours, a), _first(theirs, b)

    def everywhere(self, operators: tuple[str, str], count: int) -> bool:
        """Whether `count` is the number of A's layers of one operator and of B's of the other."""
        if not self._counts:
            self._counts = tuple(_counted(graph) for graph in self.graphs)
        both = zip(self._counts, operators, strict=True)
        return count > 1 and all(counts[operator] == count for counts, operator in both)

    def named(self, pairs: Sequence[Pair]) -> str:
        """The parts of A (of B where A has none of the layers): `layer2–layer4`, or empty."""
        side = 0 if all(pair[0] for pair in pairs) else 1
        layers = [pair[side] for pair in pairs]
        if not pairs or not all(layers):
            return ""
        label = _parts([self.label(side, ids[0]) for ids in layers])
        return label if len(label) <= _LONG else ""

    def label(self, side: int, one: str) -> str:
        """The name of a layer or input of A (0) or B (1)."""
        if not self._labels:
            self._labels = tuple(_labelled(graph) for graph in self.graphs)
        return self._labels[side].get(one) or one


def _first(order: dict[str, int], ids: Ids) -> int:
    if len(ids) == 1:
        return order[ids[0]]
    return min((order[one] for one in ids), default=len(order))


def order(graph: LayerGraph) -> dict[str, int]:
    """The position of each input and layer, inputs first."""
    ids = [*(entry.id for entry in graph.inputs), *(layer.id for layer in graph.layers)]
    return {one: number for number, one in enumerate(ids)}


def _counted(graph: LayerGraph) -> Counter[str]:
    return Counter(layer.operator for layer in graph.layers)


def _labelled(graph: LayerGraph) -> dict[str, str]:
    return graph.names() | {layer.id: _path(layer) for layer in graph.layers}


def _path(layer: Layer) -> str:
    """The layer's name, or the innermost module's path where the name is not inside of it."""
    if layer.module and not layer.name.startswith(layer.module):
        return layer.module
    return layer.name or layer.id


def _parts(labels: Sequence[str]) -> str:
    """The first components in which paths differ, consecutive numbers as a range."""
    paths = [re.split(r"[./]", label) for label in dict.fromkeys(labels)]
    depth = 0
    while all(len(path) > depth + 1 for path in paths) and len({p[depth] for p in paths}) == 1:
        depth += 1
    parts = list(dict.fromkeys(".".join(path[: depth + 1]) for path in paths))
    runs = [_run(list(run)) for _, run in groupby(enumerate(parts), key=_stem)]
    return ", ".join(runs) if len(runs) <= _FEW else ""


_NUMBERED: Final = re.compile(r"(.*?)(\d+)$")


def _stem(numbered: tuple[int, str]) -> tuple[str, int]:
    """Equal for labels with consecutive numbers; `pool` comes before `pool_1`."""
    place, label = numbered
    match = _NUMBERED.fullmatch(label)
    return (match[1], int(match[2]) - place) if match else (f"{label}_", -place)


def _run(members: list[tuple[int, str]]) -> str:
    first, last = members[0][1], members[-1][1]
    return first if first == last else f"{first}–{last}"
