"""Findings on the outputs of the networks: missing, in another order, in another layout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.operand_equivalence import Wiring
from modeldocs.diff.changes import layouts
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.fusion.group import learned
from modeldocs.diff.indexing.edges import Edge
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.weights import Ids, Pair

_Output = tuple[int, Edge]
"""An output of the network: its number, and its value."""


@dataclass(frozen=True)
class Unmatched:
    """The outputs that only one network has, by their nodes in A and in B, each with the nodes
    without weights that lead to nothing else.
    """

    a: tuple[tuple[int, tuple[int, ...]], ...]
    b: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def nodes(self) -> tuple[set[int], set[int]]:
        """All of these nodes, of which nothing more is to be told."""
        return {i for _, nodes in self.a for i in nodes}, {j for _, nodes in self.b for j in nodes}


@dataclass(frozen=True)
class OutputMatching:
    """The outputs of A by place with the place of their counterpart in B, whether both are computed
    alike, and those that have none.
    """

    places: tuple[tuple[int, int, bool], ...]
    unmatched: Unmatched


def match(matching: Matching, wiring: Wiring) -> OutputMatching:
    """Which outputs of both networks correspond."""
    left = dict.fromkeys(enumerate(matching.b.outputs))
    by_edge = {edge: place for place, edge in reversed(left)}
    places: list[tuple[int, int, bool]] = []
    only = []
    for place, (output, x) in enumerate(matching.a.outputs):
        wanted = (output, matching.to_b[x])
        exact = by_edge.get(wanted, -1), wanted
        found = exact if exact in left else _like(wiring, output, x, left)
        if found is None:
            only.append(x)
        else:
            del left[found]
            places.append((place, found[0], found == exact))
    a = _with_nodes(matching.a, only, set(matching.unmatched_a()))
    b = _with_nodes(matching.b, [y for _, (_, y) in left], set(matching.unmatched_b()))
    return OutputMatching(tuple(places), Unmatched(a, b))


def _with_nodes(
    graph: IndexedGraph, only: Sequence[int], unmatched: Set[int]
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Outputs of one network by their nodes, one once for each of its outputs, with the unmatched
    nodes that lead to nothing else; none where some have weights, which are lines of their own.
    """
    outputs = dict.fromkeys(only)
    returned = graph.output_nodes - outputs.keys()
    ends: dict[int, int] = {}
    for node in reversed(range(len(graph))):  # readers come behind what they read
        if node in unmatched and node not in returned:
            readers = [reader for _, reader in graph.users[node]]
            if all(reader in ends for reader in readers) and (readers or node in outputs):
                ends[node] = node if node in outputs else ends[readers[0]]
    found: dict[int, list[int]] = {output: [] for output in outputs}
    for node, output in ends.items():
        found[output].append(node)
    told = {x: () if learned(graph, tuple(of)) else tuple(of) for x, of in found.items()}
    return tuple((output, told[output]) for output in only)


def findings(matching: Matching, found: OutputMatching) -> Iterator[Finding]:
    """Findings on outputs that only one network has, or that have another order or layout."""
    for place, other, exact in found.places:
        if exact:
            yield from layouts.of_output(matching, place, other)
    for x, nodes in found.unmatched.a:
        ids = _ids(matching.a, x, nodes)
        yield _one_sided((ids, ()), ids[0], None)
    for y, nodes in found.unmatched.b:
        ids = _ids(matching.b, y, nodes)
        yield _one_sided(((), ids), None, ids[0])
    order = [other for _, other, _ in found.places]
    if not any((found.unmatched.a, found.unmatched.b)) and order != sorted(order):
        orders = tuple(sorted(order)), tuple(order)
        yield Finding("rewired", "spelling", "output", ((), ()), None, *orders)


def _like(wiring: Wiring, output: int, x: int, left: Iterable[_Output]) -> _Output | None:
    """The first of the outputs `left` that is computed from the same values."""
    return next((e for e in left if e[1][0] == output and wiring.corresponds(x, e[1][1])), None)


def _one_sided(pair: Pair, before: str | None, after: str | None) -> Finding:
    merge_key: Any = ("output", before is None)
    return Finding("rewired", "computes", "output", pair, None, before, after, merge_key=merge_key)


def _ids(graph: IndexedGraph, output: int, nodes: Iterable[int]) -> Ids:
    """The id of an output's layer, and of those that lead to nothing else."""
    return tuple(graph.nodes[node].id for node in dict.fromkeys((output, *nodes)))
