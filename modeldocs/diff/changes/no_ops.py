"""Layers that compute nothing (Dropout), matched by their neighbours and reported as spelling."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from modeldocs.diff.alignment.matching import Matching, operator_of
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.diff import Match
from modeldocs.diff.function.attributes import declared
from modeldocs.diff.indexing.indexed_graph import Bypassed, IndexedGraph
from modeldocs.ir import Layer

_NEAR: Final = 4
"""Difference of depth within which two such layers count as one that moved. With 2, 6 diffs of the
catalog change, such as AlexNet's; with 8 none."""

_MOST: Final = 10_000
"""Unmatched pairs beyond which none counts as moved: the bound on its time."""

_FAR: Final = 16
"""Unmatched layers that are passed to find a matched one that a layer is made from."""


_NEARBY: Final = 0.5
"""Confidence of layers that moved: less than that of layers with a neighbour in common."""


class NoOp(NamedTuple):
    """A layer of A that computes nothing, its counterpart, and the reason of the match."""

    a: Bypassed
    b: Bypassed
    reason: str
    confidence: float

    @property
    def moved(self) -> bool:
        """Whether the two are at different places."""
        return self.confidence == _NEARBY


class NoOpPairs:
    """The matched layers that compute nothing, and the unmatched ones."""

    def __init__(self, matching: Matching) -> None:
        self.matching = matching
        self.pairs: list[NoOp] = []
        self.free_a, self.free_b = list(matching.a.bypassed), list(matching.b.bypassed)
        if self.free_a and self.free_b:
            self._by_source()
        if self.free_a and self.free_b:
            self._by_readers()
        if self.free_a and self.free_b:
            self._by_ancestor()
        if self.free_a and self.free_b:
            self._nearby()
        self.acting: set[str] = set()
        """Layers that compute something in one graph, and whose counterparts compute nothing."""
        self._switched()

    def _by_source(self) -> None:
        to_b = self.matching.to_b
        self._match(
            lambda entry: to_b[entry.source],
            lambda entry: entry.source,
            ("reads the same", 0.9),
        )

    def _by_readers(self) -> None:
        ours, theirs = _readers(self.matching.a), _readers(self.matching.b)
        to_b = self.matching.to_b
        self._match(
            lambda entry: frozenset(to_b[x] for x in ours[entry.layer.id]) - {-1} or None,
            lambda entry: frozenset(theirs[entry.layer.id]) or None,
            ("is read by the same", 0.8),
        )

    def _by_ancestor(self) -> None:
        matching = self.matching
        self._match(
            lambda entry: _counterpart(matching, _anchor(matching.a, entry.source, matching.to_b)),
            lambda entry: _anchor(matching.b, entry.source, matching.to_a),
            ("reads values computed from the same", 0.7),
        )

    def _match(
        self,
        ours: Callable[[Bypassed], Any],
        theirs: Callable[[Bypassed], Any],
        why: tuple[str, float],
    ) -> None:
        """Match layers of one operator and one key, in their order."""
        waiting: dict[tuple[str, Any], list[Bypassed]] = defaultdict(list)
        for entry in self.free_b:
            key = theirs(entry)
            if key is not None and key != -1:
                waiting[entry.layer.operator, key].append(entry)
        for entry in list(self.free_a):
            others = waiting.get((entry.layer.operator, ours(entry)))
            if others:
                self._take(NoOp(entry, others.pop(0), *why))

    def _nearby(self) -> None:
        """Match unmatched layers that are near each other, as moved."""
        matching = self.matching
        if len(self.free_a) * len(self.free_b) > _MOST:
            return
        for entry in list(self.free_a):
            anchor = _counterpart(matching, _anchor(matching.a, entry.source, matching.to_b))
            for other in self.free_b:
                same = other.layer.operator == entry.layer.operator
                if same and anchor >= 0 and _close(matching.b, anchor, other.source):
                    self._take(NoOp(entry, other, "is nearby", _NEARBY))
                    break

    def _switched(self) -> None:
        """Match layers that compute nothing to ones of the same operator that do (Dropout)."""
        matching = self.matching
        for entry in list(self.free_a):
            other = _acting(entry, matching.to_b, matching.to_a, matching.b, self.acting)
            if other is not None:
                self._switch(NoOp(entry, other, "reads the same", 0.9), other)
                self.free_a.remove(entry)
        for entry in list(self.free_b):
            other = _acting(entry, matching.to_a, matching.to_b, matching.a, self.acting)
            if other is not None:
                self._switch(NoOp(other, entry, "reads the same", 0.9), other)
                self.free_b.remove(entry)

    def _switch(self, pair: NoOp, acting: Bypassed) -> None:
        self.pairs.append(pair)
        self.acting.add(acting.layer.id)

    def _take(self, pair: NoOp) -> None:
        self.pairs.append(pair)
        self.free_a.remove(pair.a)
        self.free_b.remove(pair.b)

    def matches(self) -> Iterator[Match]:
        """The pairs as matches."""
        for one in self.pairs:
            reason = f"computes nothing, and {one.reason}"
            yield Match((one.a.layer.id,), (one.b.layer.id,), reason, one.confidence)

    def findings(self) -> Iterator[Finding]:
        """Findings of spelling on layers that only one graph has, or has at another place."""
        for entry in self.free_a:
            yield Finding("deleted", "spelling", entry.layer.operator, ((entry.layer.id,), ()))
        for entry in self.free_b:
            yield Finding("inserted", "spelling", entry.layer.operator, ((), (entry.layer.id,)))
        for one in self.pairs:
            yield from self._differing(one)

    def _differing(self, matched: NoOp) -> Iterator[Finding]:
        first, second = matched.a.layer, matched.b.layer
        pair = (first.id,), (second.id,)
        if matched.moved:
            a, b = self.matching.a, self.matching.b
            places = operator_of(a, matched.a.source), operator_of(b, matched.b.source)
            yield Finding("moved", "spelling", first.operator, pair, None, *places)
        before, after = declared(first), declared(second)
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                values = before.get(name), after.get(name)
                acts = first.id in self.acting or second.id in self.acting
                consequence = "computes" if acts and name == "training_mode" else "spelling"
                if name == "training_mode":
                    values = before.get(name, 0), after.get(name, 0)
                yield Finding("attribute", consequence, first.operator, pair, name, *values)


def _acting(
    entry: Bypassed, counterpart: list[int], back: list[int], other: IndexedGraph, taken: set[str]
) -> Bypassed | None:
    """The unmatched layer of the same operator that reads the counterpart of an entry's source."""
    source = counterpart[entry.source]
    for _, node in other.users[source] if source >= 0 else ():
        layer = other.nodes[node]
        if back[node] >= 0 or not isinstance(layer, Layer) or layer.id in taken:
            continue
        if layer.operator == entry.layer.operator:
            return Bypassed(layer, source)
    return None


def _readers(graph: IndexedGraph) -> dict[str, list[int]]:
    """The nodes that read each layer that computes nothing, directly or through others."""
    numbers = {entry.id: node for node, entry in enumerate(graph.nodes)}
    readers: dict[str, list[int]] = defaultdict(list)
    no_ops = {entry.layer.id for entry in graph.bypassed}
    for layer in reversed(graph.graph.layers):
        for operand in layer.inputs:
            if operand.value in no_ops:
                own = [numbers[layer.id]] if layer.id in numbers else readers[layer.id]
                readers[operand.value].extend(own)
    return readers


def _anchor(graph: IndexedGraph, node: int, counterpart: list[int]) -> int:
    """The node itself if it is matched, or the nearest matched one among its ancestors."""
    for _ in range(_FAR):
        if counterpart[node] >= 0:
            return node
        if not graph.sources[node]:
            return -1
        node = graph.sources[node][0][1]
    return -1


def _counterpart(matching: Matching, node: int) -> int:
    return matching.to_b[node] if node >= 0 else -1


def _close(graph: IndexedGraph, first: int, second: int) -> bool:
    return abs(graph.depths[first] - graph.depths[second]) <= _NEAR
