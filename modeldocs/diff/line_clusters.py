"""Lines of one calculation that differs, folded into one: which of them makes it differ is not
known, and each alone says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.diff import MEASURED, Change
from modeldocs.diff.parity import Cluster, Divergence, Pair, Parity

LEAST: Final = 4
"""Lines that are folded at least; fewer are told one by one."""
_TOLD: Final = 12
"""Lines that the text of a folded one names."""


@dataclass(frozen=True)
class Fold:
    """A line that stands for several changes: their numbers, from 1, and the pairs of layers at
    which the values differ.
    """

    numbers: tuple[int, ...]
    line: Change
    ends: frozenset[Pair]


@dataclass
class _Calculation:
    """Clusters that have changes in common: those of repeated blocks."""

    changes: set[int]
    clusters: list[Cluster]

    def line(self, changes: Mapping[int, Change], divergences: Mapping[Pair, Divergence]) -> Change:
        """The line that stands for `changes`."""
        ends = [divergences[one.pairs[-1]] for one in self.clusters]
        ours, theirs = ends[0].operators
        count = len({one.pair for one in ends})
        where = f" in {count:,} places" if count > 1 else f" ({ends[0].names[0]})"
        told = "; ".join(one.title for one in list(changes.values())[:_TOLD])
        more = f"; and {len(changes) - _TOLD:,} more" if len(changes) > _TOLD else ""
        return Change(
            kind="region",
            consequence="computes",
            title=f"{ends[0].made}{where}: other numbers; what leads to it differs in "
            f"{len(changes)} ways",
            text=f"Run on the same inputs, both give other numbers. They differ in: {told}{more}.",
            pairs=tuple(dict.fromkeys(pair for one in changes.values() for pair in one.pairs)),
            operator=ours,
            operator_b=theirs if theirs != ours else "",
            followers=sum(one.followers for one in changes.values()),
        )


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
            found.append(Fold(tuple(part), one.line(part, divergences), ends))
    return found


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
