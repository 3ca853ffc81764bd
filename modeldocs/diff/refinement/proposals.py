"""Other whole matchings, of which the better regions are taken.

No way to align is best on every network: changed branches mislead one that goes by neighbourhoods,
reordered branches one that goes by sequence. Where two matchings differ, the one that implies
fewer edits is taken to be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.stages import complete
from modeldocs.diff.function.canonical_op import CanonicalOp
from modeldocs.diff.function.parameter_shapes import weight_signature
from modeldocs.diff.indexing.edges import connected_components
from modeldocs.diff.refinement.edit_cost import EditCost, affected_nodes
from modeldocs.diff.refinement.global_sequence import align_orders
from modeldocs.diff.refinement.pair_score import kept_edges, pair_score
from modeldocs.diff.refinement.shift_search import shift_gaps

_EQUAL_COST: Final = 0.05
"""Edits by which two matchings may differ and still count as equal: one doubling of a size. With 0
or 0.2 no diff of tests/diff or of the catalog changes."""

_GAIN: Final = 0.5
"""By how much the score of a region must grow where a proposal implies equal edits. With 1.0 a
diff of tests/diff changes, with 0.25 none."""

_MOST_VISITS: Final = 1_000_000
"""Nodes visited to cost all regions one by one, as each visits every unmatched layer again."""

_MOST_EDGES: Final = 256
"""Edges of a hub beyond which they connect no regions."""


def take_better_regions(matching: Matching) -> None:
    """Take from other whole matchings the regions that they match better.

    They are proposed with all layers in sequence, in postorder, where something is in doubt.
    """
    shift_gaps(matching)
    a, b = matching.a, matching.b
    pairs = align_orders(matching, a.postorder, b.postorder) if _is_doubtful(matching) else []
    if pairs:
        proposal = Matching(a, b)
        for i, j in pairs:
            proposal.match(i, j, "the same parameters, in sequence", 0.85)
        complete(proposal)
        shift_gaps(proposal)
        _take_better(matching, proposal)


def _is_doubtful(matching: Matching) -> bool:
    """Whether a layer with parameters is unmatched, or matched to one with others."""
    a, b = matching.a.ops, matching.b.ops
    for i, j in enumerate(matching.to_b):
        if a[i].parameters and (j < 0 or not _same_weights(a[i], b[j])):
            return True
    return any(b[j].parameters and i < 0 for j, i in enumerate(matching.to_a))


def _same_weights(ours: CanonicalOp, theirs: CanonicalOp) -> bool:
    """Whether two layers have the same parameters, up to a scale or bias that only one has."""
    if weight_signature(ours) == weight_signature(theirs):
        return True
    left, right = dict(ours.parameters), dict(theirs.parameters)
    common = left.keys() & right.keys()
    unshared = left.keys() ^ right.keys()
    same = bool(common) and all(left[role] == right[role] for role in common)
    return ours.operator == theirs.operator and same and unshared <= {"scale", "bias"}


def _take_better(matching: Matching, proposal: Matching) -> None:
    """Take each region from `proposal` where that implies fewer edits.

    Of equal edits those with the higher score win. Regions are tried one by one, then all that
    still differ together; only together where there are too many.
    """
    regions = list(_regions(matching, proposal))
    visits = len(regions) * (len(matching.a) + len(matching.b))
    for region in regions if visits <= _MOST_VISITS else ():
        _take_if_better(matching, proposal, region)
    left = matching.differences(proposal)
    if left:
        _take_if_better(matching, proposal, sorted(left))


def _take_if_better(matching: Matching, proposal: Matching, region: Sequence[int]) -> None:
    affected = affected_nodes(matching, proposal, region)
    cost, score = EditCost(matching).cost(affected), _score(matching, region)
    pairs = [(i, matching.to_b[i]) for i in region]
    reasons = {i: matching.reasons[i] for i, j in pairs if j >= 0}
    origins = {i: matching.propagated_from[i] for i in region if i in matching.propagated_from}
    matching.rematch([(i, proposal.to_b[i]) for i in region], proposal.reasons)
    fewer = cost - EditCost(matching).cost(affected)
    if fewer < -_EQUAL_COST or (fewer <= _EQUAL_COST and _score(matching, region) <= score + _GAIN):
        matching.rematch(pairs, reasons)
        matching.propagated_from |= origins


def _regions(matching: Matching, proposal: Matching) -> Iterator[list[int]]:
    """Nodes of A that are matched differently, in connected sets that can be taken one by one."""
    differing = matching.differences(proposal)
    return connected_components(differing, lambda node: _connected(matching, proposal, node))


def _connected(matching: Matching, proposal: Matching, node: int) -> Iterator[int]:
    """The nodes that contend with one for a counterpart, and its neighbours."""
    for ours, theirs in ((matching, proposal), (proposal, matching)):
        if ours.to_b[node] >= 0:
            yield theirs.to_a[ours.to_b[node]]
    a = matching.a
    for edges in (a.sources[node], a.users[node], a.groups.sources[node], a.groups.users[node]):
        if len(edges) <= _MOST_EDGES:
            yield from (other for _, other in edges)


def _score(matching: Matching, region: Iterable[int]) -> float:
    """The scores of a region's pairs, with the edges that they keep."""
    inside = set(region)
    return sum(
        pair_score(matching, i, matching.to_b[i])
        + kept_edges(matching, i, matching.to_b[i], inside)
        for i in inside
        if matching.to_b[i] >= 0
    )
