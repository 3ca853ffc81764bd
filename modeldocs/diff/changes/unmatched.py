"""Layers that only one side has: by themselves, in place of others, or regrouped."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from modeldocs.diff.alignment.matching import Matching, operator_of
from modeldocs.diff.changes import attending, blocks, preprocessing, replaced
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.propagated import Cause
from modeldocs.diff.function.canonical_op import INPUT
from modeldocs.diff.fusion.group import FusionGroup, FusionGroups, ids, learned
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

PREPROCESSING: Final = "preprocessing"
"""Operator of the finding on layers that only scale and shift an input."""

UNREAD: Final = "that nothing reads"
"""Where a layer stands whose output is neither read nor handed out."""

Told = tuple[Finding, list[Cause]]
"""A finding, and the nodes whose followers differ because of it."""


def findings(matching: Matching, fusions: FusionGroups) -> Iterator[Told]:
    """One finding for each group, each replacement, each block or layer of one side alone."""
    for group in fusions.groups:
        yield _regrouped(matching, group)
    free_a = [
        i
        for i in matching.unmatched_a()
        if i not in fusions.of_a and i not in matching.partial_joins[0]
    ]
    free_b = [
        j
        for j in matching.unmatched_b()
        if j not in fusions.of_b and j not in matching.partial_joins[1]
    ]
    told_a: set[int] = set()
    told_b: set[int] = set()
    for ours, theirs in replaced.find(matching, free_a, free_b):
        otherwise = attending.finding(matching, ours, theirs)
        if otherwise is not None:
            yield otherwise, _causes(matching, ours, theirs)
        else:
            yield _replaced(matching, ours, theirs)
        told_a.update(ours)
        told_b.update(theirs)
    yield from _only(matching.a, [i for i in free_a if i not in told_a], "deleted", "a")
    yield from _only(matching.b, [j for j in free_b if j not in told_b], "inserted", "b")


def _only(graph: IndexedGraph, free: list[int], kind: str, name: str) -> Iterator[Told]:
    """One finding for each block of one side alone, and for each layer that is in none."""
    told: set[int] = set()
    for nodes, formula in preprocessing.find(graph, free):
        told.update(nodes)
        yield _preprocessing(graph, nodes, formula, kind), [(name, node) for node in nodes]
    free = [node for node in free if node not in told]
    for nodes in blocks.find(graph, free):
        told.update(nodes)
        yield _block(graph, nodes, kind), [(name, node) for node in nodes]
    for node in free:
        if node not in told:
            yield _one_sided(graph, node, kind), [(name, node)]


def _preprocessing(graph: IndexedGraph, nodes: tuple[int, ...], formula: str, kind: str) -> Finding:
    whole = ids(graph, nodes)
    inserted = kind == "inserted"
    return Finding(
        kind,
        "computes",
        PREPROCESSING,
        ((), whole) if inserted else (whole, ()),
        before=None if inserted else formula,
        after=formula if inserted else None,
        delta=learned(graph, nodes) * (1 if inserted else -1),
    )


def _block(graph: IndexedGraph, nodes: tuple[int, ...], kind: str) -> Finding:
    held = learned(graph, nodes)
    operators = blocks.operators(graph, nodes)
    whole = ids(graph, nodes)
    return Finding(
        kind,
        "computes",
        "",
        ((), whole) if kind == "inserted" else (whole, ()),
        before=operators if kind == "deleted" else None,
        after=operators if kind == "inserted" else None,
        alike=("block", blocks.cycle(graph, nodes)),
        delta=held if kind == "inserted" else -held,
        where=_place(graph, nodes[0]),
    )


def _regrouped(matching: Matching, group: FusionGroup) -> Told:
    finding = Finding(
        "regrouped",
        group.consequence,
        "",
        (ids(matching.a, group.a), ids(matching.b, group.b)),
        before=group.compositions[0],
        after=group.compositions[1],
        delta=_more(matching, group),
    )
    return finding, _causes(matching, group.a, group.b)


def _more(matching: Matching, group: FusionGroup) -> int:
    """Parameters that B's layers have more, but for weights that are compared one to one."""
    kept = [(i, matching.to_b[i]) for i in group.a if matching.to_b[i] in group.b]
    weights = sum(_weight(matching.b, j) - _weight(matching.a, i) for i, j in kept)
    return learned(matching.b, group.b) - learned(matching.a, group.a) - weights


def _weight(graph: IndexedGraph, node: int) -> int:
    return prod(dict(graph.ops[node].parameters).get("weight", (0,)))


def _replaced(matching: Matching, ours: tuple[int, ...], theirs: tuple[int, ...]) -> Told:
    finding = Finding(
        "operator",
        "computes",
        "",
        (ids(matching.a, ours), ids(matching.b, theirs)),
        before=blocks.operators(matching.a, ours),
        after=blocks.operators(matching.b, theirs),
        delta=learned(matching.b, theirs) - learned(matching.a, ours),
    )
    return finding, _causes(matching, ours, theirs)


def _causes(matching: Matching, ours: tuple[int, ...], theirs: tuple[int, ...]) -> list[Cause]:
    return [("a", i) for i in ours if matching.to_b[i] < 0] + [
        ("b", j) for j in theirs if matching.to_a[j] < 0
    ]


def _one_sided(graph: IndexedGraph, node: int, kind: str) -> Finding:
    held = learned(graph, (node,))
    own = (graph.nodes[node].id,)
    unread = not graph.users[node] and node not in graph.output_nodes
    means = ("parameters" if held else "spelling") if unread else "computes"
    return Finding(
        kind,
        means,
        operator_of(graph, node),
        ((), own) if kind == "inserted" else (own, ()),
        delta=held if kind == "inserted" else -held,
        where=UNREAD if unread else _place(graph, node),
    )


def _place(graph: IndexedGraph, node: int) -> str:
    if graph.ops[node].operator == INPUT:
        return ""
    if not graph.users[node]:
        return "at the end"
    sources = [source for _, source in graph.sources[node]]
    if all(graph.ops[source].operator == INPUT for source in sources):
        return "at the start"
    first = graph.nodes[sources[0]]
    return f"after {first.name or first.id}"
