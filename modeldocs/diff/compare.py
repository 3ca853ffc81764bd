"""Two layer graphs in, a `Diff` out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from modeldocs.diff.align import align
from modeldocs.diff.changes import BypassedPairs, findings, pair_bypassed
from modeldocs.diff.compress import compressed, verdict
from modeldocs.diff.diff import CONSEQUENCES, KINDS, Change, Diff, Match, Totals
from modeldocs.diff.pairing import Pairing
from modeldocs.diff.sides import side
from modeldocs.graph import GraphInput, LayerGraph


def compare(a: LayerGraph, b: LayerGraph) -> Diff:
    """Align two graphs by structure and tell what changed from A to B.

    Names have no part in it. The same graphs give the same bytes; swapped ones the mirror image.

    Raises:
        ModeldocsError: a graph is not one: an id is there twice, an operand reads an id that is
            not there, or layers read each other in a circle.
    """
    pairing = align(side(a), side(b))
    bypassed = pair_bypassed(pairing)
    changes = compressed(findings(pairing, bypassed), (_places(a), _places(b)))
    return Diff(
        verdict=verdict(changes),
        a=_totals(a),
        b=_totals(b),
        matches=tuple(_matches(pairing, bypassed)),
        changes=changes,
        unchanged=_unchanged(pairing, bypassed, changes),
        consequences=_counts((change.consequence for change in changes), CONSEQUENCES),
        kinds=_counts((change.kind for change in changes), KINDS),
    )


def _totals(graph: LayerGraph) -> Totals:
    return Totals(
        name=graph.name,
        layers=len(graph.layers),
        parameters=graph.parameter_count(),
        buffers=graph.parameter_count(trainable=False),
        macs=graph.macs(),
    )


def _places(graph: LayerGraph) -> dict[str, int]:
    ids = [*(entry.id for entry in graph.inputs), *(layer.id for layer in graph.layers)]
    return {name: number for number, name in enumerate(ids)}


def _matches(pairing: Pairing, bypassed: BypassedPairs) -> list[Match]:
    """In the order of A's layers, inputs first."""
    found = [
        Match(
            a=(pairing.a.nodes[i].id,),
            b=(pairing.b.nodes[j].id,),
            reason=pairing.reason(i),
            confidence=pairing.why[i][1],
        )
        for i, j in pairing.pairs()
    ]
    reason = "computes nothing, and reads the same"
    found += [
        Match(a=(x.layer.id,), b=(y.layer.id,), reason=reason, confidence=0.9) for x, y in bypassed
    ]
    place = _places(pairing.a.graph)
    return sorted(found, key=lambda match: place[match.a[0]])


def _unchanged(pairing: Pairing, bypassed: BypassedPairs, changes: tuple[Change, ...]) -> int:
    """Matched layers (inputs apart) that no change names."""
    named = {one for change in changes for pair in change.pairs for one in pair[0]}
    nodes = [pairing.a.nodes[i] for i, _ in pairing.pairs()]
    ids = [entry.id for entry in nodes if not isinstance(entry, GraphInput)]
    return sum(name not in named for name in ids + [x.layer.id for x, _ in bypassed])


def _counts(told: Iterable[str], order: tuple[str, ...]) -> dict[str, int]:
    counts = Counter(told)
    return {name: counts[name] for name in order if counts[name]}
