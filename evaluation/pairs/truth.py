"""Which weighted layers of two networks are the same: by their names and their order, never by
the diff.

Each side's rules give a layer a label by the name of its weights. Layers of one label are the
same in the order in which they are computed: with no rules at all that is the order of the whole
network, with the whole path in the label it is the name alone. A label `qkv/q` is a part of `qkv`,
which the other side may hold in one piece. What only one side has is labelled with `ALONE`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from math import prod
from typing import Final

from modeldocs.ir import Layer, LayerGraph, Parameter

ALONE: Final = "alone"
_HELD: Final = ("weight", "scale", "mean")
"""Roles by which a layer is weighted: a norm may have no scale."""

Pairs = frozenset[tuple[str, str]]
Rules = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """Patterns with the label of each, the first that is found; no label without one.

    They are sought in what a layer's weights are called, the module that uses them, and the names
    of the network's inputs that it reads, with spaces between.
    """

    rules: Rules = ()

    def of(self, described: str) -> str:
        """The label of what is so described."""
        for pattern, label in self.rules:
            found = re.search(pattern, described)
            if found is not None:
                return found.expand(label)
        return ""


SAME_NAMES: Final = Labels(((r"^(\S+)[./]\w+ ", r"\1"),))
"""The whole path of a layer: for packages that call their layers the same."""


@dataclass(frozen=True, slots=True)
class Truth:
    """How the truth of a pair is known."""

    a: Labels = Labels()
    b: Labels = Labels()

    @property
    def told(self) -> str:
        """In a word: by order, or by names."""
        return "names" if self.a.rules or self.b.rules else "order"


ORDER: Final = Truth()
"""The order of the whole network, where none of it could be computed in another."""


class NoTruthError(Exception):
    """The rules do not make one layer of each, or layers that cannot be the same."""


def weighted(graph: LayerGraph) -> list[Layer]:
    """Layers with weights, in the order they are computed in."""
    return [layer for layer in graph.layers if _held(layer)]


def _name(layer: Layer) -> str:
    return _held(layer)[0].name


def _described(layer: Layer, graph: LayerGraph) -> str:
    """What a layer's weights are called, the module they are used in, and the inputs it reads."""
    inputs = {entry.id: entry.name for entry in graph.inputs}
    read = [inputs[operand.value] for operand in layer.inputs if operand.value in inputs]
    return " ".join((_name(layer), layer.module, *read))


def pairs_of(truth: Truth, a: LayerGraph, b: LayerGraph) -> Pairs:
    """Ids of layers that are the same; several of one side where the other has them in one piece.

    Raises:
        NoTruthError: two layers said to be the same hold other weights, or one is left over.
    """
    ours, theirs = _labelled(truth.a, a), _labelled(truth.b, b)
    _whole(ours, theirs)
    found: set[tuple[str, str]] = set()
    for label in sorted({*ours, *theirs}):
        mine, its = ours.get(label, []), theirs.get(label, [])
        if len(mine) != len(its):
            raise NoTruthError(f"{len(mine)} and {len(its)} layers of {label}")
        for left, right in zip(mine, its, strict=True):
            _check(left, right)
            found |= {(x.id, y.id) for x in left for y in right}
    return frozenset(found)


_Groups = dict[tuple[str, str], list[list[Layer]]]


def _labelled(labels: Labels, graph: LayerGraph) -> _Groups:
    """Layers by kind and label, each in a list that others of one piece may join."""
    found: _Groups = defaultdict(list)
    for layer in weighted(graph):
        label = labels.of(_described(layer, graph))
        if label != ALONE:
            found[_kind(layer), label].append([layer])
    return dict(found)


def _whole(ours: _Groups, theirs: _Groups) -> None:
    """Put parts together where the other side has them in one piece."""
    for one, other in ((ours, theirs), (theirs, ours)):
        for kind, whole in list(one):
            parts = sorted(x for x in other if x[0] == kind and x[1].startswith(f"{whole}/"))
            if whole and parts:
                pieces = [other.pop(part) for part in parts]
                other[kind, whole] = [list(chain(*held)) for held in zip(*pieces, strict=True)]


def _check(left: list[Layer], right: list[Layer]) -> None:
    if not _fits(left, right):
        told = " and ".join(
            ", ".join(f"{_name(x)} {x.operator} {_shape(x)}" for x in side)
            for side in (left, right)
        )
        raise NoTruthError(f"cannot be the same: {told}")


_PRODUCTS: Final = ("Gemm", "MatMul", "Conv")


def _kind(layer: Layer) -> str:
    return "product" if layer.operator in _PRODUCTS else layer.operator


def _fits(left: list[Layer], right: list[Layer]) -> bool:
    """The same shape of weights; of unlike operators, and of several layers, as many weights."""
    if len(left) == len(right) == 1 and left[0].operator == right[0].operator:
        return _shape(left[0]) == _shape(right[0])
    ours, theirs = (sum(prod(_shape(x)) for x in side) for side in (left, right))
    return ours == theirs


def _shape(layer: Layer) -> tuple[int, ...]:
    return _held(layer)[0].shape


def _held(layer: Layer) -> list[Parameter]:
    held = [one for one in layer.parameters if one.role in _HELD]
    return sorted(held, key=lambda one: _HELD.index(one.role))
