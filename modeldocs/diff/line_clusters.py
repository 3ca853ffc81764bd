"""Lines of one calculation folded into one: it differs, and which of them makes it differ is not
known; or it could not be run on the same values, and whether any of them does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.diff import MEASURED, Change
from modeldocs.diff.parity import Pair, Parity
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


def folded(changes: Sequence[Change], parity: Parity) -> list[Fold]:
    """The lines that stand for several changes."""
    divergences = {one.pair: one for one in parity.divergences}
    clusters = [cluster for direction in parity.directions for cluster in direction.clusters]
    found: list[Fold] = []
    for together in _joined(cluster.changes for cluster in clusters):
        part = _measured(together, changes)
        if len(part) >= LEAST:
            inside = [one for one in clusters if not together.isdisjoint(one.changes)]
            ends = frozenset(pair for cluster in inside for pair in cluster.pairs)
            last = [divergences[cluster.pairs[-1]] for cluster in inside]
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
    for together in _joined(part for way in parity.directions for part in way.undecided):
        part = _measured(together - decided, changes)
        if len(part) >= LEAST:
            yield Fold(tuple(part), region.undecided([*part.values()]), decided=False)


def _measured(numbers: Collection[int], changes: Sequence[Change]) -> dict[int, Change]:
    """The changes of these numbers that running confirms or refutes, in their order."""
    numbered = ((n, changes[n - 1]) for n in sorted(numbers))
    return {n: change for n, change in numbered if change.consequence in MEASURED}


def _joined(parts: Iterable[Collection[int]]) -> list[set[int]]:
    """Sets of changes, those with a change in common as one: of repeated blocks, or of both
    directions.
    """
    joined: list[set[int]] = []
    for numbers in parts:
        same = [one for one in joined if not one.isdisjoint(numbers)]
        joined = [one for one in joined if one not in same]
        joined.append(set(numbers).union(*same))
    return joined
