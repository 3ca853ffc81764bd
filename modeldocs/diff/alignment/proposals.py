"""Whole matchings held against each other, and the better one taken region by region.

One way to align is never the best on every network: branches that changed mislead what goes by
neighbourhoods, branches in another order mislead what goes by sequence. Where two matchings
differ, the one that tells fewer edits is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from modeldocs.diff.alignment.components import components
from modeldocs.diff.alignment.edits import Edits, near
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sizes import signature
from modeldocs.diff.alignment.slides import slide
from modeldocs.diff.alignment.swapped import turned
from modeldocs.diff.alignment.whole_order import aligned
from modeldocs.diff.alignment.worth import kept, node_worth
from modeldocs.diff.function.forms import Form

_LEVEL: Final = 0.05
"""Edits by which two matchings may differ and still tell as many."""

_GAIN: Final = 0.5
"""By how much more of a region a proposal that tells as many edits must keep."""

_LOOKS: Final = 1_000_000
"""Layers that are looked at for all regions, for each anew, whether they have a counterpart."""

_MANY: Final = 256
"""Edges of a hub beyond which they are not counted."""

Completion = Callable[[Pairing], None]
"""Matches what is left over, by the pairs that are there."""


def improve(pairing: Pairing, complete: Completion) -> None:
    """Take from other whole matchings the regions that they align better.

    They start from all layers in sequence: as the sources list them, and as they are reached from
    the outputs. Nothing is tried where nothing is in doubt.
    """
    slide(pairing)
    orders = [(pairing.a.given, pairing.b.given), (pairing.a.ranks, pairing.b.ranks)]
    for ours, theirs in orders:
        pairs = aligned(pairing, ours, theirs) if doubtful(pairing) else []
        if pairs:
            proposal = Pairing(pairing.a, pairing.b)
            for i, j in pairs:
                proposal.match(i, j, "the same parameters, in sequence", 0.85)
            complete(proposal)
            slide(proposal)
            take_better(pairing, proposal)
    other = turned(pairing)
    if other is not None:
        complete(other)
        take_better(pairing, other)


def doubtful(pairing: Pairing) -> bool:
    """Whether a layer with parameters has no counterpart, or one with others."""
    a, b = pairing.a.forms, pairing.b.forms
    for i, j in enumerate(pairing.to_b):
        if a[i].parameters and (j < 0 or not _same_weights(a[i], b[j])):
            return True
    return any(b[j].parameters and i < 0 for j, i in enumerate(pairing.to_a))


def _same_weights(ours: Form, theirs: Form) -> bool:
    """Whether two layers have the same parameters, a scale or bias of one side apart."""
    if signature(ours) == signature(theirs):
        return True
    left, right = dict(ours.parameters), dict(theirs.parameters)
    common = left.keys() & right.keys()
    apart = left.keys() ^ right.keys()
    same = bool(common) and all(left[role] == right[role] for role in common)
    return ours.operator == theirs.operator and same and apart <= {"scale", "bias"}


def take_better(pairing: Pairing, proposal: Pairing) -> None:
    """Replace what `pairing` holds of each region where `proposal` tells fewer edits.

    Where both tell as many, the one is better that keeps more edges and equal parameters. Regions
    are held against each other one by one, then all together; all together alone where there are
    so many that it would take its time.
    """
    regions = list(_regions(pairing, proposal))
    looks = len(regions) * (len(pairing.a) + len(pairing.b))
    for region in regions if looks <= _LOOKS else ():
        _take_region(pairing, proposal, region)
    left = pairing.differing(proposal)
    if left:
        _take_region(pairing, proposal, sorted(left))


def _take_region(pairing: Pairing, proposal: Pairing, region: Sequence[int]) -> None:
    around = near(pairing, proposal, region)
    edits, worth = Edits(pairing).cost(around), _worth(pairing, region)
    held = [(i, pairing.to_b[i]) for i in region]
    why = {i: pairing.why[i] for i, j in held if j >= 0}
    parents = {i: pairing.parents[i] for i in region if i in pairing.parents}
    pairing.take([(i, proposal.to_b[i]) for i in region], proposal.why)
    fewer = edits - Edits(pairing).cost(around)
    if fewer < -_LEVEL or (fewer <= _LEVEL and _worth(pairing, region) <= worth + _GAIN):
        pairing.take(held, why)
        pairing.parents |= parents


def _regions(pairing: Pairing, proposal: Pairing) -> Iterator[list[int]]:
    """Nodes of A that have other counterparts in the two, in sets that can be taken alone.

    Nodes that contend for one counterpart are in one set, and those next to each other.
    """
    return components(pairing.differing(proposal), lambda node: _bound(pairing, proposal, node))


def _bound(pairing: Pairing, proposal: Pairing, node: int) -> Iterator[int]:
    for ours, theirs in ((pairing, proposal), (proposal, pairing)):
        if ours.to_b[node] >= 0:
            yield theirs.to_a[ours.to_b[node]]
    a = pairing.a
    for edges in (a.sources[node], a.users[node], a.groups.sources[node], a.groups.users[node]):
        if len(edges) <= _MANY:
            yield from (other for _, other in edges)


def _worth(pairing: Pairing, region: Iterable[int]) -> float:
    """Equal layers and kept edges of a region."""
    inside = set(region)
    return sum(
        node_worth(pairing, i, pairing.to_b[i]) + kept(pairing, i, pairing.to_b[i], inside)
        for i in inside
        if pairing.to_b[i] >= 0
    )
