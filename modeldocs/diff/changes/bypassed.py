"""Layers that compute nothing (Dropout): matched by what is around them, told as spelling."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from modeldocs.diff.alignment.pairing import Pairing, operator_of
from modeldocs.diff.alignment.sides import Bypassed, Side
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.diff import Match
from modeldocs.diff.function.attributes import stated

_NEAR: Final = 4
"""Steps between the places of two such layers that one is still said to have moved."""

_MOST: Final = 10_000
"""Pairs left over beyond which none is said to have moved."""

_FAR: Final = 16
"""Layers of one side alone that are looked through for what a layer reads."""


class Idle(NamedTuple):
    """A layer of A that computes nothing, its counterpart, and why it is that."""

    a: Bypassed
    b: Bypassed
    reason: str
    confidence: float

    @property
    def moved(self) -> bool:
        """Whether the two stand in different places."""
        return self.confidence < 0.6


class IdlePairs:
    """The layers of a pairing that compute nothing."""

    def __init__(self, pairing: Pairing) -> None:
        self.pairing = pairing
        self.pairs: list[Idle] = []
        self.free_a, self.free_b = list(pairing.a.bypassed), list(pairing.b.bypassed)
        if self.free_a and self.free_b:
            self._by_source()
        if self.free_a and self.free_b:
            self._by_readers()
        if self.free_a and self.free_b:
            self._by_ancestor()
        if self.free_a and self.free_b:
            self._nearby()

    def _by_source(self) -> None:
        to_b = self.pairing.to_b
        self._match(
            lambda entry: to_b[entry.source],
            lambda entry: entry.source,
            ("reads the same", 0.9),
        )

    def _by_readers(self) -> None:
        ours, theirs = _readers(self.pairing.a), _readers(self.pairing.b)
        to_b = self.pairing.to_b
        self._match(
            lambda entry: frozenset(to_b[x] for x in ours[entry.layer.id]) - {-1} or None,
            lambda entry: frozenset(theirs[entry.layer.id]) or None,
            ("is read by the same", 0.8),
        )

    def _by_ancestor(self) -> None:
        pairing = self.pairing
        self._match(
            lambda entry: _counterpart(pairing, _anchor(pairing.a, entry.source, pairing.to_b)),
            lambda entry: _anchor(pairing.b, entry.source, pairing.to_a),
            ("reads what is made of the same", 0.7),
        )

    def _match(
        self,
        ours: Callable[[Bypassed], Any],
        theirs: Callable[[Bypassed], Any],
        why: tuple[str, float],
    ) -> None:
        """Pair layers of one operator and one key, in the order they stand."""
        waiting: dict[tuple[str, Any], list[Bypassed]] = defaultdict(list)
        for entry in self.free_b:
            key = theirs(entry)
            if key is not None and key != -1:
                waiting[entry.layer.operator, key].append(entry)
        for entry in list(self.free_a):
            others = waiting.get((entry.layer.operator, ours(entry)))
            if others:
                self._take(Idle(entry, others.pop(0), *why))

    def _nearby(self) -> None:
        """A layer left over on either side, not far from each other, has moved."""
        pairing = self.pairing
        if len(self.free_a) * len(self.free_b) > _MOST:
            return
        for entry in list(self.free_a):
            anchor = _counterpart(pairing, _anchor(pairing.a, entry.source, pairing.to_b))
            for other in self.free_b:
                same = other.layer.operator == entry.layer.operator
                if same and anchor >= 0 and _close(pairing.b, anchor, other.source):
                    self._take(Idle(entry, other, "stands nearby", 0.5))
                    break

    def _take(self, idle: Idle) -> None:
        self.pairs.append(idle)
        self.free_a.remove(idle.a)
        self.free_b.remove(idle.b)

    def matches(self, *, turned: bool) -> Iterator[Match]:
        """The pairs, from B to A where `turned`, with why they are held to be the same."""
        for idle in self.pairs:
            a, b = (idle.a.layer.id,), (idle.b.layer.id,)
            a, b = (b, a) if turned else (a, b)
            reason = f"computes nothing, and {idle.reason}"
            yield Match(a=a, b=b, reason=reason, confidence=idle.confidence)

    def findings(self) -> Iterator[Finding]:
        """To have such a layer or not, here or there, is spelling."""
        for entry in self.free_a:
            yield Finding("deleted", "spelling", entry.layer.operator, ((entry.layer.id,), ()))
        for entry in self.free_b:
            yield Finding("inserted", "spelling", entry.layer.operator, ((), (entry.layer.id,)))
        for idle in self.pairs:
            yield from self._differing(idle)

    def _differing(self, idle: Idle) -> Iterator[Finding]:
        first, second = idle.a.layer, idle.b.layer
        pair = (first.id,), (second.id,)
        if idle.moved:
            a, b = self.pairing.a, self.pairing.b
            places = operator_of(a, idle.a.source), operator_of(b, idle.b.source)
            yield Finding("moved", "spelling", first.operator, pair, None, *places)
        before, after = stated(first), stated(second)
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                values = before.get(name), after.get(name)
                yield Finding("attribute", "spelling", first.operator, pair, name, *values)


def _readers(side: Side) -> dict[str, list[int]]:
    """The nodes that read each layer that computes nothing, straight or through others."""
    numbers = {entry.id: node for node, entry in enumerate(side.nodes)}
    found: dict[str, list[int]] = defaultdict(list)
    idle = {entry.layer.id for entry in side.bypassed}
    for layer in reversed(side.graph.layers):
        for operand in layer.inputs:
            if operand.value in idle:
                own = [numbers[layer.id]] if layer.id in numbers else found[layer.id]
                found[operand.value].extend(own)
    return found


def _anchor(side: Side, node: int, counterpart: list[int]) -> int:
    """The nearest matched node that a node is, or is made of."""
    for _ in range(_FAR):
        if counterpart[node] >= 0:
            return node
        if not side.sources[node]:
            return -1
        node = side.sources[node][0][1]
    return -1


def _counterpart(pairing: Pairing, node: int) -> int:
    return pairing.to_b[node] if node >= 0 else -1


def _close(side: Side, first: int, second: int) -> bool:
    return abs(side.depths[first] - side.depths[second]) <= _NEAR
