"""The comparison of two layer graphs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from modeldocs.diff import bodies
from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.changes import (
    attribute_deltas,
    biases,
    different_networks,
    nested_joins,
    projection_names,
)
from modeldocs.diff.changes.elements import Arranged
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.findings import findings
from modeldocs.diff.changes.missing_projections import find_missing_projections
from modeldocs.diff.changes.no_ops import NoOpPairs
from modeldocs.diff.changes.split_layers import is_covered, merge_parts, on_source_layers
from modeldocs.diff.diff import CONSEQUENCES, Change, Diff, Match
from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.diff.fusion import find_fusions
from modeldocs.diff.fusion.group import FusionGroups
from modeldocs.diff.prepared_pair import PreparedPair, align_graphs
from modeldocs.diff.reporting.kinds import KINDS
from modeldocs.diff.reporting.merging import compressed, counts, ranked, verdict
from modeldocs.diff.reporting.places import order
from modeldocs.diff.rewriting.joins import FlattenedJoins
from modeldocs.ir import LayerGraph

Orders = dict[int, Arrangement]
"""By node of A: the order in which its counterpart outputs the same elements."""


def compare(a: LayerGraph, b: LayerGraph) -> Diff:
    """The diff of two graphs, which are aligned by structure.

    Names play no role. The same graphs give the same bytes, exchanged graphs the mirror image.

    Raises:
        ModeldocsError: a graph is not one: an id is there twice, an operand reads an id that is
            not there, or layers read each other in a circle.
    """
    with _uncollected():
        return _diff(a, b)


def _diff(a: LayerGraph, b: LayerGraph) -> Diff:
    prepared = align_graphs(a, b)
    graphs = (b, a) if prepared.turned else (a, b)
    size = a.totals().parameters
    same_size = size is not None and size == b.totals().parameters
    matches, differences = _on_source_layers(prepared, *_compared(prepared, same_size=same_size))
    differences = biases.merged(graphs, matches, projection_names.without_packed(differences))
    differences += attribute_deltas.settle(graphs, matches, differences)
    if prepared.turned:
        matches = [match.mirrored() for match in matches]
        differences = [finding.mirrored() for finding in differences]
    inside = bodies.changes((a, b), matches, _diff)
    changes = ranked((*compressed(differences, (a, b)), *inside))
    places = order(a)
    matches.sort(key=lambda match: places[match.a[0]])
    return Diff(
        verdict=verdict(changes),
        names=(a.name, b.name),
        a=a.totals(),
        b=b.totals(),
        matches=tuple(matches),
        changes=changes,
        unchanged=_unchanged(a, matches, changes),
        consequences=counts((change.consequence for change in changes), CONSEQUENCES),
        kinds=counts((change.kind for change in changes), KINDS),
    )


def _on_source_layers(
    prepared: PreparedPair, matches: list[Match], differences: list[Finding]
) -> tuple[list[Match], list[Finding]]:
    """Matches and findings on the rewritten graphs as ones on the ports' layers."""
    split, flat = prepared.split, prepared.flat
    matches, nested = nested_joins.unfold(*flat, matches)
    differences = nested_joins.without_covered(differences, nested)
    differences = [_with_nested(finding, flat) for finding in differences]
    slicers, differences = find_missing_projections(*split, differences)
    matches, merged = merge_parts(*split, matches)
    differences = [on_source_layers(*split, finding) for finding in (*differences, *nested)]
    kept = (finding for finding in differences if not is_covered(merged, finding))
    return matches + slicers, [*kept, *merged]


def _with_nested(finding: Finding, flat: tuple[FlattenedJoins, FlattenedJoins]) -> Finding:
    """A finding on a join that only one graph has, with the joins that are nested in it."""
    if finding.kind in ("inserted", "deleted"):
        ours, theirs = finding.pair
        finding.pair = (
            nested_joins.source_ids(flat[0], ours),
            nested_joins.source_ids(flat[1], theirs),
        )
    return finding


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the garbage collector, whose scans of large graphs find nothing to free."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _compared(prepared: PreparedPair, *, same_size: bool) -> tuple[list[Match], list[Finding]]:
    """The matches and findings of the graphs in their own order.

    Networks of the same size are never different ones: layers of which none corresponds may still
    be the same network, written in other operators.
    """
    matching = prepared.matching
    common, orders = different_networks.in_common(matching), Orders()
    if common.different and not same_size:
        matching = matching.restricted(common.equal)
        fusions, no_ops = FusionGroups(), None
        differences = [different_networks.finding(matching, common)]
    else:
        fusions = find_fusions(matching)
        no_ops = NoOpPairs(matching)
        arranged = Arranged(matching)
        orders = arranged.by_node()
        differences = list(findings(matching, fusions, no_ops, arranged))
    matches = _matches(matching, orders, fusions, turned=prepared.turned)
    return [*matches, *(no_ops.matches() if no_ops else ())], differences


def _matches(
    matching: Matching, orders: Orders, fusions: FusionGroups, *, turned: bool
) -> list[Match]:
    matches = [
        Match(
            a=(matching.a.nodes[i].id,),
            b=(matching.b.nodes[j].id,),
            reason=matching.reason(i, turned=turned),
            confidence=matching.reasons[i][1],
            sizes=orders.get(i, KEPT).sizes,
            order=orders.get(i, KEPT).order,
        )
        for i, j in matching.pairs()
        if i not in fusions.of_a
    ]
    return matches + fusions.matches(matching, turned=turned)


def _unchanged(a: LayerGraph, matches: list[Match], changes: tuple[Change, ...]) -> int:
    """The number of A's matched layers (without inputs) that are in no change."""
    named = {one for change in changes for pair in change.pairs for one in pair[0]}
    named |= {entry.id for entry in a.inputs}
    return sum(one not in named for match in matches for one in match.a)
