"""The parity of two networks, computed in this process."""

from __future__ import annotations

import msgspec

from modeldocs.diff import (
    Diff,
    Direction,
    Divergence,
    Ids,
    Match,
    Pair,
    Parity,
    Returned,
    Uncompared,
    Weights,
)
from modeldocs.diff.function.arrangement import Arrangement
from modeldocs.errors import ModeldocsError
from modeldocs.numerics.closeness import Difference
from modeldocs.parity import layout, measurements, scales, weight_init, weight_report
from modeldocs.parity.attribution import Attribution
from modeldocs.parity.edge_path import EdgePath
from modeldocs.parity.matched_group import MatchedGroup, matched_groups, merged
from modeldocs.parity.measurements import Measurements, Network
from modeldocs.parity.programs import Programs
from modeldocs.parity.regions import decision as regions
from modeldocs.parity.regions.decision import Decided
from modeldocs.parity.runnable_graph import Edge, RunnableGraph
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
        b_to_a=_mirrored_direction(_direction(theirs, ours, mirrored(diff))),
    )


def weight_map(a: RunnableGraph, b: RunnableGraph, diff: Diff) -> Weights:
    """How B's weights are computed from A's, without running either.

    Raises:
        ModeldocsError: no layers correspond.
    """
    return weight_report.report(transfer(a, b, _groups(a, b, diff)))


def mirrored(diff: Diff) -> Diff:
    """The matches and changes of a diff with A and B exchanged."""
    replace = msgspec.structs.replace
    return replace(
        diff,
        a=diff.b,
        b=diff.a,
        matches=tuple(_mirrored(match) for match in diff.matches),
        changes=tuple(
            replace(change, pairs=tuple((b, a) for a, b in change.pairs)) for change in diff.changes
        ),
    )


def _mirrored(match: Match) -> Match:
    order = Arrangement(match.sizes, match.order).inverse()
    return msgspec.structs.replace(
        match, a=match.b, b=match.a, sizes=order.sizes, order=order.order
    )


def _groups(a: RunnableGraph, b: RunnableGraph, diff: Diff) -> list[MatchedGroup]:
    """The matched groups; it is an error where there are none."""
    groups = matched_groups(a, b, diff)
    if not groups:
        raise ModeldocsError("no layers of the two correspond")
    return groups


def _direction(ours: Programs, theirs: Programs, diff: Diff) -> Direction:
    """Both networks with A's designed weights."""
    a, b = ours.graph, theirs.graph
    groups = _groups(a, b, diff)
    random = SeededRandom()
    initializer = WeightInitializer(a, random, scales.target_scales(a))
    weights = initializer.initialize()
    transferred = transfer(a, b, groups)
    groups = merged(a, b, groups, transferred.merged, diff)
    inputs = weight_init.random_inputs(a, random)
    first = Network(ours, weights, inputs, initializer.scales)
    second = Network(
        theirs, transferred.values(weights, random), converted_inputs(a, b, inputs, diff, random)
    )
    measured = Measurements()
    runs = measurements.run_networks(first, second, groups, random, measured)
    measurements.run_alone(first, second, groups, runs.integers, random, measured)
    found = regions.decide(diff, groups, measured, runs, second)
    return _report(Attribution(a, b, diff), groups, measured, transferred, found)


def _mirrored_direction(direction: Direction) -> Direction:
    """A direction that was computed with A and B exchanged, with A first again."""
    first, end = direction.first, direction.end
    return msgspec.structs.replace(
        direction,
        end=(end[1], end[0]) if end else None,
        first=_mirrored_divergence(first) if first else None,
        divergences=tuple(map(_mirrored_divergence, direction.divergences)),
        returned=tuple(map(_mirrored_output, direction.returned)),
        uncompared=tuple(
            Uncompared(pair=(item.pair[1], item.pair[0]), reason=item.reason)
            for item in direction.uncompared
        ),
        weights=msgspec.structs.replace(
            direction.weights,
            mapped=tuple(
                msgspec.structs.replace(item, pair=(item.pair[1], item.pair[0]))
                for item in direction.weights.mapped
            ),
        ),
    )


def _mirrored_divergence(divergence: Divergence) -> Divergence:
    return msgspec.structs.replace(
        divergence,
        pair=(divergence.pair[1], divergence.pair[0]),
        operators=divergence.operators[::-1],
        names=divergence.names[::-1],
    )


def _mirrored_output(one: Returned) -> Returned:
    replace = msgspec.structs.replace
    mirror = {"places": one.places[::-1], "shapes": one.shapes[::-1], "types": one.types[::-1]}
    return replace(one, a=one.b, b=one.a, **mirror)


def converted_inputs(
    a: RunnableGraph, b: RunnableGraph, inputs: Arrays, diff: Diff, random: SeededRandom
) -> Arrays:
    """A's inputs by the names of B's, in B's layout and type.

    Inputs without a counterpart in A, or of which A's cannot be converted, are random.
    """
    converted = weight_init.random_inputs(b, random)
    counterpart = diff.counterpart()
    for name, value in a.inputs.items():
        for other in counterpart.get(name, ()):
            if other in b.inputs:
                array = inputs[str(value.name)]
                paths = _reader_paths(a, b, name, other, counterpart)
                array_b = layout.convert(array, *paths) if paths[0] else None
                name_b = str(b.inputs[other].name)
                array_b = layout.fit(array, converted[name_b].shape) if array_b is None else array_b
                if array_b is not None and array_b.shape == converted[name_b].shape:
                    converted[name_b] = array_b.astype(converted[name_b].dtype)
    return converted


def _reader_paths(
    a: RunnableGraph,
    b: RunnableGraph,
    ours: str,
    theirs: str,
    counterpart: dict[str, tuple[str, ...]],
) -> tuple[list[EdgePath], list[EdgePath]]:
    """The paths from an input to layers that correspond, in A and in B."""
    paths: tuple[list[EdgePath], list[EdgePath]] = ([], [])
    others: list[Edge] = b.readers.get(str(b.inputs[theirs].name), [])
    for edge in a.readers.get(str(a.inputs[ours].name), []):
        same = [edge_b for edge_b in others if edge_b.layer in counterpart.get(edge.layer, ())]
        if same:
            paths[0].append(edge.path)
            paths[1].append(same[0].path)
    return paths


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
            operators=(_operators(a, groups[number].a.ids), _operators(b, groups[number].b.ids)),
            names=(_named(a, groups[number].a.ids), _named(b, groups[number].b.ids)),
        )
        for number, error in found.differing.items()
    )
    end, outputs = _end(a, b, groups, measured)
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
