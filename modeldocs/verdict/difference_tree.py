"""The tree of least differences: each family hangs on the one that it differs least from."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.struct import Struct
from modeldocs.verdict.comparison import ComparedPair
from modeldocs.verdict.grouping import Family, nearest


class Branch(Struct, frozen=True):
    """A family in the tree, and the families that hang on it, the nearest first.

    `pair` compares a port of it with one of the family above, and `differences` says what it has
    otherwise than that; both are empty for the root.
    """

    family: Family
    pair: ComparedPair | None = None
    differences: tuple[str, ...] = ()
    below: tuple[Branch, ...] = ()


def tree(families: Sequence[Family], pairs: Sequence[ComparedPair]) -> tuple[Branch, ...]:
    """The minimum spanning tree over the differences of families; its root is the first family.

    A family that cannot be compared with any of the others is a further root. Where several trees
    are the least, the first families and names decide.
    """
    edges = _edges(families, pairs)
    above: dict[int, tuple[int, ComparedPair] | None] = {}
    for root in range(len(families)):
        if root not in above:
            above[root] = None
            _grow(above, edges, len(families))
    return tuple(
        _branch(number, families, above) for number, parent in above.items() if parent is None
    )


Edges = dict[tuple[int, int], ComparedPair]


def _edges(families: Sequence[Family], pairs: Sequence[ComparedPair]) -> Edges:
    """The nearest pair of ports of each two families, by their numbers."""
    edges: Edges = {}
    for i, ours in enumerate(families):
        for j, theirs in enumerate(families[:i]):
            pair = nearest(ours.ports, theirs.ports, pairs, families[0].ports[0])
            if pair is not None:
                edges[i, j] = edges[j, i] = pair
    return edges


def _grow(above: dict[int, tuple[int, ComparedPair] | None], edges: Edges, count: int) -> None:
    """Add the families that hang on those in `above`, the nearest first (Prim's algorithm)."""
    while True:
        reachable = [
            (edges[i, j].size[:3], i, j)
            for i in above
            for j in range(count)
            if j not in above and (i, j) in edges
        ]
        if not reachable:
            return
        _, i, j = min(reachable)
        above[j] = (i, edges[i, j])


def _branch(
    number: int, families: Sequence[Family], above: dict[int, tuple[int, ComparedPair] | None]
) -> Branch:
    below = [child for child, parent in above.items() if parent is not None and parent[0] == number]
    parent = above[number]
    pair = parent[1] if parent is not None else None
    family = families[number]
    port = pair.b if pair is not None and pair.b in family.ports else pair.a if pair else ""
    return Branch(
        family=family,
        pair=pair,
        differences=pair.of(port) if pair is not None else (),
        below=tuple(_branch(child, families, above) for child in below),
    )
