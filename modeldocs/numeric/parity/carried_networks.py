"""Two networks with A's designed weights, carried over to B, and their runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import onnx_ir as ir

from modeldocs.diff import Diff, Direction, Returned
from modeldocs.diff.function.arrangement import KEPT
from modeldocs.errors import ModeldocsError
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.parity import (
    direction_report,
    inputs,
    measurements,
    scales,
    stored_order,
    weight_init,
)
from modeldocs.numeric.parity.affine import Expressions
from modeldocs.numeric.parity.input_marks import replaced
from modeldocs.numeric.parity.layer_changes import LayerChanges
from modeldocs.numeric.parity.matched_group import MatchedGroup, matched_groups, merged
from modeldocs.numeric.parity.measurements import Arrays, Measurements, NetworkRuns, ValuedGraph
from modeldocs.numeric.parity.programs import Programs
from modeldocs.numeric.parity.regions import decision, returning
from modeldocs.numeric.parity.regions.decision import CutNetworks, Proposal
from modeldocs.numeric.parity.regions.row_orders import Placed
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.transfer import transfer
from modeldocs.numeric.parity.weight_init import SeededRandom, WeightInitializer


def groups_of(a: RunnableGraph, b: RunnableGraph, diff: Diff) -> list[MatchedGroup]:
    """The matched groups.

    Raises:
        ModeldocsError: there are layers, none correspond, and other weights are stored.
    """
    groups = matched_groups(a, b, diff)
    if not groups and (a.layers or b.layers) and not stored_order.weights(a, b):
        raise ModeldocsError("no layers of the two correspond")
    return groups


class CarriedNetworks:
    """Two networks with A's designed weights, carried over to B.

    With `usual`, values are of usual size, at which the epsilon of a norm hardly matters. `found`
    are the weights that structure has no place for, which running has found; more are added to it.
    Integer inputs have none of the integers `without`.
    """

    def __init__(
        self,
        ours: Programs,
        theirs: Programs,
        diff: Diff,
        found: Placed | None = None,
        *,
        usual: bool = False,
        without: frozenset[int] = frozenset(),
    ) -> None:
        a, b = ours.graph, theirs.graph
        self.ours, self.theirs, self.diff = ours, theirs, diff
        self.counterparts = inputs.counterpart(a, b, diff)
        self.random = SeededRandom()
        self.usual, self.without = usual, without
        targets = scales.target_scales(a, usual=usual)
        self.initializer = WeightInitializer(a, self.random, targets, usual)
        self.weights = self.initializer.initialize()
        groups = groups_of(a, b, diff)
        self.transferred = transfer(a, b, groups)
        self.groups = merged(a, b, groups, self.transferred.merged, diff)
        self.found = Placed() if found is None else found
        self.place(self.found)

    def place(self, placed: Placed) -> None:
        """Give B the weights that running has shown to be right."""
        self.found.add(placed)
        self.transferred.set(placed.expressions)
        self.weights_b = self.transferred.values(self.weights, self.random)

    def place_free(self, weights: Expressions) -> bool:
        """Give B those of some weights that nothing of A gives, or only a constant.

        Returns:
            Whether there were any.
        """
        known = self.transferred.expressions
        free = {
            name: one
            for name, one in weights.items()
            if name not in known or known[name].constant is not None
        }
        self.place(Placed(free))
        return bool(free)

    def run(self, *, opposite: bool = False) -> CarriedRun:
        """Run both on inputs drawn for A, or on those opposite to them."""
        graphs = self.ours.graph, self.theirs.graph
        every = weight_init.random_inputs(graphs[0], self.random, opposite=opposite)
        drawn = {name: replaced(array, self.without) for name, array in every.items()}
        arranged = {one for group in self.groups if group.order != KEPT for one in group.a.ids}
        given = inputs.converted(*graphs, drawn, self.counterparts, arranged, self.random)
        first = ValuedGraph(self.ours, self.weights, drawn, self.initializer.scales, self.usual)
        second = ValuedGraph(self.theirs, self.weights_b, given)
        measured = Measurements()
        runs = measurements.run_networks(first, second, self.groups, self.random, measured)
        return CarriedRun(self, first, second, measured, runs)


@dataclass(frozen=True)
class CarriedRun:
    """One run of both networks, each on its own activations."""

    networks: CarriedNetworks
    first: ValuedGraph
    second: ValuedGraph
    measured: Measurements
    runs: NetworkRuns

    @cached_property
    def returned(self) -> tuple[Returned, ...]:
        """What both networks return."""
        return self._returned(self.runs.returned)

    def _returned(self, values: tuple[Arrays, Arrays]) -> tuple[Returned, ...]:
        of = self.networks
        graphs = of.ours.graph, of.theirs.graph
        return returning.returned(graphs, values, of.diff, of.counterparts)

    def _returns_same(self, changed: ir.Model) -> bool:
        """Whether B with some layers changed, and lowered, returns what A does."""
        names = [str(value.name) for value in changed.graph.outputs]
        try:
            found = runtime.run(changed, self.second.weights | self.second.inputs, names)
        except ModeldocsError:  # what reads a layer that is gone may not be able to run
            return False
        return returning.are_same(self._returned((self.runs.returned[0], found)))

    def direction(self) -> Direction:
        """Which regions differ, by which settings and constants, and by which changes."""
        of, found = self.networks, decision.decide(self._cut())
        attribution = LayerChanges(of.ours.graph, of.theirs.graph, of.diff)
        return direction_report.direction(
            attribution, of.groups, self.measured, of.transferred, found
        )

    def placed(self) -> Placed:
        """Weights of B with which more regions are equal than with those that it was given."""
        return decision.placed(self._cut())

    def _cut(self) -> CutNetworks:
        of = self.networks
        measurements.run_alone(
            self.first, self.second, of.groups, self.runs.integers, of.random, self.measured
        )
        proposal = Proposal(
            of.diff,
            of.groups,
            of.counterparts,
            of.transferred,
            of.transferred.sources_of(of.weights),
            of.found.permuted,
        )
        return CutNetworks(
            proposal, self.measured, self.runs, self.second, self.returned, self._returns_same
        )
