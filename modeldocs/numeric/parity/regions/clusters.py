"""Differing regions of one calculation without weights, and the changes that are in it.

It is written in two forms that do not give the same numbers: rotary positions, a mask. Which of its
layers makes them differ is not known, and each alone says nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Set

from modeldocs.diff import Change, Cluster, Diff
from modeldocs.diff.changes.settings import ORDER
from modeldocs.diff.indexing.edges import connected_components
from modeldocs.diff.line_clusters import LEAST
from modeldocs.diff.reporting.phrases import constant_name
from modeldocs.numeric.parity.regions.change_regions import Touched
from modeldocs.numeric.parity.regions.frontier import Frontiers
from modeldocs.numeric.parity.regions.undoing import Undone


def clusters(
    diff: Diff,
    frontiers: Frontiers,
    touched: Touched,
    differing: Mapping[int, Undone | None],
    idle: Collection[int],
    dropped: Collection[int],
) -> tuple[Cluster, ...]:
    """The clusters of changes that are not `idle`, one for each calculation.

    `differing` are the groups that differ, with the settings that make them differ where that is
    known, `dropped` those that were decided together with the groups behind them.
    """
    apart = differing.keys() - frontiers.ends.keys()
    inside, next_to = _between(frontiers, apart, dropped)
    changes: dict[int, set[int]] = defaultdict(set)
    for number, change in enumerate(diff.changes, start=1):
        if number not in idle and _may_be_part(change, touched, frontiers, differing):
            for pair in change.pairs:
                together = touched.by_pair(pair) & inside
                for one in together:
                    next_to[one] |= together
                    changes[one].add(number)
    return tuple(
        Cluster(
            changes=tuple(sorted(of)),
            pairs=tuple(frontiers.group(n).pair for n in members if n in apart),
        )
        for members in connected_components(inside, next_to.__getitem__)
        if len(of := {number for one in members for number in changes[one]}) >= LEAST
    )


def _between(
    frontiers: Frontiers, apart: Set[int], dropped: Collection[int]
) -> tuple[set[int], dict[int, set[int]]]:
    """Differing groups, and those without weights that lead from one to another; by group, those
    next to it.
    """
    free = {n for n in frontiers.cut if not frontiers.has_weights(frontiers.group(n).pair)}
    sources = {n: frontiers.region(n, dropped).groups & free for n in free - set(dropped)}
    readers: dict[int, set[int]] = defaultdict(set)
    for number, read in sources.items():
        for one in read:
            readers[one].add(number)
    before, behind = _reached(apart & free, sources), _reached(apart & free, readers)
    inside = (before & behind) | apart
    next_to: dict[int, set[int]] = defaultdict(set)
    for number in inside & sources.keys():
        for one in sources[number] & inside:
            next_to[number].add(one)
            next_to[one].add(number)
    return inside, next_to


def _reached(start: Set[int], next_to: Mapping[int, Set[int]]) -> set[int]:
    """What is reached from some groups, with these."""
    reached, waiting = set(start), list(start)
    while waiting:
        for one in next_to.get(waiting.pop(), frozenset()) - reached:
            reached.add(one)
            waiting.append(one)
    return reached


def _is_setting(change: Change) -> bool:
    """Whether a change is of a setting of one operator, and not of a constant that it reads."""
    setting = change.attribute
    if change.kind != "attribute" or setting is None or setting == ORDER:
        return False
    return constant_name(setting) == setting


def _may_be_part(
    change: Change,
    touched: Touched,
    frontiers: Frontiers,
    differing: Mapping[int, Undone | None],
) -> bool:
    """Whether a change is of layers without weights, and not known to make regions differ.

    A setting of one operator says by itself what differs.
    """
    if (
        change.consequence == "spelling"
        or change.parameter_delta
        or change.kind in ("output", "body", "parameters")
        or _is_setting(change)
    ):
        return False
    if any(frontiers.has_weights(pair) for pair in change.pairs):
        return False
    known = (differing[one] for one in touched.by(change) & differing.keys())
    return not any(one is not None and change.attribute in one.acting for one in known)
