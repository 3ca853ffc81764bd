"""Which changes of a diff act: those in regions that differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from modeldocs.diff import Change, Cluster, Diff, Pair
from modeldocs.diff.changes.part_orders import PARTS
from modeldocs.diff.changes.settings import ORDER
from modeldocs.numeric.parity.regions.change_regions import Touched
from modeldocs.numeric.parity.regions.clusters import clusters
from modeldocs.numeric.parity.regions.constants import are_rounded
from modeldocs.numeric.parity.regions.frontier import Frontiers
from modeldocs.numeric.parity.regions.undecided import undecided
from modeldocs.numeric.parity.regions.undoing import Undone


@dataclass(frozen=True)
class Effects:
    """Numbers, from 1, of the changes that act, and of those that make no difference.

    A change of layers that were not measured is in neither. `ending` are the changes of layers
    behind which only outputs are. `partly` are those of the acting ones that act in some of their
    pairs of layers and in others make no difference, with the pairs where they act. `clusters` are
    changes that are parts of one calculation that differs, `undecided` those of parts that read
    values of other shapes, by part.
    """

    acting: tuple[int, ...] = ()
    idle: tuple[int, ...] = ()
    ending: tuple[int, ...] = ()
    partly: Mapping[int, tuple[Pair, ...]] = field(default_factory=dict)
    clusters: tuple[Cluster, ...] = ()
    undecided: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class _TriedGroups:
    """Groups that differ, with the settings that make them differ where that is known, and those of
    which a change tells such a setting.
    """

    differing: Mapping[int, Undone | None]
    told: Collection[int]

    def leaves(self, change: Change, number: int) -> bool:
        """Whether a change may be what makes a group differ.

        With the settings undone that act, the group is equal, whatever else differs in it.
        """
        undone = self.differing[number]
        if undone is None:
            return True
        if change.kind == "attribute" and change.attribute != ORDER:
            return change.attribute not in undone.idle
        return number not in self.told


@dataclass(frozen=True)
class DecidedRegions:
    """What running has decided of regions.

    `differing` are the groups that differ, with the settings that make them differ where that is
    known, `unknown` those of which that is not known, `other_shapes` those of them that read values
    of other shapes, `joined` those that were decided together with the groups behind them,
    `constants` the layers of constants that act, and their names,
    `left_out` layers of B that A lacks, and that act. `returns_same` is whether the outputs of the
    networks are equal, but for these.
    """

    differing: Mapping[int, Undone | None]
    unknown: Collection[int]
    other_shapes: Collection[int]
    joined: Collection[int]
    constants: Collection[tuple[Pair, tuple[str, ...]]]
    left_out: Collection[str]
    returns_same: bool


def effects(diff: Diff, frontiers: Frontiers, decided: DecidedRegions) -> Effects:
    """What was measured of each change."""
    differing, unknown, dropped = decided.differing, decided.unknown, decided.joined
    touched = Touched(frontiers, dropped)
    undoing = _TriedGroups(differing, _told(diff, touched, differing))
    acting: list[int] = []
    idle: list[int] = []
    ending: list[int] = []
    partly: dict[int, tuple[Pair, ...]] = {}
    for number, change in enumerate(diff.changes, start=1):
        groups = touched.by(change)
        if change.attribute == PARTS:  # the layer that cuts into parts shows their order
            groups |= {one for n in groups for one in frontiers.region(n, dropped).groups}
        if groups <= set(frontiers.ends) and any(ids for pair in change.pairs for ids in pair):
            ending.append(number)
        apart = groups & differing.keys()
        is_acting = any(undoing.leaves(change, one) for one in apart)
        if (
            (is_acting and not _is_rounding(change, frontiers))
            or any(change.says_of(*one) for one in decided.constants)
            or change.lacks(decided.left_out)
        ):
            acting.append(number)
            pairs = _acting_pairs(change, touched, undoing, unknown)
            partly |= {number: pairs} if pairs else {}
        elif decided.returns_same or (groups and groups.isdisjoint(unknown)):
            idle.append(number)
    return Effects(
        tuple(acting),
        tuple(idle),
        tuple(ending),
        partly,
        clusters(diff, frontiers, touched, differing, idle, dropped),
        undecided(diff, frontiers, touched, decided.other_shapes),
    )


def _told(diff: Diff, touched: Touched, differing: Mapping[int, Undone | None]) -> set[int]:
    """The groups of which a change tells a setting that acts."""
    told: set[int] = set()
    for change in diff.changes:
        if change.kind == "attribute":
            for number in touched.by(change) & differing.keys():
                undone = differing[number]
                if undone is not None and change.attribute in undone.acting:
                    told.add(number)
    return told


def _acting_pairs(
    change: Change,
    touched: Touched,
    undoing: _TriedGroups,
    unknown: Collection[int],
) -> tuple[Pair, ...]:
    """The pairs of layers in which a change acts; empty where it is not shown to be idle in any,
    or where no pair has a difference by itself.
    """
    if change.joint:
        return ()
    acting: list[Pair] = []
    idle: list[Pair] = []
    for pair in change.pairs:
        groups = touched.by_pair(pair)
        if any(undoing.leaves(change, one) for one in groups & undoing.differing.keys()):
            acting.append(pair)
        elif groups and groups.isdisjoint(unknown):
            idle.append(pair)
        else:
            acting.append(pair)
    return tuple(acting) if idle and acting else ()


def _is_rounding(change: Change, frontiers: Frontiers) -> bool:
    """Whether a change is of constants that are equal but for rounding."""
    return change.kind == "attribute" and all(
        are_rounded(frontiers.graphs, pair, change.attribute or "") for pair in change.pairs
    )
