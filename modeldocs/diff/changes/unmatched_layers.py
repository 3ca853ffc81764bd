"""Findings on layers that only one graph has: single, replaced, or fused in the other."""

from __future__ import annotations

from collections.abc import Iterator, Set
from math import prod
from typing import Final

from modeldocs.diff.alignment.matching import Matching, operator_of
from modeldocs.diff.changes import attention, blocks, preprocessing, replacements
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.position import END, START, UNREAD, Position
from modeldocs.diff.changes.shape_propagation import Cause
from modeldocs.diff.function.canonical_op import INPUT
from modeldocs.diff.fusion.group import FusionGroup, FusionGroups, ids, learned
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

PREPROCESSING: Final = "preprocessing"
"""Operator of the finding on layers that only scale and shift an input."""


WithCauses = tuple[Finding, list[Cause]]
"""A finding, and the nodes whose followers differ because of it."""


def findings(
    matching: Matching, fusions: FusionGroups, told: tuple[Set[int], Set[int]]
) -> Iterator[WithCauses]:
    """One finding for each fusion, each replacement, and each unmatched block or layer, but for
    nodes of A and of B that are `told`.
    """
    for group in fusions.groups:
        yield _regrouped(matching, group)
    left_out_a = fusions.of_a.keys() | matching.partial_joins[0] | told[0]
    left_out_b = fusions.of_b.keys() | matching.partial_joins[1] | told[1]
    unmatched_a = [i for i in matching.unmatched_a() if i not in left_out_a]
    unmatched_b = [j for j in matching.unmatched_b() if j not in left_out_b]
    reported_a: set[int] = set()
    reported_b: set[int] = set()
    for ours, theirs in replacements.find(matching, unmatched_a, unmatched_b):
        other_axis = attention.finding(matching, ours, theirs)
        if other_axis is not None:
            yield other_axis, _causes(matching, ours, theirs)
        else:
            yield _replaced(matching, ours, theirs)
        reported_a.update(ours)
        reported_b.update(theirs)
    yield from _one_graph(
        matching.a, [i for i in unmatched_a if i not in reported_a], "deleted", "a"
    )
    yield from _one_graph(
        matching.b, [j for j in unmatched_b if j not in reported_b], "inserted", "b"
    )


def _one_graph(
    graph: IndexedGraph, unmatched: list[int], kind: str, name: str
) -> Iterator[WithCauses]:
    """One finding for each unmatched block, and for each layer that is in none."""
    reported: set[int] = set()
    for nodes, formula in preprocessing.find(graph, unmatched):
        reported.update(nodes)
        yield _preprocessing(graph, nodes, formula, kind), [(name, node) for node in nodes]
    unmatched = [node for node in unmatched if node not in reported]
    for nodes in blocks.find(graph, unmatched):
        reported.update(nodes)
        yield _block(graph, nodes, kind), [(name, node) for node in nodes]
    for node in unmatched:
        if node not in reported:
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
        parameter_delta=learned(graph, nodes) * (1 if inserted else -1),
    )


def _block(graph: IndexedGraph, nodes: tuple[int, ...], kind: str) -> Finding:
    parameters = learned(graph, nodes)
    operators = blocks.operators(graph, nodes)
    whole = ids(graph, nodes)
    return Finding(
        kind,
        "computes",
        "",
        ((), whole) if kind == "inserted" else (whole, ()),
        before=operators if kind == "deleted" else None,
        after=operators if kind == "inserted" else None,
        merge_key=("block", blocks.cycle(graph, nodes)),
        parameter_delta=parameters if kind == "inserted" else -parameters,
        place=_place(graph, nodes[0]),
    )


def _regrouped(matching: Matching, group: FusionGroup) -> WithCauses:
    finding = Finding(
        "regrouped",
        group.consequence,
        "",
        (ids(matching.a, group.a), ids(matching.b, group.b)),
        before=group.compositions[0],
        after=group.compositions[1],
        parameter_delta=_parameter_delta(matching, group),
    )
    return finding, _causes(matching, group.a, group.b)


def _parameter_delta(matching: Matching, group: FusionGroup) -> int:
    """The parameters that B's layers have more, but for weights that are compared one to one."""
    kept = [(i, matching.to_b[i]) for i in group.a if matching.to_b[i] in group.b]
    weights = sum(_weight(matching.b, j) - _weight(matching.a, i) for i, j in kept)
    return learned(matching.b, group.b) - learned(matching.a, group.a) - weights


def _weight(graph: IndexedGraph, node: int) -> int:
    return prod(dict(graph.ops[node].parameters).get("weight", (0,)))


def _replaced(matching: Matching, ours: tuple[int, ...], theirs: tuple[int, ...]) -> WithCauses:
    finding = Finding(
        "operator",
        "computes",
        "",
        (ids(matching.a, ours), ids(matching.b, theirs)),
        before=blocks.operators(matching.a, ours),
        after=blocks.operators(matching.b, theirs),
        parameter_delta=learned(matching.b, theirs) - learned(matching.a, ours),
    )
    return finding, _causes(matching, ours, theirs)


def _causes(matching: Matching, ours: tuple[int, ...], theirs: tuple[int, ...]) -> list[Cause]:
    return [("a", i) for i in ours if matching.to_b[i] < 0] + [
        ("b", j) for j in theirs if matching.to_a[j] < 0
    ]


def _one_sided(graph: IndexedGraph, node: int, kind: str) -> Finding:
    parameters = learned(graph, (node,))
    own = (graph.nodes[node].id,)
    unread = not graph.users[node] and node not in graph.output_nodes
    consequence = ("parameters" if parameters else "spelling") if unread else "computes"
    return Finding(
        kind,
        consequence,
        operator_of(graph, node),
        ((), own) if kind == "inserted" else (own, ()),
        parameter_delta=parameters if kind == "inserted" else -parameters,
        place=UNREAD if unread else _place(graph, node),
    )


def _place(graph: IndexedGraph, node: int) -> Position | None:
    if graph.ops[node].operator == INPUT:
        return None
    if not graph.users[node]:
        return END
    sources = [source for _, source in graph.sources[node]]
    if all(graph.ops[source].operator == INPUT for source in sources):
        return START
    first = graph.nodes[sources[0]]
    return Position("behind", first.name or first.id)
