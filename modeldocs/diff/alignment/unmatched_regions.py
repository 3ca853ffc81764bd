"""Gaps: the unmatched nodes between the same matched nodes in both graphs, aligned in order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.sequences import align_sequences
from modeldocs.diff.alignment.similarity import (
    Compatible,
    confidence,
    conflicts,
    same_operator,
    similarity,
    support,
)
from modeldocs.diff.indexing.edges import connected_components
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_CELLS: Final = 1_000_000
"""Cells of all alignment tables of one comparison: the bound on its time."""

_FEWEST_CELLS: Final = 4096
"""Cells that each gap may have at least."""

_NARROWEST: Final = 8
"""Nodes of a piece at least, where a gap is cut into pieces."""

_MOST_VOTES: Final = 256
"""Pairs of components at one border beyond which they are paired in order, not each with each."""

_SAME_OPERATOR: Final = 4.0
_SIMILARITY: Final = 4.0
_SUPPORT: Final = 3.0
_CONFLICT: Final = 2.0
_LEAST_SCORE: Final = 0.5
"""The score of a pair of one operator: for the operator, for a similarity of 1, for each supporting
edge, less each conflicting one; and its least, above 0, as such a pair may always be matched."""

_OTHER_OPERATOR: Final = 1.0
_OTHER_SUPPORT: Final = 2.0
"""The score of a pair of different operators, and for each supporting edge: less than that of one
operator. Half or twice each of these scores changes none of the diffs that were tried, 397 of
tests/diff and 205 of the catalog: earlier stages leave gaps in which few alignments compete."""

_CONFIDENCE: Final = 0.3, 0.4
"""The least confidence, and what similarity adds at most: an order says less than an edge does."""

_Border = tuple[str, int, int]
"""(direction, code of the edge, the matched node in B's numbers)."""


@dataclass(slots=True)
class Gap:
    """Unmatched nodes of A and of B between the same matched nodes, in postorder."""

    a: list[int]
    b: list[int]


def fill_gaps(matching: Matching, compatible: Compatible) -> list[tuple[int, int]]:
    """Align and match the nodes of each gap; returns the new pairs."""
    pairs: list[tuple[int, int]] = []
    gaps = list(find_gaps(matching))
    total = sum(len(gap.a) + len(gap.b) for gap in gaps) or 1
    for gap in gaps:
        cells = max(_CELLS * (len(gap.a) + len(gap.b)) // total, _FEWEST_CELLS)
        for piece in _pieces(gap, cells):
            for i, j in _aligned(matching, piece, compatible):
                certainty = confidence(matching, i, j, *_CONFIDENCE)
                matching.match(i, j, "in order between the same matched layers", certainty)
                pairs.append((i, j))
    return pairs


def _pieces(gap: Gap, cells: int) -> Iterator[Gap]:
    """The gap itself, or pieces of it in proportion where its table would be too large."""
    n, m = len(gap.a), len(gap.b)
    if n * m <= cells:
        yield gap
        return
    width = max(_NARROWEST, cells // max(n, m))
    count = -(-max(n, m) // width)
    for piece in range(count):
        a = gap.a[n * piece // count : n * (piece + 1) // count]
        b = gap.b[m * piece // count : m * (piece + 1) // count]
        if a and b:
            yield Gap(a, b)


def _aligned(matching: Matching, gap: Gap, compatible: Compatible) -> list[tuple[int, int]]:
    """The pairs, in order of both graphs, with the greatest sum of scores."""
    scores = [
        [_score(matching, i, j) if compatible(matching, i, j) else 0.0 for j in gap.b]
        for i in gap.a
    ]
    return [(gap.a[x], gap.b[y]) for x, y in align_sequences(scores)]


def _score(matching: Matching, i: int, j: int) -> float:
    """What matching two nodes is worth; 0 where they must not be matched.

    Nodes of one operator may be matched whatever their edges say, of others only where an edge
    supports it.
    """
    supporting = support(matching, i, j)
    if same_operator(matching, i, j):
        likeness = _SAME_OPERATOR + _SIMILARITY * similarity(matching, i, j)
        against = _CONFLICT * conflicts(matching, i, j)
        return max(likeness + _SUPPORT * supporting - against, _LEAST_SCORE)
    return _OTHER_OPERATOR + _OTHER_SUPPORT * supporting if supporting else 0.0


def find_gaps(matching: Matching, *, loose: bool = False) -> Iterator[Gap]:
    """Pair each component of unmatched nodes of A with the one of B that shares most borders.

    A border is an edge to a matched node, by its direction and code; `loose` counts the matched
    node alone. Components without any matched node around them make one last gap together.
    """
    ours, theirs = _components(matching.a, matching.to_b), _components(matching.b, matching.to_a)
    left = _borders(matching.a, ours, matching.to_b, loose)
    right = _borders(matching.b, theirs, None, loose)
    votes = _votes(left, right)
    taken_a: set[int] = set()
    taken_b: set[int] = set()
    for (x, y), _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
        if x not in taken_a and y not in taken_b:
            taken_a.add(x)
            taken_b.add(y)
            yield Gap(ours[x], theirs[y])
    rest = Gap(_isolated(matching.a, ours, left), _isolated(matching.b, theirs, right))
    if rest.a and rest.b:
        yield rest


def _isolated(
    graph: IndexedGraph, components: list[list[int]], borders: dict[_Border, list[int]]
) -> list[int]:
    """The nodes of components without a border."""
    touching = {x for members in borders.values() for x in members}
    nodes = [i for x, members in enumerate(components) if x not in touching for i in members]
    return sorted(nodes, key=graph.postorder.__getitem__)


def _components(graph: IndexedGraph, counterpart: list[int]) -> list[list[int]]:
    """The components of unmatched nodes, each in postorder."""
    unmatched = [node for node, match in enumerate(counterpart) if match < 0]
    return [
        sorted(members, key=graph.postorder.__getitem__)
        for members in connected_components(unmatched, graph.neighbours)
    ]


def _borders(
    graph: IndexedGraph, components: list[list[int]], to_b: list[int] | None, loose: bool
) -> dict[_Border, list[int]]:
    """The components at each border; `to_b` is None for B itself."""
    component_of = {node: x for x, nodes in enumerate(components) for node in nodes}
    borders: dict[_Border, list[int]] = defaultdict(list)
    for node, x in component_of.items():
        for direction, edges in (("reads", graph.sources[node]), ("feeds", graph.users[node])):
            for code, other in edges:
                if other not in component_of:
                    there = to_b[other] if to_b else other
                    borders[("", 0, there) if loose else (direction, code, there)].append(x)
    return {border: sorted(set(members)) for border, members in borders.items()}


def _votes(
    ours: dict[_Border, list[int]], theirs: dict[_Border, list[int]]
) -> Counter[tuple[int, int]]:
    """How many borders each component of A shares with each of B."""
    votes: Counter[tuple[int, int]] = Counter()
    for border in sorted(ours.keys() & theirs.keys()):
        left, right = ours[border], theirs[border]
        if len(left) * len(right) <= _MOST_VOTES:
            votes.update((x, y) for x in left for y in right)
        else:
            votes.update(zip(left, right, strict=False))
    return votes
