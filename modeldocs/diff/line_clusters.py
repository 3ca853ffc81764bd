"""Lines of one calculation folded into one: it differs, and which of them makes it differ is not
known; or it could not be run on the same values, and whether any of them does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.diff import MEASURED, Change
from modeldocs.diff.parity import Cluster, Pair, Parity
from modeldocs.diff.reporting.kinds import region

LEAST: Final = 4
"""Lines that are folded at least; fewer are told one by one."""


@dataclass(frozen=True)
class Fold:
    """A line that stands for several changes: their numbers, from 1, and the pairs of layers at
    which the values differ; not `decided` where whether they differ is not known.
    """

    numbers: tuple[int, ...]
    line: Change
    ends: frozenset[Pair] = frozenset()
    decided: bool = True


@dataclass
class _Calculation:
    """Clusters that have changes in common: those of repeated blocks."""

    changes: set[int]
    clusters: list[Cluster]


def folded(changes: Sequence[Change], parity: Parity) -> list[Fold]:
    """The lines that stand for several changes."""
    divergences = {one.pair: one for one in parity.divergences}
    found: list[Fold] = []
    for one in _merged(parity):
        part = {
            n: changes[n - 1] for n in sorted(one.changes) if changes[n - 1].consequence in MEASURED
        }
        if len(part) >= LEAST:
            ends = frozenset(pair for cluster in one.clusters for pair in cluster.pairs)
            last = [divergences[cluster.pairs[-1]] for cluster in one.clusters]
            line = region.of_calculation([*part.values()], last)
            found.append(Fold(tuple(part), line, ends))
    told = {number for one in found for number in one.numbers}
    return [*found, *_undecided(changes, parity, told)]


def _undecided(changes: Sequence[Change], parity: Parity, told: Collection[int]) -> Iterator[Fold]:
    """A line for each part of which nothing was decided in either direction."""
    decided = {
        number
        for way in parity.directions
        for numbers in (way.acting, way.idle, way.lacking, told)
        for number in numbers
    }
    parts: list[set[int]] = []
    for numbers in (part for way in parity.directions for part in way.undecided):
        same = [one for one in parts if not one.isdisjoint(numbers)]
        parts = [one for one in parts if one not in same]
        parts.append(set(numbers).union(*same))
    for whole in parts:
        left = sorted(whole - decided)
        part = {n: changes[n - 1] for n in left if changes[n - 1].consequence in MEASURED}
        if len(part) >= LEAST:
            yield Fold(tuple(part), region.undecided([*part.values()]), decided=False)


def _merged(parity: Parity) -> list[_Calculation]:
    """The clusters of both directions, those with a change in common together."""
    merged: list[_Calculation] = []
    for direction in parity.directions:
        for cluster in direction.clusters:
            same = [one for one in merged if not one.changes.isdisjoint(cluster.changes)]
            merged = [one for one in merged if one not in same]
            changes = set(cluster.changes).union(*(one.changes for one in same))
            merged.append(
                _Calculation(changes, [*(c for one in same for c in one.clusters), cluster])
            )
    return merged
