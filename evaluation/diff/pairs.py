"""All pairs of ports of one model: how long a diff takes, and whether weights found their place."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from time import process_time

from modeldocs import diff
from modeldocs.diff import Diff
from modeldocs.ir import LayerGraph

from .subjects import Subjects

_REPEATS = 3


@dataclass(frozen=True, slots=True)
class Compared:
    """One pair: seconds of processor time (median), layers of the larger, weights mapped."""

    a: str
    b: str
    seconds: float
    layers: int
    foreign: bool
    """Whether the two are of different frameworks."""
    weighted: int
    """Layers with weights, on the side that has fewer."""
    mapped: int
    """Those with a counterpart that has as many weights, or of which the diff tells others."""


def run(subjects: Subjects) -> list[Compared]:
    """Compare every pair of ports of a model."""
    return [_compared(a, b, subjects) for a, b in subjects.pairs()]


def _compared(a: str, b: str, subjects: Subjects) -> Compared:
    ours, theirs = subjects.loaded[a], subjects.loaded[b]
    assert ours.graph is not None and theirs.graph is not None
    seconds = []
    for _ in range(_REPEATS):
        started = process_time()
        told = diff.compare(ours.graph, theirs.graph)
        seconds.append(process_time() - started)
    left, right = _weights(ours.graph), _weights(theirs.graph)
    return Compared(
        a,
        b,
        statistics.median(seconds),
        max(len(ours.graph.layers), len(theirs.graph.layers)),
        ours.framework != theirs.framework,
        min(len(left), len(right)),
        _mapped(told, left, right),
    )


def _weights(graph: LayerGraph) -> dict[str, int]:
    """Elements of the weights of each layer that has any."""
    found: dict[str, int] = {}
    for layer in graph.layers:
        for parameter in layer.parameters:
            if parameter.role == "weight":
                found[layer.id] = found.get(layer.id, 0) + parameter.elements
    return found


def _mapped(told: Diff, left: dict[str, int], right: dict[str, int]) -> int:
    """Where both have as many weights in all, each match must have as many; else it may be told."""
    parted = {
        name
        for change in told.changes
        if change.kind in ("parameters", "regrouped", "attribute")
        for pair in change.pairs
        for name in pair[0]
    }
    strict = sum(left.values()) == sum(right.values())
    mapped = [0, 0]
    for match in told.matches:
        ours = [name for name in match.a if name in left]
        theirs = [name for name in match.b if name in right]
        same = sum(left[name] for name in ours) == sum(right[name] for name in theirs)
        if ours and theirs and (same or (not strict and not parted.isdisjoint(match.a))):
            mapped = [mapped[0] + len(ours), mapped[1] + len(theirs)]
    return min(mapped)
