"""Differing regions in a row, of layers without weights, and the changes that are in them.

Such regions are one calculation in two forms that do not give the same numbers: rotary positions,
a mask. Which of its layers makes them differ is not known, and each alone says nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final

from modeldocs.diff import Change, Cluster, Diff, Pair
from modeldocs.diff.indexing.edges import connected_components
from modeldocs.parity.regions.frontier import Frontiers
from modeldocs.parity.regions.touched import Touched
from modeldocs.parity.regions.undoing import Undone

_LEAST: Final = 4
"""Changes of the smallest cluster; fewer are told one by one."""


def clusters(
    diff: Diff,
    frontiers: Frontiers,
    touched: Touched,
    differing: Mapping[int, Undone | None],
    acting: Collection[int],
    dropped: Collection[int],
) -> tuple[Cluster, ...]:
    """The clusters of acting changes, one for each calculation.

    `differing` are the groups that differ, with the settings that make them differ where that is
    known, `dropped` those that were decided together with the groups behind them.
    """
    apart = differing.keys() - frontiers.ends.keys()
    next_to: dict[int, set[int]] = defaultdict(set)
    changes: dict[int, set[int]] = defaultdict(set)
    weightless = {one for one in apart if not _has_weights(frontiers, frontiers.group(one).pair)}
    for number in weightless:
        for source in frontiers.region(number, dropped).groups & weightless:
            next_to[number].add(source)
            next_to[source].add(number)
    for number in acting:
        change = diff.changes[number - 1]
        if _may_be_part(change, touched, frontiers, differing):
            for pair in change.pairs:
                together = touched.by_pair(pair) & apart
                for one in together:
                    next_to[one] |= together
                    changes[one].add(number)
    return tuple(
        Cluster(changes=tuple(sorted(of)), pairs=tuple(frontiers.group(n).pair for n in members))
        for members in connected_components(apart, next_to.__getitem__)
        if len(of := {number for one in members for number in changes[one]}) >= _LEAST
    )


def _may_be_part(
    change: Change,
    touched: Touched,
    frontiers: Frontiers,
    differing: Mapping[int, Undone | None],
) -> bool:
    """Whether a change is of layers without weights, and not known to make regions differ."""
    if change.parameter_delta or change.kind in ("output", "body", "parameters"):
        return False
    if any(_has_weights(frontiers, pair) for pair in change.pairs):
        return False
    known = (differing[one] for one in touched.by(change) & differing.keys())
    return not any(one is not None and change.attribute in one.acting for one in known)


def _has_weights(frontiers: Frontiers, pair: Pair) -> bool:
    return any(
        graph.weights.get(name)
        for graph, ids in zip(frontiers.graphs, pair, strict=True)
        for name in ids
    )
