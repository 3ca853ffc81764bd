"""Findings on the outputs of the networks: missing, in another order, in another layout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.wiring import Wiring
from modeldocs.diff.changes import layouts
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.indexing.edges import Edge
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_Output = tuple[int, Edge]
"""An output of the network: its number, and its value."""


def findings(matching: Matching, wiring: Wiring) -> Iterator[Finding]:
    """Findings on outputs that only one network has, or that have another order or layout."""
    left = dict.fromkeys(enumerate(matching.b.outputs))
    places = {edge: place for place, edge in reversed(left)}
    matched, only = [], []
    for place, (output, x) in enumerate(matching.a.outputs):
        wanted = (output, matching.to_b[x])
        exact = places.get(wanted, -1), wanted
        match = exact if exact in left else _like(wiring, output, x, left)
        if match is None:
            only.append(x)
            continue
        del left[match]
        matched.append(match[0])
        if match == exact:
            yield from layouts.of_output(matching, place, match[0])
    for x in only:
        yield _one_sided(_id(matching.a, x), None)
    for _, (_, y) in left:
        yield _one_sided(None, _id(matching.b, y))
    if not only and not left and matched != sorted(matched):
        orders = tuple(sorted(matched)), tuple(matched)
        yield Finding("rewired", "spelling", "output", ((), ()), None, *orders)


def _like(wiring: Wiring, output: int, x: int, left: Iterable[_Output]) -> _Output | None:
    """The first of the outputs `left` that is computed from the same values."""
    return next((e for e in left if e[1][0] == output and wiring.corresponds(x, e[1][1])), None)


def _one_sided(before: str | None, after: str | None) -> Finding:
    pair = ((before,) if before else (), (after,) if after else ())
    merge_key: Any = ("output", before is None)
    return Finding("rewired", "computes", "output", pair, None, before, after, merge_key=merge_key)


def _id(graph: IndexedGraph, node: int) -> str:
    return graph.nodes[node].id
