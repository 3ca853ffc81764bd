"""Two layer graphs in, a `Diff` out."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from modeldocs.diff.alignment import exchanged, partial
from modeldocs.diff.alignment.joins import FlatGraph
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.prepared import prepare
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.changes import accounts, biases, nesting, roles, unlike
from modeldocs.diff.changes.bared import bare
from modeldocs.diff.changes.bypassed import IdlePairs
from modeldocs.diff.changes.divided import respelled, restored, unite
from modeldocs.diff.changes.elements import Arranged
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.findings import findings
from modeldocs.diff.diff import CONSEQUENCES, KINDS, Change, Diff, Match, Totals
from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.diff.regrouped import regroup
from modeldocs.diff.regrouped.group import Regrouping
from modeldocs.diff.words.compress import compressed, verdict
from modeldocs.diff.words.places import order
from modeldocs.ir import LayerGraph

Orders = dict[int, Arrangement]
"""Of nodes of A whose counterparts make the same elements in another order: in which."""


def compare(a: LayerGraph, b: LayerGraph) -> Diff:
    """Align two graphs by structure and tell what changed from A to B.

    Names have no part in it. The same graphs give the same bytes; swapped ones the mirror image.

    Raises:
        ModeldocsError: a graph is not one: an id is there twice, an operand reads an id that is
            not there, or layers read each other in a circle.
    """
    with _uncollected():
        return _diff(a, b)


def _diff(a: LayerGraph, b: LayerGraph) -> Diff:
    prepared = prepare(a, b)
    parts, flat = prepared.parts, prepared.flat
    matches, told = _compared(prepared.pairing)
    matches, nested = nesting.unfold(*flat, matches)
    told = [_whole(finding, flat) for finding in nesting.without_respelled(told, nested)]
    cuts, told = bare(*parts, told)
    matches, divided = unite(*parts, matches)
    matches += cuts
    told = [restored(*parts, finding) for finding in (*told, *nested)]
    told = [*(finding for finding in told if not respelled(divided, finding)), *divided]
    told = biases.together((a, b), matches, roles.without_packed(told))
    told += accounts.settle((a, b), matches, told)
    changes = compressed(told, (a, b))
    places = order(a)
    matches.sort(key=lambda match: places[match.a[0]])
    return Diff(
        verdict=verdict(changes),
        a=_totals(a),
        b=_totals(b),
        matches=tuple(matches),
        changes=changes,
        unchanged=_unchanged(a, matches, changes),
        consequences=_counts((change.consequence for change in changes), CONSEQUENCES),
        kinds=_counts((change.kind for change in changes), KINDS),
    )


def _whole(finding: Finding, flat: tuple[FlatGraph, FlatGraph]) -> Finding:
    """A finding on a join that only one side has, with the nested ones it stands for."""
    if finding.kind in ("inserted", "deleted"):
        ours, theirs = finding.pair
        finding.pair = nesting.whole(flat[0], ours), nesting.whole(flat[1], theirs)
    return finding


@contextmanager
def _uncollected() -> Iterator[None]:
    """Spare large graphs the collector, which finds no rubbish here however often it looks."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _compared(pairing: Pairing) -> tuple[list[Match], list[Finding]]:
    """The matches and findings; found in one direction, so that the other is the mirror image."""
    turned = _rank(pairing.a) > _rank(pairing.b)
    pairing = pairing.mirrored() if turned else pairing
    exchanged.settle(pairing)
    partial.find(pairing)
    found, orders = unlike.likeness(pairing), Orders()
    if found.different:
        pairing = pairing.only(found.equal)
        regrouping, idle = Regrouping(), None
        told = [unlike.finding(pairing, found)]
    else:
        regrouping = regroup(pairing)
        idle = IdlePairs(pairing)
        arranged = Arranged(pairing)
        orders = arranged.by_node()
        told = list(findings(pairing, regrouping, idle, arranged))
    if turned:
        told = [finding.mirrored() for finding in told]
        orders = {pairing.to_b[i]: order.inverse() for i, order in orders.items()}
        pairing, regrouping = pairing.mirrored(), regrouping.mirrored()
    made = _matches(pairing, regrouping, orders)
    return [*made, *(idle.matches(turned=turned) if idle else ())], told


def _rank(side: Side) -> tuple[bytes, bytes]:
    return side.fingerprint, side.positional


def _totals(graph: LayerGraph) -> Totals:
    return Totals(
        name=graph.name,
        layers=len(graph.layers),
        parameters=graph.totals().parameters,
        buffers=graph.totals().buffers,
        macs=graph.totals().macs,
    )


def _matches(pairing: Pairing, regrouping: Regrouping, orders: Orders) -> list[Match]:
    found = [
        Match(
            a=(pairing.a.nodes[i].id,),
            b=(pairing.b.nodes[j].id,),
            reason=pairing.reason(i),
            confidence=pairing.why[i][1],
            sizes=orders.get(i, KEPT).sizes,
            order=orders.get(i, KEPT).order,
        )
        for i, j in pairing.pairs()
        if i not in regrouping.of_a
    ]
    return found + regrouping.matches(pairing)


def _unchanged(a: LayerGraph, matches: list[Match], changes: tuple[Change, ...]) -> int:
    """A's matched layers (inputs apart) that no change names."""
    named = {one for change in changes for pair in change.pairs for one in pair[0]}
    named |= {entry.id for entry in a.inputs}
    return sum(one not in named for match in matches for one in match.a)


def _counts(told: Iterable[str], order: tuple[str, ...]) -> dict[str, int]:
    counts = Counter(told)
    return {name: counts[name] for name in order if counts[name]}
