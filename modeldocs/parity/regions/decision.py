"""What running decides of two networks: regions that differ, what is returned, changes that act."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from modeldocs.diff import EQUAL, Change, Diff, Ids, Returned
from modeldocs.diff.changes.layouts import LAYOUT
from modeldocs.numerics.closeness import Difference
from modeldocs.parity import inputs, measurements
from modeldocs.parity.edge_path import path_to
from modeldocs.parity.matched_group import MatchedGroup
from modeldocs.parity.measurements import Measurements, Network, NetworkRuns
from modeldocs.parity.regions import operands, outputs
from modeldocs.parity.regions.effects import Effects, effects
from modeldocs.parity.regions.ends import ends
from modeldocs.parity.regions.exits import exits
from modeldocs.parity.regions.explaining import Explained, Explaining
from modeldocs.parity.regions.free_weights import FreeWeights
from modeldocs.parity.regions.frontier import Frontiers
from modeldocs.parity.regions.measuring import Measured, RegionRuns
from modeldocs.parity.regions.outputs import Form
from modeldocs.parity.regions.row_orders import Placed, RowOrders
from modeldocs.parity.regions.search import RegionSearch, State
from modeldocs.parity.regions.undoing import Undoing
from modeldocs.parity.runnable_graph import RunnableGraph
from modeldocs.parity.transfer import Transfer

_SECONDS = 4.0
"""Time for trying regions of several groups; what is undecided then stays different."""
_SECONDS_AGAIN = 1.5
"""The same where it is done anew with a constant undone."""
_OTHER_SHAPE = "what it reads has another shape in B"


@dataclass(frozen=True)
class Decided:
    """By number of group: the difference of those that differ, and why others are not known.

    `settings` are those that make a group differ, where undoing them has shown it. `constants` are
    those that make regions differ, which are not among `differing`, with the largest difference.
    """

    differing: Mapping[int, Difference]
    unknown: Mapping[int, str]
    effects: Effects
    returned: tuple[Returned, ...]
    settings: Mapping[int, tuple[str, ...]]
    constants: Mapping[Explained, Difference]
    placed: Placed
    """Weights with which more groups are equal than with those that were given."""


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


def decide(
    proposal: Proposal,
    measured: Measurements,
    runs: NetworkRuns,
    theirs: Network,
    *,
    explains: bool,
    places: bool,
) -> Decided:
    """Cut both networks at the groups, measure every region, and hold the outputs together.

    With `explains`, settings and constants of regions that differ are undone; with `places`,
    weights are looked for with which they are equal.
    """
    diff, groups, counterparts = proposal.diff, proposal.groups, proposal.counterparts
    graphs = runs.graph, theirs.graph
    batches = inputs.batches(*graphs, counterparts)
    form = Form(batches, any(map(_permutes_input, diff.changes)))
    returned = _returned(runs, theirs, counterparts, form)
    in_place = _in_place(proposal)
    last = ends(*graphs, returned, len(groups))
    frontiers = Frontiers(*graphs, groups, counterparts, in_place, last)
    every = list(exits({**dict(enumerate(groups)), **last}, batches))
    by_itself = {} if measured.substituted else runs.computed
    region_runs = RegionRuns(runs.ours, runs.known, by_itself, theirs, frontiers, every)
    *first, final = list(measurements.batches(graphs[0], groups, in_place)) or [[]]
    batched = (*first, [*final, *last])
    alone = _alone(measured, frontiers)

    def decided(region_runs: RegionRuns, changed: Collection[str] = ()) -> State:
        found: dict[int, Measured] = {}
        for batch in batched:
            found |= region_runs.every(batch)
        for number in measured.substituted:  # A's values are none that it computes
            found[number] = Measured(reason=measured.not_run.get(number, ""))
        left = {n: one for n, one in alone.items() if set(changed).isdisjoint(groups[n].b.ids)}
        seconds = _SECONDS_AGAIN if changed else _SECONDS
        search = RegionSearch(region_runs, found, left, seconds)
        return State(region_runs, search, search.differing())

    same = all(one.relation in EQUAL for one in returned)
    wholly = same and bool(returned) and not measured.substituted
    first_state = decided(region_runs)
    placed = _placed(proposal, first_state) if places and not same else Placed()
    explains = explains and not wholly
    state, explained = Explaining(decided).of(first_state) if explains else (first_state, [])
    region_runs, search = state.runs, state.search
    errors = {number: _error(number, search, alone) for number in state.differing}
    unknown = {
        number: measured.reasons.get(number) or measured.not_run.get(number) or one.reason
        for number, one in search.measured.items()
        if one.difference is None and number not in alone and number not in errors
    }
    if not wholly:  # else what comes of it is equal
        unknown |= dict.fromkeys(search.undecided, _OTHER_SHAPE)
    undoing = Undoing(region_runs)
    settings_of = {
        number: settings
        for number in errors
        if explains and number not in last and search.differs_on_activations(number)
        if (settings := undoing.of(number)) is not None
    }
    for number in () if wholly else sorted(errors.keys() - settings_of.keys() - last.keys()):
        one = operands.explained(region_runs, number)
        if one is not None:
            explained.append(one)
            del errors[number]
    if wholly:  # layers that read other values were matched, and the networks are right
        errors = {n: error for n, error in errors.items() if frontiers.region(n).closed}
    found_effects = effects(
        diff,
        frontiers,
        {number: settings_of.get(number) for number in errors},
        unknown,
        search.joined,
        [(one.pair, one.settings) for one in explained],
        returns_same=wholly,
    )
    constants = {
        one: max((_error(n, first_state.search, alone) for n in one.numbers), key=Difference.size)
        for one in explained
    }
    return Decided(
        {number: error for number, error in errors.items() if number not in last},
        {number: reason for number, reason in unknown.items() if number not in last},
        found_effects,
        returned,
        {number: tuple(sorted(one.acting)) for number, one in settings_of.items()},
        constants,
        placed,
    )


def _placed(proposal: Proposal, state: State) -> Placed:
    """B's weights with which fewer regions differ: those that structure has no place for, and rows
    in another order.
    """
    given = state.search, state.differing, proposal.transferred, proposal.sources
    free = FreeWeights(*given).found()
    return Placed(free) if free else RowOrders(*given).found()


def _returned(
    runs: NetworkRuns, theirs: Network, counterparts: Mapping[str, Ids], form: Form
) -> tuple[Returned, ...]:
    """What both networks return."""
    graphs = runs.graph, theirs.graph
    ours, its = ([str(value.name) for value in graph.model.graph.outputs] for graph in graphs)
    layers = [_layers_of_outputs(graph) for graph in graphs]

    def alike(a: str, b: str) -> bool:
        layer, other = layers[0][a], layers[1][b]
        return other in counterparts.get(layer, ()) or layer == other == ""

    return outputs.compare((ours, its), *runs.returned, form, alike)


def _permutes_input(change: Change) -> bool:
    """Whether an input has its channels in another place in B."""
    return change.attribute == LAYOUT and change.operator == "input"


def _layers_of_outputs(graph: RunnableGraph) -> dict[str, str]:
    """The layer that computes each output, by the output's name; empty where none does."""
    roots = {str(v.name): str(path_to(v).root.name) for v in graph.model.graph.outputs}
    return {name: graph.output_layers.get(root, "") for name, root in roots.items()}


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


def _alone(measured: Measurements, frontiers: Frontiers) -> dict[int, Difference]:
    """The differences of groups on inputs drawn for them, where both sides read the same."""
    regions = {number: frontiers.region(number) for number in measured.alone}
    return {
        number: measured.alone[number]
        for number, region in regions.items()
        if region.closed and not any(region.inner)
    }


def _error(number: int, search: RegionSearch, alone: Mapping[int, Difference]) -> Difference:
    """The larger difference of a group."""
    differences = [search.measured[number].difference, alone.get(number)]
    known = [one for one in differences if one is not None]
    return max(known, key=Difference.size)
