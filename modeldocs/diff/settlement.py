"""A diff settled by what running has shown: structure proposes, measurement decides.

A change in regions that compute the same is a matter of spelling; a region that differs although
nothing that was listed says so is listed; so is what the networks return differently.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final

import msgspec

from modeldocs.diff import constant_laws, line_clusters, partial_effects
from modeldocs.diff.changes.parameters import VALUES_READ
from modeldocs.diff.changes.part_orders import PARTS
from modeldocs.diff.changes.projection_names import ROLES
from modeldocs.diff.changes.settings import ORDER
from modeldocs.diff.diff import CONSEQUENCES, MEASURED, Change, Diff
from modeldocs.diff.parity import Direction, Divergence, Pair, Parity
from modeldocs.diff.reporting.kinds import KINDS, output, parameters, region
from modeldocs.diff.reporting.merging import counts, rank, verdict
from modeldocs.diff.weights import Weights

_ORDERS: Final = frozenset({PARTS, ROLES})
HOLDING: Final = _ORDERS | {VALUES_READ}
"""Attributes of changes by which weights are held in another order, under other names or as other
numbers."""

_IDLE: Final = "Written differently: run on the same inputs, both give the same numbers."
_ACTING: Final = "Run on the same inputs, the two give other numbers."
_SMALL: Final = (
    "It shows where values are as small as the epsilon. From values of usual size, both give the "
    "same numbers."
)
_MARKED: Final = (
    "It shows where an input has {}, which one of the two treats in its own way, as padding. From "
    "other inputs both give the same numbers."
)
_MORE: Final = (
    "A's weights fit, with numbers in place of those that A lacks, and then give A's numbers in B."
)
_HELD: Final = "With the weights rearranged so, both give the same numbers."


def settle(diff: Diff, parity: Parity | None) -> Diff:
    """The diff with its parity, and with changes as that has shown them."""
    if parity is None or parity.verdict == "not run":
        return msgspec.structs.replace(diff, parity=parity)
    settlement = _Settlement(diff, parity)
    changes = [settlement.settled(number) for number in range(1, len(diff.changes) + 1)]
    added = list(output.lines(parity))
    for number, names in partial_effects.by_change(parity).items():
        if changes[number - 1].consequence != "spelling":
            changes[number - 1], idle = partial_effects.split(changes[number - 1], names)
            added += [idle] if idle is not None else []
    if not any(one.attribute in _ORDERS for one in changes):
        added += parameters.lines(parity)
    folds = line_clusters.folded(changes, parity)
    inside = {number for one in folds for number in one.numbers}
    ends = {pair: one.line for one in folds for pair in one.ends}
    added += settlement.regions(ends)
    lines: list[tuple[tuple[int, ...], Change]] = [
        *(((n,), one) for n, one in enumerate(changes, start=1) if n not in inside),
        *((one.numbers, one.line) for one in folds),
        *(((), one) for one in added),
    ]
    undecided = {id(one.line) for one in folds if not one.decided}
    lines.sort(key=lambda numbered: _rank(numbered[1], decided=id(numbered[1]) not in undecided))
    settled = tuple(change for _, change in lines)
    numbers = {old: new for new, (of, _) in enumerate(lines, start=1) for old in of}
    places = {id(change): new for new, change in enumerate(settled, start=1)}
    of_region = {
        pair: places[id(one)] for one in added if one.kind == "region" for pair in one.pairs
    } | {pair: places[id(line)] for pair, line in ends.items()}
    return msgspec.structs.replace(
        diff,
        verdict=verdict(settled),
        changes=settled,
        unchanged=diff.unchanged - len(_named(added) - _named(diff.changes)),
        consequences=counts((one.consequence for one in settled), CONSEQUENCES),
        kinds=counts((one.kind for one in settled), KINDS),
        parity=msgspec.structs.replace(
            parity,
            a_to_b=_renumbered(parity.a_to_b, numbers, of_region),
            b_to_a=_renumbered(parity.b_to_a, numbers, of_region),
        ),
    )


def _named(changes: Iterable[Change]) -> set[str]:
    """A's layers that are in a change."""
    return {one for change in changes for pair in change.pairs for one in pair[0]}


class _Settlement:
    """What both directions show of the changes of a diff."""

    def __init__(self, diff: Diff, parity: Parity) -> None:
        self.diff, self.parity = diff, parity
        directions = parity.directions
        self.acting = {number for one in directions for number in one.acting}
        self.idle_one_way = {number for one in directions for number in one.idle}
        self.idle = self.idle_one_way - self.acting
        self.blamed = {one.change for one in parity.divergences if one.change is not None}
        self.holds_all = _holds_all(diff, parity)
        self.one_returns_more = any(
            one.relation == "missing" for way in directions for one in way.returned
        )
        self.laws = constant_laws.laws_by_change(diff, parity)
        self.not_acting = _not_acting_where_holding(diff, parity)

    def settled(self, number: int) -> Change:
        """A change with the consequence that was measured."""
        change = self.diff.changes[number - 1]
        if number in self.laws:
            return constant_laws.by_law(change, self.laws[number])
        if number in self.parity.small:
            return msgspec.structs.replace(change, consequence="computes", text=_SMALL)
        if number in self.parity.by_marks:
            text = _MARKED.format(" or ".join(map(str, self.parity.marks)))
            return msgspec.structs.replace(change, consequence="computes", text=text)
        if number in self.idle and change.consequence in MEASURED and not self._adds(change):
            held = change.attribute in HOLDING or self._permutes(change)
            consequence, text = ("parameters", _HELD) if held else ("spelling", _IDLE)
            return msgspec.structs.replace(change, consequence=consequence, text=text)
        is_counted = change.kind == "parameters" and change.attribute not in HOLDING
        if is_counted and self._is_held(number):
            text = f"{change.text} {_HELD}"
            return msgspec.structs.replace(change, consequence="spelling", text=text)
        if number in self.not_acting and change.consequence in MEASURED:
            if not change.parameter_delta:
                return msgspec.structs.replace(change, consequence="spelling", text=_IDLE)
            if number in self.parity.a_to_b.idle or self.parity.a_to_b.verdict == "holds":
                return msgspec.structs.replace(change, consequence="parameters", text=_MORE)
        if number in self.blamed and self._is_alleged(change):
            return msgspec.structs.replace(change, consequence="computes", text=_ACTING)
        return change

    def _is_held(self, number: int) -> bool:
        """Whether a change of parameters is of how as many are held, and one port takes those of
        the other to the same effect.
        """
        if not self.diff.changes[number - 1].parameter_delta:
            return number in self.idle_one_way
        return number in self.idle and self.holds_all

    def _adds(self, change: Change) -> bool:
        """Whether a change says that one network returns what the other does not, which is so."""
        return self.one_returns_more and change.kind == "rewired" and change.operator == "output"

    def _permutes(self, change: Change) -> bool:
        """Whether layers read their features in another order, to which weights are permuted: those
        of which no line of `parameters.lines` says so.
        """
        weights = self.parity.a_to_b.weights
        moved = not weights.turned and any(
            one.reordered and len(one.sources) == 1 for one in weights.mapped
        )
        return moved and change.attribute == ORDER and change.consequence == "computes"

    def _is_alleged(self, change: Change) -> bool:
        """Whether a change is said to be of spelling."""
        return change.consequence == "spelling" and change.kind in ("attribute", "operator")

    def regions(self, told_of: Collection[Pair]) -> list[Change]:
        """Lines for regions that differ and of which no change, or one of spelling, says so.

        `told_of` are the layers at which lines that stand for several changes say it.
        """
        unexplained: dict[tuple[object, ...], list[Divergence]] = defaultdict(list)
        told: list[Divergence] = []
        for one in self.parity.divergences:
            if (
                one.pair in told_of
                or self._is_explained(one)
                or (one.laws and any(constant_laws.overlap(one, x) for x in told))
            ):
                continue
            unexplained[one.operators, one.settings, one.laws].append(one)
            told += [one] if one.laws else []
        return [
            region.line(group, both_ways=self._both_ways(group)) for group in unexplained.values()
        ]

    def _both_ways(self, group: Iterable[Divergence]) -> bool:
        """Whether neither port can hold the other's weights so that one of these is equal."""
        if any(one.laws for one in group):  # no weight makes up for a constant
            return True
        found = [{one.pair for one in way.divergences} for way in self.parity.directions]
        return any(all(one.pair in pairs for pairs in found) for one in group)

    def _is_explained(self, divergence: Divergence) -> bool:
        if divergence.change is None:
            return False
        if divergence.change in self.laws:
            return True
        change = self.diff.changes[divergence.change - 1]
        return change.consequence != "spelling" or self._is_alleged(change)


def _not_acting_where_holding(diff: Diff, parity: Parity) -> Collection[int]:
    """The numbers of the changes that do not act where one network has the other's weights, and act
    the other way round since some weights have no place there.

    Where the networks differ besides, only those of layers with weights are taken for such.
    """
    every = range(1, len(diff.changes) + 1)
    if parity.verdict == "one way":
        holding, other = sorted(parity.directions, key=lambda one: one.verdict != "holds")
        if holding.returns not in ("same", "form", "part") or not other.weights.unused:
            return ()
        return set(every) - set(holding.acting)
    holding, other = sorted(parity.directions, key=lambda one: not _carries_all(one.weights))
    if not _carries_all(holding.weights) or not other.weights.unused:
        return ()
    weighted = {one.pair[side] for one in holding.weights.mapped for side in (0, 1)}
    of_weights = {
        number
        for number in every
        if diff.changes[number - 1].parameter_delta
        or any(ids in weighted for pair in diff.changes[number - 1].pairs for ids in pair)
    }
    return of_weights & set(holding.idle)


def _carries_all(weights: Weights) -> bool:
    """Whether each weight of the source has a place in the target, which has no others."""
    return not (weights.unused or weights.unset or weights.invented)


def _holds_all(diff: Diff, parity: Parity) -> bool:
    """Whether both ports hold as many parameters, and each computes all of its own from all of the
    other's: then shapes and shares say how they are held.
    """
    whole = all(_carries_all(direction.weights) for direction in parity.directions)
    return whole and diff.a.parameters == diff.b.parameters is not None


def _rank(
    change: Change, *, decided: bool
) -> tuple[bool, bool, bool, tuple[int, int, int, str, str]]:
    """What is returned otherwise comes first, then what was decided, the gravest first."""
    is_spelling = change.consequence == "spelling"
    return change.kind != "output", is_spelling, not decided, rank(change)


def _renumbered(
    direction: Direction, numbers: dict[int, int], of_region: dict[Pair, int]
) -> Direction:
    """A direction with the numbers of the settled diff's changes."""

    def renumbered(one: Divergence) -> Divergence:
        number = of_region.get(one.pair) or numbers.get(one.change or 0)
        return msgspec.structs.replace(one, change=number)

    return msgspec.structs.replace(
        direction,
        first=renumbered(direction.first) if direction.first else None,
        divergences=tuple(map(renumbered, direction.divergences)),
        acting=_every(direction.acting, numbers),
        small=_every(direction.small, numbers),
        by_marks=_every(direction.by_marks, numbers),
        lacking=_every(direction.lacking, numbers),
        idle=_every(direction.idle, numbers),
        ending=_every(direction.ending, numbers),
        clusters=tuple(
            msgspec.structs.replace(one, changes=_every(one.changes, numbers))
            for one in direction.clusters
        ),
        undecided=tuple(_every(part, numbers) for part in direction.undecided),
        partly=tuple(
            msgspec.structs.replace(one, change=numbers[one.change]) for one in direction.partly
        ),
    )


def _every(old: Collection[int], numbers: Mapping[int, int]) -> tuple[int, ...]:
    """The numbers of changes in the settled diff; of those that are one line there, one."""
    return tuple(sorted({numbers[one] for one in old}))
