"""The matching of two graphs: the counterpart of each node, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from modeldocs.diff.indexing.edges import Edge
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.indexing.node_kinds import LAYER_LEVELS

_LabelRows = npt.NDArray[np.uint64]

_NONE: Final = -1

_NEARLY: Final = 50
"""A matching that leaves less than one in so many nodes is left to propagation and the gaps: the
neighbourhoods of the few that remain are matched, and say more than labels do. With 10, 25 or 100
no diff of tests/diff or of the catalog changes."""


class Matching:
    """A one-to-one matching of two graphs, with the reason of each pair.

    `to_b[i]` is the counterpart of A's node i, -1 where it has none; `to_a` the other way round.
    By A's node, `reasons` has a pair's reason and confidence, and `propagated_from` the pair that
    led to it. `moved` are the nodes of A that have another place in B; `moved_with` has the same
    node for all that moved together. `partial_joins` are nodes of A, and of B, that join some
    operands of a join of the other graph.
    """

    def __init__(self, a: IndexedGraph, b: IndexedGraph) -> None:
        self.a, self.b = a, b
        self.to_b = [_NONE] * len(a)
        self.to_a = [_NONE] * len(b)
        self.reasons: dict[int, tuple[str, float]] = {}
        self.propagated_from: dict[int, tuple[int, int]] = {}
        self.moved: set[int] = set()
        self.moved_with: dict[int, int] = {}
        self.partial_joins: tuple[set[int], set[int]] = (set(), set())

    @cached_property
    def label_rows(self) -> tuple[_LabelRows, _LabelRows]:
        """The neighbourhood labels of A's nodes and of B's, a row a node: all radii and levels."""
        return _label_rows(self.a), _label_rows(self.b)

    @cached_property
    def label_bytes(self) -> tuple[list[bytes], list[bytes]]:
        """The same rows as bytes, which are equal where all labels are."""
        ours, theirs = self.label_rows
        return _row_bytes(ours), _row_bytes(theirs)

    def mirrored(self) -> Matching:
        """The same matching seen from B; the two share `to_b` and `to_a`."""
        other = copy(self)
        other.a, other.b = self.b, self.a
        other.to_b, other.to_a = self.to_a, self.to_b
        other.reasons = {j: self.reasons[i] for i, j in self.pairs()}
        other.propagated_from = {self.to_b[i]: (y, x) for i, (x, y) in self.propagated_from.items()}
        other.moved = {self.to_b[i] for i in self.moved}
        other.partial_joins = self.partial_joins[::-1]
        other.moved_with = {self.to_b[i]: first for i, first in self.moved_with.items()}
        other.__dict__.pop("label_rows", None)
        other.__dict__.pop("label_bytes", None)
        return other

    def restricted(self, pairs: Iterable[tuple[int, int]]) -> Matching:
        """A new matching of the same graphs with only these of its pairs."""
        other = Matching(self.a, self.b)
        for i, j in pairs:
            other.match(i, j, *self.reasons[i])
        return other

    def match(
        self, i: int, j: int, reason: str, confidence: float, origin: tuple[int, int] | None = None
    ) -> None:
        """Make A's node i and B's node j counterparts; `origin` is the pair that led to them."""
        self.to_b[i], self.to_a[j] = j, i
        self.reasons[i] = (reason, confidence)
        if origin is not None:
            self.propagated_from[i] = origin

    def unmatch(self, i: int) -> None:
        """Take its counterpart from A's node i, if it has one."""
        if self.to_b[i] >= 0:
            self.to_a[self.to_b[i]] = self.to_b[i] = _NONE
            del self.reasons[i]
            self.propagated_from.pop(i, None)
            self.moved.discard(i)

    def rematch(
        self, pairs: Iterable[tuple[int, int]], reasons: Mapping[int, tuple[str, float]]
    ) -> None:
        """Give A's nodes these counterparts, none for -1.

        The counterparts must be unmatched, or matched to nodes that are among `pairs`.
        """
        pairs = list(pairs)
        for i, _ in pairs:
            self.unmatch(i)
        for i, j in pairs:
            if j >= 0:
                self.match(i, j, *reasons[i])

    def differences(self, other: Matching) -> set[int]:
        """A's nodes that have another counterpart in another matching of the same graphs."""
        return {i for i, j in enumerate(self.to_b) if j != other.to_b[i]}

    def reason(self, i: int, *, turned: bool) -> str:
        """The reason for the counterpart of A's node i, read from B to A where `turned`."""
        reason = self.reasons[i][0]
        if i not in self.propagated_from:
            return reason
        x, y = self.propagated_from[i]
        if self.to_b[x] != y:
            return f"propagated {reason}"
        pair = self.a.nodes[x].id, self.b.nodes[y].id
        return f"propagated from {' → '.join(pair[::-1] if turned else pair)} {reason}"

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs (node of A, node of B) in A's order."""
        return ((i, j) for i, j in enumerate(self.to_b) if j >= 0)

    def both_unmatched(self, i: int, j: int) -> bool:
        """Whether neither node has a counterpart."""
        return self.to_b[i] < 0 and self.to_a[j] < 0

    def unmatched_a(self) -> list[int]:
        """A's nodes without a counterpart, in order."""
        return unmatched_nodes(self.to_b)

    def unmatched_b(self) -> list[int]:
        """B's nodes without a counterpart, in order."""
        return unmatched_nodes(self.to_a)

    @property
    def exhausted(self) -> bool:
        """Whether all nodes of A, or all of B, have a counterpart."""
        return _NONE not in self.to_b or _NONE not in self.to_a

    def nearly_matched(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        """Whether hardly any of these nodes of A, or of these of B, is without a counterpart."""
        unmatched = min(_unmatched(self.to_b, ours), _unmatched(self.to_a, theirs))
        return unmatched * _NEARLY < min(len(ours), len(theirs))

    def frontier(self) -> list[tuple[int, int]]:
        """The pairs next to an unmatched node of A, in A's order."""
        near = {other for node in self.unmatched_a() for other in self.a.neighbours(node)}
        return [(i, self.to_b[i]) for i in sorted(near) if self.to_b[i] >= 0]

    def edge_pairs(self, i: int, j: int) -> list[tuple[list[Edge], list[Edge]]]:
        """The edges of both nodes that may correspond; of two anchors those between anchors too."""
        a, b = self.a, self.b
        pairs = [(a.sources[i], b.sources[j]), (a.users[i], b.users[j])]
        ours, theirs = a.groups, b.groups
        if ours.is_anchor(i) and theirs.is_anchor(j):
            pairs.append((ours.sources[i], theirs.sources[j]))
            pairs.append((ours.users[i], theirs.users[j]))
        return pairs

    def label_columns(self) -> Iterator[tuple[Sequence[object], Sequence[object]]]:
        """Labels of A's nodes and of B's for the neighbours of hubs, the strictest first."""
        yield self.label_bytes
        levels = [(self.a.labels[level], self.b.labels[level]) for level in LAYER_LEVELS]
        for a, b in levels[:-1]:
            yield a.upstream, b.upstream
            yield a.downstream, b.downstream
        for a, b in levels:
            yield a.neighbourhoods[-1].tolist(), b.neighbourhoods[-1].tolist()
            yield a.neighbourhoods[0].tolist(), b.neighbourhoods[0].tolist()


def operator_of(graph: IndexedGraph, node: int) -> str:
    """The operator of a node as its source names it, `input` for a graph input."""
    return getattr(graph.nodes[node], "operator", graph.ops[node].operator)


def operators_of(matching: Matching, i: int) -> tuple[str, str]:
    """The operator of a pair as A names it, and B's where it computes something else."""
    ours, theirs = operator_of(matching.a, i), operator_of(matching.b, matching.to_b[i])
    same = matching.a.ops[i].operator == matching.b.ops[matching.to_b[i]].operator
    return ours, "" if same or ours == theirs else theirs


def unmatched_nodes(counterpart: list[int]) -> list[int]:
    """The nodes of a graph without a counterpart, in order."""
    nodes: list[int] = []
    start = 0
    for _ in range(counterpart.count(_NONE)):
        nodes.append(counterpart.index(_NONE, start))
        start = nodes[-1] + 1
    return nodes


def _unmatched(counterpart: list[int], among: Sequence[int]) -> int:
    return list(map(counterpart.__getitem__, among)).count(_NONE)


def _row_bytes(rows: _LabelRows) -> list[bytes]:
    width = rows.shape[1] * rows.itemsize
    data = rows.tobytes()
    return [data[start : start + width] for start in range(0, len(data), width)]


def _label_rows(graph: IndexedGraph) -> _LabelRows:
    columns = [column for level in LAYER_LEVELS for column in graph.labels[level].neighbourhoods]
    return np.stack(columns, axis=1)
