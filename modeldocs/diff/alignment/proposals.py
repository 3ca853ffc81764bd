"""Whole matchings held against each other, and the better one taken region by region.

One way to align is never the best on every network: branches that changed mislead what goes by
neighbourhoods, branches in another order mislead what goes by sequence. Where two matchings
differ, the one that keeps more edges and more equal parameters is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from modeldocs.diff.alignment.choices import choose
from modeldocs.diff.alignment.components import components
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.weighted_order import aligned, signature
from modeldocs.diff.alignment.worth import kept, node_worth
from modeldocs.diff.function.forms import Form

_GAIN: Final = 0.5
"""By how much a proposal must be better in a region than what it replaces."""

_MANY: Final = 256
"""Edges of a hub beyond which they are not counted."""

Completion = Callable[[Pairing], None]
"""Matches what is left over, by the pairs that are there."""


def improve(pairing: Pairing, complete: Completion) -> None:
    """Take from other whole matchings the regions that they align better.

    They start from the layers with parameters in sequence: as the sources list their layers, and
    as they are reached from the outputs. Nothing is tried where nothing is in doubt.
    """
    others = []
    orders = [(pairing.a.given, pairing.b.given), (pairing.a.ranks, pairing.b.ranks)]
    for ours, theirs in orders:
        if not doubtful(pairing):
            break
        pairs = aligned(pairing, ours, theirs)
        if pairs:
            proposal = Pairing(pairing.a, pairing.b)
            for i, j in pairs:
                proposal.match(i, j, "the same parameters, in sequence", 0.85)
            complete(proposal)
            others.append(proposal)
            take_better(pairing, proposal)
    choose(pairing, others)


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
    """Replace what `pairing` holds of each region where `proposal` is worth more."""
    for region in _regions(pairing, proposal):
        if _worth(proposal, pairing, region) > _worth(pairing, pairing, region) + _GAIN:
            for i in region:
                pairing.part(i)
            for i in region:
                if proposal.to_b[i] >= 0:
                    pairing.match(i, proposal.to_b[i], *proposal.why[i])


def _regions(pairing: Pairing, proposal: Pairing) -> Iterator[list[int]]:
    """Nodes of A that have other counterparts in the two, in sets that can be taken alone.

    Nodes that contend for one counterpart are in one set, and those next to each other.
    """
    differing = {i for i, j in enumerate(pairing.to_b) if j != proposal.to_b[i]}
    return components(differing, lambda node: _bound(pairing, proposal, node))


def _bound(pairing: Pairing, proposal: Pairing, node: int) -> Iterator[int]:
    for ours, theirs in ((pairing, proposal), (proposal, pairing)):
        if ours.to_b[node] >= 0:
            yield theirs.to_a[ours.to_b[node]]
    a = pairing.a
    for edges in (a.sources[node], a.users[node], a.groups.sources[node], a.groups.users[node]):
        if len(edges) <= _MANY:
            yield from (other for _, other in edges)


def _worth(chosen: Pairing, around: Pairing, region: Iterable[int]) -> float:
    """Equal layers and kept edges of a region as `chosen` matches it, `around` the rest."""
    inside = set(region)

    def counterpart(node: int) -> int:
        return (chosen if node in inside else around).to_b[node]

    return sum(
        node_worth(chosen, i, chosen.to_b[i]) + kept(chosen, i, chosen.to_b[i], counterpart, inside)
        for i in inside
        if chosen.to_b[i] >= 0
    )
