"""Layers of one graph that are a known decomposition of a layer of the other."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, Final

from modeldocs.diff.alignment.matching import operator_of
from modeldocs.diff.composition import Composition
from modeldocs.diff.function.attributes import COMMUTATIVE
from modeldocs.diff.fusion.patterns import PATTERNS, Pattern, Term
from modeldocs.diff.fusion.view import FusionView, read, readers
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_NORM: Final = "BatchNormalization"
_DEEP: Final = 8
"""Layers of the longest path through a pattern."""


def _by_operator() -> dict[str, list[Pattern]]:
    """Patterns by the operator of their last layer, the longest first."""
    patterns: dict[str, list[Pattern]] = defaultdict(list)
    for pattern in sorted(PATTERNS, key=lambda pattern: -len(pattern.text)):
        patterns[pattern.term.name].append(pattern)
    return patterns


_PATTERNS: Final = _by_operator()


@dataclass(slots=True)
class _Occurrence:
    """An occurrence of a pattern: its nodes, the values of its variables, and its constants."""

    nodes: list[int] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)


def find(view: FusionView) -> None:
    """Group each decomposition with its fused layer."""
    for root in _roots(view):
        names = {view.decomposed.ops[root].operator, operator_of(view.decomposed, root)}
        for pattern in (one for name in sorted(names) for one in _PATTERNS.get(name, ())):
            if _group_if_fused(view, root, pattern):
                break


def _roots(view: FusionView) -> Iterator[int]:
    """Nodes that may end a pattern: unmatched ones, and those that an unmatched one leads to."""
    wanted: set[int] = set()
    waiting = view.unmatched_decomposed()
    for _ in range(_DEEP):
        waiting = [x for x in waiting if x not in wanted]
        wanted.update(waiting)
        near = (user for x in waiting for _, user in view.decomposed.users[x])
        waiting = list(dict.fromkeys(near))
    return iter(sorted(wanted, reverse=True))


def _group_if_fused(view: FusionView, root: int, pattern: Pattern) -> bool:
    occurrence = _Occurrence()
    if not _satisfies(view.decomposed, root, pattern.term, occurrence):
        return False
    nodes = tuple(sorted(set(occurrence.nodes)))
    inner = set(nodes) - {root}
    if any(not set(readers(view.decomposed, x)) <= set(nodes) for x in inner):
        return False
    fused = next((y for y in _candidates(view, root, occurrence) if _fits(view, pattern, y)), None)
    if fused is None or not view.are_ungrouped(nodes, (fused,)):
        return False
    beside = _mismatched(view, root, fused, occurrence)
    if not view.are_closed((*nodes, *beside), (fused,)):
        return False
    if view.to_decomposed[fused] in nodes and len(nodes) == 1:
        return False
    if not _agree(view.fused_graph, fused, occurrence):
        return False
    if not beside and not _meets(view, root, fused, occurrence):
        return False
    if pattern.consequence == "spelling" and not view.learn_equally(nodes, (fused,), but="weight"):
        return False
    compositions = _composition(view.decomposed, nodes), _with_bias(view.fused_graph, fused)
    view.group(nodes, (fused,), compositions, pattern.consequence, loose=beside)
    return True


def _mismatched(
    view: FusionView, root: int, fused: int, occurrence: _Occurrence
) -> tuple[int, ...]:
    """The layer next to a decomposition that the fused layer is wrongly matched to.

    A new activation before a decomposed Gelu is as similar to the Gelu as its parts are.
    """
    at = view.to_decomposed[fused]
    near = {*occurrence.values.values(), *readers(view.decomposed, root)} - {*occurrence.nodes}
    if at not in near:
        return ()
    ours, theirs = view.decomposed.ops[at], view.fused_graph.ops[fused]
    if ours.parameters or theirs.parameters or ours.operator == theirs.operator:
        return ()
    return (at,)


def _satisfies(graph: IndexedGraph, node: int, term: Term, occurrence: _Occurrence) -> bool:
    """Whether a node satisfies a term, with all that it reads."""
    if term.variable:
        return occurrence.values.setdefault(term.name, node) == node
    op = graph.ops[node]
    sources = read(graph, node)
    if term.name not in (op.operator, operator_of(graph, node)):
        return False
    if len(sources) != len(term.operands):
        return False
    if not all(_one_per_channel(dict(op.parameters).get(role)) for role in term.learned):
        return False
    if not all(
        _has_value(dict(op.declared), name, value, occurrence) for name, value in term.attributes
    ):
        return False
    occurrence.nodes.append(node)
    orders = permutations(sources) if op.operator in COMMUTATIVE else [tuple(sources)]
    return any(_all_satisfied(graph, order, term, occurrence) for order in orders)


def _all_satisfied(
    graph: IndexedGraph, sources: tuple[int, ...], term: Term, occurrence: _Occurrence
) -> bool:
    before = list(occurrence.nodes), dict(occurrence.values), dict(occurrence.constants)
    if all(
        _satisfies(graph, x, y, occurrence) for x, y in zip(sources, term.operands, strict=True)
    ):
        return True
    occurrence.nodes, occurrence.values, occurrence.constants = before
    return False


def _has_value(declared: dict[str, Any], name: str, value: Any, occurrence: _Occurrence) -> bool:
    actual = declared.get(name)
    if isinstance(actual, tuple) and actual:
        actual = actual[0]
    if isinstance(value, str) and value.startswith("$"):
        return actual is not None and occurrence.constants.setdefault(value[1:], actual) == actual
    if isinstance(value, str):
        return bool(actual == value)
    return isinstance(actual, int | float) and math.isclose(actual, value, rel_tol=1e-5)


def _one_per_channel(shape: tuple[int, ...] | None) -> bool:
    """Whether a learned operand has one value per channel."""
    return shape is not None and sum(size > 1 for size in shape) <= 1


def _candidates(view: FusionView, root: int, occurrence: _Occurrence) -> Iterator[int]:
    """Nodes of the fused graph that may be the fused layer, the likeliest first."""
    yield from (y for y in map(view.to_fused.__getitem__, occurrence.nodes) if y >= 0)
    for x in occurrence.values.values():
        if view.to_fused[x] >= 0:
            yield from readers(view.fused_graph, view.to_fused[x])
    for x in readers(view.decomposed, root):
        if x >= 0 and view.to_fused[x] >= 0:
            yield from read(view.fused_graph, view.to_fused[x])


def _fits(view: FusionView, pattern: Pattern, y: int) -> bool:
    """Whether a node of the fused graph satisfies the pattern by itself."""
    fused = pattern.fused
    if y < 0 or view.fused_graph.ops[y].operator != fused.name:
        return False
    declared = dict(view.fused_graph.ops[y].declared)
    known = [(name, value) for name, value in fused.attributes if name in declared]
    return all(_has_value(declared, name, value, _Occurrence()) for name, value in known)


def _agree(graph: IndexedGraph, fused: int, occurrence: _Occurrence) -> bool:
    """Whether the constants constants from a decomposition are the fused layer's attributes."""
    declared = dict(graph.ops[fused].declared)
    return all(declared.get(name) == value for name, value in occurrence.constants.items())


def _meets(view: FusionView, root: int, fused: int, occurrence: _Occurrence) -> bool:
    """Whether the fused layer has the counterparts of the decomposition's operands and readers.

    One that is matched with a part of it does. But a norm that is at another place of the fused
    graph has moved, and is not folded into the layer.
    """
    if view.to_decomposed[fused] in occurrence.nodes:
        if _learns_after(view, fused):
            return False
        return _NORM not in _operators(view.decomposed, occurrence.nodes) or _may_fold(view, fused)
    wanted = {view.to_fused[x] for x in occurrence.values.values()} - {-1}
    fed = {view.to_fused[x] for x in readers(view.decomposed, root) if x >= 0} - {-1}
    sources, users = read(view.fused_graph, fused), readers(view.fused_graph, fused)
    return (not wanted or wanted <= set(sources)) and (not fed or bool(fed & set(users)))


def _may_fold(view: FusionView, fused: int) -> bool:
    """Whether a norm may be folded into a layer: it has a bias, or its graph has no norms."""
    return "bias" in dict(view.fused_graph.ops[fused].parameters) or _NORM not in view.operators


def _learns_after(view: FusionView, fused: int) -> bool:
    """Whether an unmatched layer directly after a layer has the decomposition's parameters."""
    after = (y for y in readers(view.fused_graph, fused) if y >= 0 and view.to_decomposed[y] < 0)
    return any(view.fused_graph.ops[y].parameters for y in after)


def _operators(graph: IndexedGraph, nodes: list[int]) -> set[str]:
    return {graph.ops[node].operator for node in nodes}


def _composition(graph: IndexedGraph, nodes: tuple[int, ...]) -> Composition:
    return Composition(operators=tuple(operator_of(graph, node) for node in nodes))


def _with_bias(graph: IndexedGraph, fused: int) -> Composition:
    """The fused layer, and whether it has a bias."""
    parameters = dict(graph.ops[fused].parameters)
    bias = "bias" in parameters if "weight" in parameters else None
    return Composition(operators=(operator_of(graph, fused),), bias=bias)
