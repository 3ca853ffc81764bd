"""The report of a direction: what running A's weights in both networks has shown."""

from __future__ import annotations

import msgspec

from modeldocs.diff import Direction, Divergence, Ids, Pair, Partly, Uncompared
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.numeric.parity import weight_report
from modeldocs.numeric.parity.layer_changes import LayerChanges
from modeldocs.numeric.parity.matched_group import MatchedGroup
from modeldocs.numeric.parity.measurements import Measurements
from modeldocs.numeric.parity.regions.decision import Decided
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.transfer import Transfer


def direction(
    attribution: LayerChanges,
    groups: list[MatchedGroup],
    measured: Measurements,
    transferred: Transfer,
    found: Decided,
) -> Direction:
    """A direction's result, from what was measured."""
    a, b = transferred.a, transferred.b
    acting = found.effects.acting

    def divergence(pair: Pair, error: Difference, change: int | None) -> Divergence:
        return Divergence(
            pair=pair,
            error=error,
            change=change,
            operators=(_operators(a, pair[0]), _operators(b, pair[1])),
            names=(_named(a, pair[0]), _named(b, pair[1])),
        )

    divergences = tuple(
        msgspec.structs.replace(
            divergence(groups[n].pair, error, attribution.change_number(groups[n].pair, acting)),
            settings=found.settings.get(n, ()),
        )
        for n, error in found.differing.items()
    )
    divergences += tuple(
        msgspec.structs.replace(
            divergence(one.pair, error, attribution.of_constant(one.pair, one.settings)),
            settings=one.settings,
            operators=(_distinct(a, one.pair[0]), _distinct(b, one.pair[1])),
            laws=one.laws,
        )
        for one, error in found.constants.items()
    )
    lacking = {one: attribution.of_layers(one.layers) for one in found.left_out}
    divergences += tuple(
        divergence(groups[one.numbers[0]].pair, error, next(iter(lacking[one]), None))
        for one, error in found.left_out.items()
    )
    divergences = tuple(
        sorted(divergences, key=lambda one: min(a.positions[name] for name in one.pair[0]))
    )
    end, outputs = _end(a, b, groups, measured)
    both = [one.error for one in found.returned if one.relation != "missing"]
    known = [error for error in both if error.relative is not None]
    ends_apart = not set(acting).isdisjoint(found.effects.ending)
    if known and len(known) == len(both) and not ends_apart:
        outputs = max(known, key=Difference.size)
    elif outputs is None and any(one.relation == "shape" for one in found.returned):
        outputs = Difference()
    if outputs is not None and outputs.shows_nothing:
        outputs = None
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
        acting=acting,
        lacking=tuple(sorted({number for numbers in lacking.values() for number in numbers})),
        idle=found.effects.idle,
        ending=found.effects.ending,
        clusters=found.effects.clusters,
        undecided=found.effects.undecided,
        partly=tuple(
            Partly(
                change=number,
                pairs=pairs,
                names=tuple((_named(a, pair[0]), _named(b, pair[1])) for pair in pairs),
            )
            for number, pairs in found.effects.partly.items()
        ),
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
