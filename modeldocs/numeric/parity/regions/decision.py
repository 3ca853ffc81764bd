"""What running decides of two networks: regions that differ, what is returned, changes that act."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from modeldocs.diff import Diff, Ids, Returned
from modeldocs.normal import values
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.numeric.parity import inputs, measurements
from modeldocs.numeric.parity.matched_group import MatchedGroup
from modeldocs.numeric.parity.measurements import Measurements, NetworkRuns, ValuedGraph
from modeldocs.numeric.parity.regions import leaving_out, operands, returning, stacked
from modeldocs.numeric.parity.regions.candidates import Candidates
from modeldocs.numeric.parity.regions.effects import DecidedRegions, Effects, effects
from modeldocs.numeric.parity.regions.ends import ends
from modeldocs.numeric.parity.regions.exits import exits
from modeldocs.numeric.parity.regions.explaining import (
    ConstantDifference,
    Explaining,
    decided_without,
)
from modeldocs.numeric.parity.regions.free_weights import FreeWeights
from modeldocs.numeric.parity.regions.frontier import Frontiers
from modeldocs.numeric.parity.regions.leaving_out import LeftOut
from modeldocs.numeric.parity.regions.measuring import MeasuredRegion, RegionRuns
from modeldocs.numeric.parity.regions.row_orders import Placed, RowOrders
from modeldocs.numeric.parity.regions.search import RegionSearch, SearchState
from modeldocs.numeric.parity.regions.undoing import Undoing, Undone
from modeldocs.numeric.parity.transfer import Transfer

_SECONDS = 4.0
"""Time for trying regions of several groups; what is undecided then stays different."""
_Given = tuple[RegionSearch, list[int], Transfer, Mapping[str, np.ndarray]]
_SECONDS_AGAIN = 1.5
"""The same where it is done anew with a constant undone."""
_OTHER_SHAPE = "what it reads has another shape in B"


@dataclass(frozen=True)
class Decided:
    """By number of group: the difference of those that differ, and why others are not known.

    `settings` are those that make a group differ, where undoing them has shown it. `constants` are
    those that make regions differ, which are not among `differing`, with the largest difference,
    `left_out` layers of B without which they do not.
    """

    differing: Mapping[int, Difference]
    unknown: Mapping[int, str]
    effects: Effects
    returned: tuple[Returned, ...]
    settings: Mapping[int, tuple[str, ...]]
    constants: Mapping[ConstantDifference, Difference]
    left_out: Mapping[LeftOut, Difference]


@dataclass(frozen=True)
class Proposal:
    """What structure says of two networks: groups of layers and inputs that correspond, and B's
    weights, as expressions of A's.

    `sources` are the values of A's stored weights, `permuted` the layers of A whose features B has
    in another order.
    """

    diff: Diff
    groups: list[MatchedGroup]
    counterparts: Mapping[str, Ids]
    transferred: Transfer
    sources: Mapping[str, np.ndarray]
    permuted: Collection[str] = ()


class CutNetworks:
    """Both networks cut at the groups that correspond, and what was measured of them.

    `last` are the regions that end in an output, by number. `wholly` is whether what the networks
    return is the same in all, `returns_same` whether it is for B with some layers changed, and
    lowered.
    """

    def __init__(
        self,
        proposal: Proposal,
        measured: Measurements,
        runs: NetworkRuns,
        theirs: ValuedGraph,
        returned: tuple[Returned, ...],
        returns_same: Callable[[ir.Model], bool],
    ) -> None:
        self.proposal, self.measured, self.returned = proposal, measured, returned
        self.returns_same = returns_same
        groups, counterparts = proposal.groups, proposal.counterparts
        graphs = runs.graph, theirs.graph
        self.wholly = returning.are_same(self.returned) and not measured.substituted
        in_place = _in_place(proposal)
        self.last = ends(*graphs, self.returned, len(groups))
        self.frontiers = Frontiers(*graphs, groups, counterparts, in_place, self.last)
        of_groups = {**dict(enumerate(groups)), **self.last}
        every = list(exits(of_groups, inputs.batches(*graphs, counterparts)))
        by_itself = {} if measured.substituted else runs.computed
        self.runs = RegionRuns(runs.ours, runs.known, by_itself, theirs, self.frontiers, every)
        *first, final = list(measurements.batches(graphs[0], groups, in_place)) or [[]]
        self._batches = (*first, [*final, *self.last])
        self.alone = _alone(measured, self.frontiers)

    def state(
        self, runs: RegionRuns, changed: Collection[str] = (), seconds: float = _SECONDS
    ) -> SearchState:
        """The regions that differ, where some layers of B were changed.

        Regions of several groups are tried for so many seconds.
        """
        found: dict[int, MeasuredRegion] = {}
        for batch in self._batches:
            found |= runs.every(batch)
        for number in self.measured.substituted:  # A's values are none that it computes
            found[number] = MeasuredRegion(reason=self.measured.not_run.get(number, ""))
        groups = self.proposal.groups
        left = {n: one for n, one in self.alone.items() if set(changed).isdisjoint(groups[n].b.ids)}
        search = RegionSearch(runs, found, left, _SECONDS_AGAIN if changed else seconds)
        return SearchState(runs, search, search.differing())

    def is_apart_by_itself(self, number: int, search: RegionSearch) -> bool:
        """Whether a group that reads the same in both networks, and gives as many numbers, gives
        others.
        """
        is_compared = number in self.alone or not search.measured[number].unlike
        if not is_compared or not self.frontiers.region(number).closed:
            return False
        return number in self.last or _gives_as_much(self.proposal.groups[number])

    def error(self, number: int, search: RegionSearch) -> Difference:
        """The larger difference of a group."""
        measured = search.measured[number]
        own = Difference() if measured.unlike else measured.difference
        differences = [own, self.alone.get(number)]
        known = [one for one in differences if one is not None]
        return max(known, key=Difference.size, default=Difference())


def placed(cut: CutNetworks) -> Placed:
    """B's weights with which fewer regions differ: those that structure has no place for, and rows
    in another order.
    """
    state = cut.state(cut.runs, seconds=_SECONDS_AGAIN)
    stacks = stacked.found(state, cut.proposal.transferred, cut.proposal.sources)
    if stacks:
        return Placed(stacks)
    free = FreeWeights(*_given(cut, state)).found()
    if free:
        return Placed(free)
    found = RowOrders(*_given(cut, state)).found()
    return found if found.expressions else _placed_without_constants(cut, state)


def _placed_without_constants(cut: CutNetworks, state: SearchState) -> Placed:
    """Rows in another order where a table differs as well: found with B's table undone."""
    until = time.monotonic() + _SECONDS
    for candidate in Candidates().of(state, {}):
        if time.monotonic() > until or not state.differing:
            break
        changed = decided_without(state, candidate.undo, cut.state) if candidate.laws else None
        if changed is not None:
            found = RowOrders(*_given(cut, changed)).found()
            if found.expressions:
                return found
    return Placed()


def _given(cut: CutNetworks, state: SearchState) -> _Given:
    """What weights are looked for in."""
    of = cut.proposal
    return state.search, state.differing, of.transferred, of.sources


def decide(cut: CutNetworks) -> Decided:
    """Which regions of two networks differ, and by which settings, constants and operands."""
    first = cut.state(cut.runs)
    state, wholly, explained = first, cut.wholly, list[ConstantDifference]()
    layers = leaving_out.only_in_b(cut.proposal.diff)
    lacking = [] if wholly else leaving_out.from_network(first, layers, cut.returns_same)
    if not wholly and not lacking:
        state, lacking = leaving_out.from_regions(first, layers, cut.state)
        if not lacking:
            state, explained = Explaining(cut.state).of(first)
    elif lacking:
        state, wholly = dataclasses.replace(first, differing=[]), True
    errors = {number: cut.error(number, state.search) for number in state.differing}
    unknown = _unknown(cut, state.search, errors, wholly=wholly)
    settings_of: dict[int, Undone] = {}
    if wholly:  # layers that read or give other values were matched, and the networks are right
        errors = {
            n: error for n, error in errors.items() if cut.is_apart_by_itself(n, state.search)
        }
    else:
        settings_of = _settings(state, errors.keys() - cut.last.keys())
        for number in sorted(errors.keys() - settings_of.keys() - cut.last.keys()):
            if (one := operands.explained(state.runs, number)) is not None:
                explained.append(one)
                del errors[number]
    found_effects = effects(
        cut.proposal.diff,
        cut.frontiers,
        DecidedRegions(
            {number: settings_of.get(number) for number in errors},
            unknown,
            () if wholly else state.search.undecided,
            state.search.joined,
            [(one.pair, one.settings) for one in explained],
            {layer for one in lacking for layer in one.layers},
            returns_same=wholly,
        ),
    )

    def largest(numbers: tuple[int, ...]) -> Difference:
        return max((cut.error(number, first.search) for number in numbers), key=Difference.size)

    return Decided(
        {number: error for number, error in errors.items() if number not in cut.last},
        {number: reason for number, reason in unknown.items() if number not in cut.last},
        found_effects,
        cut.returned,
        {number: tuple(sorted(one.acting)) for number, one in settings_of.items()},
        {one: largest(one.numbers) for one in explained},
        {one: largest(one.numbers) for one in lacking if one.numbers[0] not in cut.last},
    )


def _settings(state: SearchState, differing: Collection[int]) -> dict[int, Undone]:
    """The settings that make groups differ, as undoing them shows."""
    undoing = Undoing(state.runs)
    return {
        number: settings
        for number in sorted(differing)
        if state.search.differs_on_activations(number)
        if (settings := undoing.of(number)) is not None
    }


def _unknown(
    cut: CutNetworks, search: RegionSearch, differing: Collection[int], *, wholly: bool
) -> dict[int, str]:
    """Why it is not known of groups whether they differ; `wholly` is whether all behind them is
    the same.
    """
    measured = cut.measured
    unknown = {
        number: measured.reasons.get(number) or measured.not_run.get(number) or one.reason
        for number, one in search.measured.items()
        if one.difference is None and number not in cut.alone and number not in differing
    }
    if not wholly:  # else what comes of it is equal
        unknown |= dict.fromkeys(search.undecided, _OTHER_SHAPE)
    return unknown


def _in_place(proposal: Proposal) -> list[int]:
    """Numbers of the groups that are at the same place in both networks, and whose values are in
    the same order: none is of a layer that was moved, whose values in A and B do not correspond.
    """
    moved = {
        name
        for change in proposal.diff.changes
        if change.kind == "moved"
        for ours, _ in change.pairs
        for name in ours
    }
    others = moved.union(proposal.permuted)
    return [n for n, group in enumerate(proposal.groups) if others.isdisjoint(group.a.ids)]


def _gives_as_much(group: MatchedGroup) -> bool:
    """Whether the outputs of a group have as many elements on both sides, where that is known."""
    pairs = [(group.a.outputs[i], group.b.outputs[j]) for i, j in group.output_pairs]
    shapes = [(values.shape(ours), values.shape(theirs)) for ours, theirs in pairs]
    return all(
        ours is None or theirs is None or math.prod(ours) == math.prod(theirs)
        for ours, theirs in shapes
    )


def _alone(measured: Measurements, frontiers: Frontiers) -> dict[int, Difference]:
    """The differences of groups on inputs drawn for them, where both sides read the same."""
    regions = {number: frontiers.region(number) for number in measured.alone}
    return {
        number: measured.alone[number]
        for number, region in regions.items()
        if region.closed and not any(region.inner)
    }
