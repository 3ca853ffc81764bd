"""The parity of two networks, computed in this process."""

from __future__ import annotations

from typing import Final

import msgspec

from modeldocs.diff import (
    Diff,
    Direction,
    Divergence,
    Ids,
    Pair,
    Parity,
    Uncompared,
    Weights,
)
from modeldocs.errors import ModeldocsError
from modeldocs.numerics.closeness import Difference
from modeldocs.parity import (
    inputs,
    measurements,
    mirroring,
    scales,
    weight_init,
    weight_report,
)
from modeldocs.parity.attribution import Attribution
from modeldocs.parity.matched_group import MatchedGroup, matched_groups, merged
from modeldocs.parity.measurements import Measurements, Network
from modeldocs.parity.programs import Programs
from modeldocs.parity.regions import decision as regions
from modeldocs.parity.regions.decision import Decided, Proposal
from modeldocs.parity.regions.row_orders import Placed
from modeldocs.parity.runnable_graph import RunnableGraph
from modeldocs.parity.transfer import Transfer, transfer
from modeldocs.parity.weight_init import SeededRandom, WeightInitializer


def compare_networks(ours: Programs, theirs: Programs, diff: Diff) -> Parity:
    """Run both networks with A's designed weights, then with B's.

    `diff` is that of their graphs. Nothing is isolated here: `modeldocs.parity.compare` does that.

    Raises:
        ModeldocsError: no layers correspond, or onnxruntime cannot run a network at all.
    """
    return Parity(
        a_to_b=_direction(ours, theirs, diff),
        b_to_a=mirroring.direction(_direction(theirs, ours, mirroring.diff(diff))),
    )


def weight_map(a: RunnableGraph, b: RunnableGraph, diff: Diff) -> Weights:
    """How B's weights are computed from A's, without running either.

    Raises:
        ModeldocsError: no layers correspond.
    """
    return weight_report.report(transfer(a, b, _groups(a, b, diff)))


def _groups(a: RunnableGraph, b: RunnableGraph, diff: Diff) -> list[MatchedGroup]:
    """The matched groups; it is an error where there are layers and none correspond."""
    groups = matched_groups(a, b, diff)
    if not groups and (a.layers or b.layers):
        raise ModeldocsError("no layers of the two correspond")
    return groups


def _direction(ours: Programs, theirs: Programs, diff: Diff) -> Direction:
    """Both networks with A's designed weights.

    What is equal on some inputs is run on others, where these may take other ways: another branch,
    the rows that a mask left out.
    """
    carried = _Carried(ours, theirs, diff)
    found = carried.run(final=False)
    if _differs(found):
        found, carried = _at_usual_scale(ours, theirs, diff, found)
    again = found.returns == "same" and weight_init.has_opposite(ours.graph)
    if not again:
        return found
    other = carried.run(opposite=True)
    return other if other.returns != "same" or other.divergences else found


EPSILON: Final = "epsilon"
"""The attribute of a norm that is added to what it divides by."""


def _differs(found: Direction) -> bool:
    return bool(found.divergences) or found.returns not in ("same", "part", "form")


def _at_usual_scale(
    ours: Programs, theirs: Programs, diff: Diff, sharp: Direction
) -> tuple[Direction, _Carried]:
    """Two networks that differ on values as small as epsilons, on those of usual size.

    Where they are equal on these, nothing but an epsilon differs. Else what was found on the way of
    the weights is used on the small ones, too, where more is seen.
    """
    usual = _Carried(ours, theirs, diff, usual=True)
    found = usual.run(final=False)
    while usual.placed.expressions:
        usual.place(usual.placed)
        found = usual.run(final=False)
    if not _differs(found):
        numbers = (n for n in sharp.acting if diff.changes[n - 1].attribute == EPSILON)
        return msgspec.structs.replace(found, only_small=True, small=tuple(numbers)), usual
    carried = _Carried(ours, theirs, diff)
    carried.place(usual.found)
    return carried.run(), carried


class _Carried:
    """Two networks with A's designed weights, carried over to B.

    With `usual`, values are of usual size, at which the epsilon of a norm hardly matters. `found`
    are the weights that structure has no place for, which running has found so far.
    """

    def __init__(
        self, ours: Programs, theirs: Programs, diff: Diff, *, usual: bool = False
    ) -> None:
        a, b = ours.graph, theirs.graph
        self.ours, self.theirs, self.diff = ours, theirs, diff
        self.counterparts = inputs.counterpart(a, b, diff)
        self.random = SeededRandom()
        self.usual = usual
        targets = scales.target_scales(a, usual=usual)
        self.initializer = WeightInitializer(a, self.random, targets, usual)
        self.weights = self.initializer.initialize()
        groups = _groups(a, b, diff)
        self.transferred = transfer(a, b, groups)
        self.groups = merged(a, b, groups, self.transferred.merged, diff)
        self.weights_b = self.transferred.values(self.weights, self.random)
        self.placed, self.found = Placed(), Placed()

    def place(self, placed: Placed) -> None:
        """Give B the weights that running has shown to be right."""
        self.found.expressions |= placed.expressions
        self.found.permuted |= placed.permuted
        self.transferred.set(placed.expressions)
        self.weights_b = self.transferred.values(self.weights, self.random)

    def run(self, *, opposite: bool = False, final: bool = True) -> Direction:
        """What both compute of inputs drawn for A, or of those opposite to them.

        Without `final` it is only found what differs, not by which settings and constants, and
        which weights make it equal.
        """
        graphs, groups = (self.ours.graph, self.theirs.graph), self.groups
        drawn = weight_init.random_inputs(graphs[0], self.random, opposite=opposite)
        given = inputs.converted(*graphs, drawn, self.counterparts, self.random)
        first = Network(self.ours, self.weights, drawn, self.initializer.scales, self.usual)
        second = Network(self.theirs, self.weights_b, given)
        measured = Measurements()
        runs = measurements.run_networks(first, second, groups, self.random, measured)
        measurements.run_alone(first, second, groups, runs.integers, self.random, measured)
        found = regions.decide(
            Proposal(
                self.diff,
                groups,
                self.counterparts,
                self.transferred,
                self.transferred.sources_of(self.weights),
                self.found.permuted,
            ),
            measured,
            runs,
            second,
            explains=final,
            places=self.usual and not final,
        )
        self.placed = found.placed
        attribution = Attribution(*graphs, self.diff)
        return _report(attribution, groups, measured, self.transferred, found)


def _report(
    attribution: Attribution,
    groups: list[MatchedGroup],
    measured: Measurements,
    transferred: Transfer,
    found: Decided,
) -> Direction:
    """A direction's result, from what was measured."""
    a, b = transferred.a, transferred.b
    divergences = tuple(
        Divergence(
            pair=groups[number].pair,
            error=error,
            change=attribution.change_number(groups[number].pair, found.effects.acting),
            settings=found.settings.get(number, ()),
            operators=(_operators(a, groups[number].a.ids), _operators(b, groups[number].b.ids)),
            names=(_named(a, groups[number].a.ids), _named(b, groups[number].b.ids)),
        )
        for number, error in found.differing.items()
    )
    divergences += tuple(
        Divergence(
            pair=one.pair,
            error=error,
            change=attribution.of_constant(one.pair, one.settings),
            settings=one.settings,
            operators=(_distinct(a, one.pair[0]), _distinct(b, one.pair[1])),
            names=(_named(a, one.pair[0]), _named(b, one.pair[1])),
            laws=one.laws,
        )
        for one, error in found.constants.items()
    )
    divergences = tuple(
        sorted(divergences, key=lambda one: min(a.positions[name] for name in one.pair[0]))
    )
    end, outputs = _end(a, b, groups, measured)
    known = [one.error for one in found.returned if one.error.relative is not None]
    if known and len(known) == len(found.returned):
        outputs = max(known, key=Difference.size)
    elif outputs is None and any(one.relation == "shape" for one in found.returned):
        outputs = Difference()
    return Direction(
        outputs=outputs,
        end=end,
        first=divergences[0] if divergences else None,
        divergences=divergences,
        compared=len(groups) - len(found.unknown),
        uncompared=tuple(
            Uncompared(pair=groups[number].pair, reason=reason)
            for number, reason in found.unknown.items()
        ),
        weights=weight_report.report(transferred),
        returned=found.returned,
        acting=found.effects.acting,
        idle=found.effects.idle,
        ending=found.effects.ending,
    )


def _operators(graph: RunnableGraph, ids: Ids) -> str:
    """`Conv + BatchNormalization`."""
    return " + ".join(graph.layers[name].operator for name in ids)


def _distinct(graph: RunnableGraph, ids: Ids) -> str:
    """The operators of layers, each once."""
    return " + ".join(dict.fromkeys(graph.layers[name].operator for name in ids))


def _named(graph: RunnableGraph, ids: Ids) -> str:
    """The names of layers, joined."""
    return " + ".join(graph.layers[name].name or name for name in ids)


def _end(
    a: RunnableGraph, b: RunnableGraph, groups: list[MatchedGroup], measured: Measurements
) -> tuple[Pair | None, Difference | None]:
    """The last layers of both networks that correspond, and how far their outputs are apart.

    Where the networks' outputs are not of layers that correspond, the last group that ran is taken:
    one port may end in a softmax that the other lacks.
    """
    ends = set(a.output_layers.values()), set(b.output_layers.values())
    ran = [i for i in range(len(groups)) if i in measured.network]
    last = [i for i in ran if ends[0] & set(groups[i].a.ids) and ends[1] & set(groups[i].b.ids)]
    if not ran:
        return None, None
    chosen = max(last or ran[-1:], key=lambda i: (measured.network[i].size(), i))
    return groups[chosen].pair, measured.network[chosen]
