"""What is left between matched nodes: connected sets of free nodes, paired by their borders."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side

_Border = tuple[str, int, int]
"""(way, code of the edge, the matched node in B's numbers)."""


@dataclass(slots=True)
class Gap:
    """Nodes of A and of B that lie between the same matched nodes, in order."""

    a: list[int]
    b: list[int]


def gaps(pairing: Pairing, *, loose: bool = False) -> Iterator[Gap]:
    """Pair each connected set of free nodes of A with the set of B that has most in common.

    In common are the matched nodes around them, read or fed by the same slots; `loose` lets any
    node around both count. Sets with nothing matched around them are one last gap together.
    """
    ours, theirs = _components(pairing.a, pairing.to_b), _components(pairing.b, pairing.to_a)
    left = _borders(pairing.a, ours, pairing.to_b, loose)
    right = _borders(pairing.b, theirs, None, loose)
    votes = _votes(left, right)
    taken_a: set[int] = set()
    taken_b: set[int] = set()
    for (x, y), _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
        if x not in taken_a and y not in taken_b:
            taken_a.add(x)
            taken_b.add(y)
            yield Gap(ours[x], theirs[y])
    apart = Gap(_apart(pairing.a, ours, left), _apart(pairing.b, theirs, right))
    if apart.a and apart.b:
        yield apart


def _apart(side: Side, components: list[list[int]], borders: dict[_Border, list[int]]) -> list[int]:
    """Nodes of the components that touch nothing matched."""
    touching = {x for members in borders.values() for x in members}
    found = [i for x, nodes in enumerate(components) if x not in touching for i in nodes]
    return sorted(found, key=side.ranks.__getitem__)


def _components(side: Side, counterpart: list[int]) -> list[list[int]]:
    """Sets of free nodes that hang together, each in order."""
    seen = [match >= 0 for match in counterpart]
    found = []
    for start in range(len(side)):
        if seen[start]:
            continue
        seen[start] = True
        members = [start]
        for node in members:
            for _, other in (*side.sources[node], *side.users[node]):
                if not seen[other]:
                    seen[other] = True
                    members.append(other)
        found.append(sorted(members, key=side.ranks.__getitem__))
    return found


def _borders(
    side: Side, components: list[list[int]], to_b: list[int] | None, loose: bool
) -> dict[_Border, list[int]]:
    """The components at each border: (way, edge code, the matched node in B's numbers)."""
    inside = {node: x for x, nodes in enumerate(components) for node in nodes}
    found: dict[_Border, list[int]] = defaultdict(list)
    for node, x in inside.items():
        for way, edges in (("reads", side.sources[node]), ("feeds", side.users[node])):
            for code, other in edges:
                if other not in inside:
                    there = to_b[other] if to_b else other
                    found[("", 0, there) if loose else (way, code, there)].append(x)
    return {border: sorted(set(members)) for border, members in found.items()}


def _votes(
    ours: dict[_Border, list[int]], theirs: dict[_Border, list[int]]
) -> Counter[tuple[int, int]]:
    votes: Counter[tuple[int, int]] = Counter()
    for border in sorted(ours.keys() & theirs.keys()):
        left, right = ours[border], theirs[border]
        if len(left) * len(right) <= 256:
            votes.update((x, y) for x in left for y in right)
        else:
            votes.update(zip(left, right, strict=False))
    return votes
