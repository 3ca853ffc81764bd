"""Gaps: what lies between matched nodes on both sides, laid out in order and aligned."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.pairing import Pairing
from modeldocs.diff.sides import Side
from modeldocs.diff.wiring import Wiring

CELLS: Final = 2_000_000
"""Cells of the alignment tables of one comparison, all gaps together: the bound on its time."""

_NARROWEST: Final = 8


@dataclass(slots=True)
class Gap:
    """Nodes of A and of B that lie between the same matched nodes, in order of depth."""

    a: list[int]
    b: list[int]


def fill(pairing: Pairing) -> list[tuple[int, int]]:
    """Match what aligns within each gap, and tell the new pairs."""
    found: list[tuple[int, int]] = []
    gaps = list(_gaps(pairing))
    total = sum(len(gap.a) + len(gap.b) for gap in gaps) or 1
    for gap in gaps:
        cells = max(CELLS * (len(gap.a) + len(gap.b)) // total, 4096)
        for part in _parts(gap, cells):
            for i, j in _aligned(pairing, part):
                pairing.match(
                    i, j, "in order between the same matched layers", _trust(pairing, i, j)
                )
                found.append((i, j))
    return found


def find_moves(pairing: Pairing) -> None:
    """Match layers left over that are the same but stand elsewhere.

    Within a gap any layer of the same function will do; beyond it, only a layer with parameters
    that is alone of its kind on both sides.
    """
    before = set(pairing.free_a())
    for gap in _gaps(pairing):
        _match_equal(pairing, gap, "the same layer, elsewhere between the same matched layers", 0.6)
    rest = Gap(_weighted(pairing.a, pairing.free_a()), _weighted(pairing.b, pairing.free_b()))
    _match_equal(pairing, rest, "the only such layer left, elsewhere", 0.5, alone=True)
    wiring = Wiring(pairing)
    found = [i for i in sorted(before) if pairing.to_b[i] >= 0]
    pairing.moved.update(i for i in found if not wiring.in_place(i, pairing.to_b[i]))


def _trust(pairing: Pairing, i: int, j: int) -> float:
    return round(0.3 + 0.4 * pairing.equal_colours(i, j) / pairing.colour_count, 3)


def _weighted(side: Side, nodes: list[int]) -> list[int]:
    return [node for node in nodes if side.forms[node].parameters]


def _match_equal(
    pairing: Pairing, gap: Gap, reason: str, confidence: float, *, alone: bool = False
) -> None:
    ours, theirs = _by_function(pairing.a, gap.a), _by_function(pairing.b, gap.b)
    for key, members in ours.items():
        others = theirs.get(key, [])
        if not alone or len(members) == len(others) == 1:
            for i, j in zip(members, others, strict=False):
                pairing.match(i, j, reason, confidence)


def _by_function(side: Side, nodes: list[int]) -> dict[object, list[int]]:
    found: dict[object, list[int]] = defaultdict(list)
    for node in nodes:
        told = side.forms[node]
        found[told.operator, told.attributes, told.parameters].append(node)
    return found


def _gaps(pairing: Pairing) -> Iterator[Gap]:
    """Pair each connected set of free nodes of A with the set of B that has most in common.

    In common are the matched nodes around them. What is left over with no common border is one
    last gap of its own.
    """
    ours = _components(pairing.a, pairing.to_b)
    theirs = _components(pairing.b, pairing.to_a)
    votes = _votes(_borders(pairing.a, ours, pairing.to_b), _borders(pairing.b, theirs, None))
    taken_a: set[int] = set()
    taken_b: set[int] = set()
    for (x, y), _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
        if x not in taken_a and y not in taken_b:
            taken_a.add(x)
            taken_b.add(y)
            yield Gap(ours[x], theirs[y])
    rest_a = sorted(i for x, nodes in enumerate(ours) if x not in taken_a for i in nodes)
    rest_b = sorted(j for y, nodes in enumerate(theirs) if y not in taken_b for j in nodes)
    if rest_a and rest_b:
        yield Gap(rest_a, rest_b)


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
        found.append(sorted(members))
    return found


_Border = tuple[str, int, int]


def _borders(
    side: Side, components: list[list[int]], to_b: list[int] | None
) -> dict[_Border, list[int]]:
    """The components at each border: (way, edge code, the matched node in B's numbers)."""
    inside = {node: x for x, nodes in enumerate(components) for node in nodes}
    found: dict[_Border, list[int]] = defaultdict(list)
    for node, x in inside.items():
        for way, edges in (("reads", side.sources[node]), ("feeds", side.users[node])):
            for code, other in edges:
                if other not in inside:
                    found[way, code, to_b[other] if to_b else other].append(x)
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


def _parts(gap: Gap, cells: int) -> Iterator[Gap]:
    """The gap itself, or pieces of it in proportion where its table would be too large."""
    n, m = len(gap.a), len(gap.b)
    if n * m <= cells:
        yield gap
        return
    width = max(_NARROWEST, cells // max(n, m))
    count = -(-max(n, m) // width)
    for part in range(count):
        a = gap.a[n * part // count : n * (part + 1) // count]
        b = gap.b[m * part // count : m * (part + 1) // count]
        if a and b:
            yield Gap(a, b)


def _aligned(pairing: Pairing, gap: Gap) -> list[tuple[int, int]]:
    """Needleman-Wunsch: the pairs, in order on both sides, that are most alike altogether."""
    worth = [[_worth(pairing, i, j) for j in gap.b] for i in gap.a]
    best = [[0.0] * (len(gap.b) + 1) for _ in range(len(gap.a) + 1)]
    for x, row in enumerate(worth):
        above, here = best[x], best[x + 1]
        for y, value in enumerate(row):
            here[y + 1] = max(above[y + 1], here[y], above[y] + value if value else 0.0)
    return [(gap.a[x], gap.b[y]) for x, y in _walked(best, worth)]


def _walked(best: list[list[float]], worth: list[list[float]]) -> list[tuple[int, int]]:
    x, y = len(best) - 1, len(best[0]) - 1
    pairs = []
    while x and y:
        value = worth[x - 1][y - 1]
        if value and best[x][y] == best[x - 1][y - 1] + value:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        elif best[x][y] == best[x - 1][y]:
            x -= 1
        else:
            y -= 1
    return pairs[::-1]


def _worth(pairing: Pairing, i: int, j: int) -> float:
    """How much is won by matching two nodes; 0 where they must not be."""
    if pairing.same_kind(i, j):
        return 4 + pairing.likeness(i, j) / 2 + 2 * pairing.support(i, j)
    if pairing.same_family(i, j):
        support = pairing.support(i, j)
        return 1 + 2 * support if support else 0.0
    return 0.0
