"""Whether matched layers read the same values, through layers that only one graph has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.indexing.edges import Edge
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.ir import operators

_FARTHEST: Final = 200
"""Unmatched layers that are walked through before an edge is given up as unknown, and operands
that are counted of a nest of Concats."""


class Wiring:
    """The edges of a finished matching.

    An edge of A corresponds to one of B if they lead to counterparts. Unmatched and moved layers
    are passed: the matched layers beyond them are compared.
    """

    def __init__(self, matching: Matching) -> None:
        self.matching = matching

    def differing_operands(self, i: int, j: int) -> list[tuple[int, int]]:
        """Operands (A's source, B's source; -1 for none) of a pair that do not correspond."""
        a, b = self.matching.a, self.matching.b
        ours, theirs = a.sources[i], b.sources[j]
        in_any_order = operators.of(a.ops[i].operator).commutative
        counterparts = self._counterparts(ours)
        if in_any_order:
            counterparts.sort()
        if counterparts == theirs and self.matching.moved.isdisjoint([x for _, x in ours]):
            return []
        if in_any_order:
            return self._unordered(ours, theirs)
        if same_concatenation(self.matching, i, j, self.corresponds):
            return []
        by_code_a, by_code_b = dict(ours), dict(theirs)
        differing = []
        for code in sorted(by_code_a.keys() | by_code_b.keys()):
            x, y = by_code_a.get(code, -1), by_code_b.get(code, -1)
            if not self.corresponds(x, y):
                differing.append((x, y))
        return differing

    def _counterparts(self, edges: list[Edge]) -> list[Edge]:
        to_b = self.matching.to_b
        return [(code, to_b[node]) for code, node in edges]

    def _unordered(self, ours: list[Edge], theirs: list[Edge]) -> list[tuple[int, int]]:
        """Differing operands of an operator that reads them in any order."""
        partial_a, partial_b = self.matching.partial_joins
        ours = _expanded(self.matching.a, ours, partial_a)
        left = _expanded(self.matching.b, theirs, partial_b)
        alone = []
        for code, x in sorted(ours, key=lambda edge: self._is_passed_a(edge[1])):
            same = [e for e in left if e[0] == code and self.corresponds(x, e[1])]
            exact = [e for e in same if e[1] == self.matching.to_b[x]]
            if same:
                left.remove((exact or same)[0])
            else:
                alone.append(x)
        rest = [y for _, y in left]
        size = max(len(alone), len(rest))
        return list(
            zip(alone + [-1] * (size - len(alone)), rest + [-1] * (size - len(rest)), strict=True)
        )

    def corresponds(self, x: int, y: int) -> bool:
        """Whether A's node x and B's node y output the same value, up to layers that are passed."""
        if x < 0 or y < 0:
            return self._is_passed(x, y)
        if not self._is_passed_a(x) and not self._is_passed_b(y):
            return self.matching.to_b[x] == y
        behind_a, behind_b = self._behind_a(x), self._behind_b(y)
        if behind_a is None or behind_b is None or not behind_a or not behind_b:
            return True
        return not behind_a.isdisjoint(behind_b)

    def in_place(self, i: int, j: int) -> bool:
        """Whether both read and feed corresponding nodes."""
        return not self.differing_operands(i, j) and self.same_readers(i, j)

    def same_readers(self, i: int, j: int) -> bool:
        """Whether the matched readers of both nodes are counterparts."""
        a, b, to_b = self.matching.a, self.matching.b, self.matching.to_b
        ours = {to_b[node] for _, node in a.users[i] if to_b[node] >= 0}
        theirs = {node for _, node in b.users[j] if self.matching.to_a[node] >= 0}
        return ours == theirs

    def _is_passed(self, x: int, y: int) -> bool:
        """Whether an operand that only one graph has is the output of a layer that is passed."""
        return self._is_passed_a(x) if x >= 0 else self._is_passed_b(y)

    def _is_passed_a(self, x: int) -> bool:
        if self.matching.to_b[x] < 0:
            return x not in self.matching.partial_joins[0]
        return x in self.matching.moved

    def _is_passed_b(self, y: int) -> bool:
        if self.matching.to_a[y] < 0:
            return y not in self.matching.partial_joins[1]
        return self.matching.to_a[y] in self.matching.moved

    def _behind_a(self, x: int) -> set[int] | None:
        nodes = _behind(self.matching.a, x, self._is_passed_a)
        return None if nodes is None else {self.matching.to_b[node] for node in nodes}

    def _behind_b(self, y: int) -> set[int] | None:
        return _behind(self.matching.b, y, self._is_passed_b)


def same_concatenation(
    matching: Matching, i: int, j: int, corresponds: Callable[[int, int], bool]
) -> bool:
    """Whether two Concats join the same values in the same order, nested or not.

    `joins.flatten` leaves a Concat nested where another layer is between it and its reader.
    """
    if matching.a.ops[i].operator != "Concat":
        return False
    ours = _concatenated(matching.a, i, matching.to_b)
    theirs = _concatenated(matching.b, j, matching.to_a)
    return len(ours) == len(theirs) and all(map(corresponds, ours, theirs))


def _concatenated(graph: IndexedGraph, node: int, counterpart: list[int]) -> list[int]:
    """The operands of a Concat and of those nested in it, past unmatched layers of one operand."""
    values: list[int] = []
    waiting = [x for _, x in sorted(graph.sources[node], reverse=True)]
    while waiting and len(values) < _FARTHEST:
        x = behind = waiting.pop()
        while counterpart[behind] < 0 and len(graph.sources[behind]) == 1:
            behind = graph.sources[behind][0][1]
        if behind != x and graph.ops[behind] == graph.ops[node]:
            waiting += [y for _, y in sorted(graph.sources[behind], reverse=True)]
        else:
            values.append(x)
    return values


def _expanded(graph: IndexedGraph, edges: list[Edge], partial: set[int]) -> list[Edge]:
    """The edges of a join, with those of its partial joins in their place."""
    if not any(node in partial for _, node in edges):
        return list(edges)
    return [
        inner
        for code, node in edges
        for inner in (graph.sources[node] if node in partial else [(code, node)])
    ]


def _behind(graph: IndexedGraph, start: int, is_passed: Callable[[int], bool]) -> set[int] | None:
    """The nodes that `start` is computed from through passed ones; None beyond `_FARTHEST`."""
    behind: set[int] = set()
    seen = {start}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if not is_passed(node):
            behind.add(node)
            continue
        for _, source in graph.sources[node]:
            if source not in seen:
                seen.add(source)
                waiting.append(source)
        if len(seen) > _FARTHEST:
            return None
    return behind
