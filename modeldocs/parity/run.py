"""The parity of two networks, computed in this process."""

from __future__ import annotations

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
from modeldocs.parity.regions.decision import Decided
from modeldocs.parity.runnable_graph import RunnableGraph
from modeldocs.parity.transfer import Transfer, transfer
from modeldocs.parity.weight_init import SeededRandom, WeightInitializer

Arrays = weight_init.Arrays


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
    found = _drawn(ours, theirs, diff, opposite=False)
    again = found.returns == "same" and weight_init.has_opposite(ours.graph)
    if not again:
        return found
    other = _drawn(ours, theirs, diff, opposite=True)
    return other if other.returns != "same" or other.divergences else found


def _drawn(ours: Programs, theirs: Programs, diff: Diff, *, opposite: bool) -> Direction:
    """Both networks on inputs drawn for A, or on those opposite to them."""
    a, b = ours.graph, theirs.graph
    groups = _groups(a, b, diff)
    counterparts = inputs.counterpart(a, b, diff)
    random = SeededRandom()
    initializer = WeightInitializer(a, random, scales.target_scales(a))
    weights = initializer.initialize()
    transferred = transfer(a, b, groups)
    groups = merged(a, b, groups, transferred.merged, diff)
    drawn = weight_init.random_inputs(a, random, opposite=opposite)
    first = Network(ours, weights, drawn, initializer.scales)
    given = inputs.converted(a, b, drawn, counterparts, random)
    second = Network(theirs, transferred.values(weights, random), given)
    measured = Measurements()
    runs = measurements.run_networks(first, second, groups, random, measured)
    measurements.run_alone(first, second, groups, runs.integers, random, measured)
    found = regions.decide(diff, groups, measured, runs, second, counterparts)
    return _report(Attribution(a, b, diff), groups, measured, transferred, found)


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
    end, outputs = _end(a, b, groups, measured)
    if found.returned and all(one.error.relative is not None for one in found.returned):
        outputs = max((one.error for one in found.returned), key=Difference.size)
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
