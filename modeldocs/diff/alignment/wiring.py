"""Whether matched layers read the same: edges compared through layers only one side has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from modeldocs.diff.alignment.digests import Edge
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.function.attributes import COMMUTATIVE

_FAR: Final = 200
"""Unmatched layers that are walked through before an edge is given up as unknown, and operands
that a Concat is held to have at most."""


class Wiring:
    """The edges of a finished matching.

    Layers without a counterpart, and moved ones, are looked through: an edge corresponds if
    what it leads to on one side is the counterpart of what it leads to on the other.
    """

    def __init__(self, pairing: Pairing) -> None:
        self.pairing = pairing

    def differing(self, i: int, j: int) -> list[tuple[int, int]]:
        """Edges (A's source, B's source; -1 for none) of a pair that lead elsewhere, by code."""
        a, b = self.pairing.a, self.pairing.b
        ours, theirs = a.sources[i], b.sources[j]
        if not self.pairing.moved and self._facing(ours) == theirs:
            return []
        if a.forms[i].operator in COMMUTATIVE:
            return self._unordered(ours, theirs)
        if joins_the_same(self.pairing, i, j, self.corresponds):
            return []
        by_code_a, by_code_b = dict(ours), dict(theirs)
        found = []
        for code in sorted(by_code_a.keys() | by_code_b.keys()):
            x, y = by_code_a.get(code, -1), by_code_b.get(code, -1)
            if not self.corresponds(x, y):
                found.append((x, y))
        return found

    def _facing(self, edges: list[Edge]) -> list[Edge]:
        to_b = self.pairing.to_b
        return [(code, to_b[node]) for code, node in edges]

    def _unordered(
        self, ours: list[tuple[int, int]], theirs: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        ours = _opened(self.pairing.a, ours, self.pairing.partial[0])
        left = _opened(self.pairing.b, theirs, self.pairing.partial[1])
        alone = []
        for code, x in sorted(ours, key=lambda edge: self._free_a(edge[1])):
            same = [e for e in left if e[0] == code and self.corresponds(x, e[1])]
            exact = [e for e in same if e[1] == self.pairing.to_b[x]]
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
        """Whether A's node x and B's node y are the same value, unmatched layers apart."""
        if x < 0 or y < 0:
            return self._only_free(x, y)
        if not self._free_a(x) and not self._free_b(y):
            return self.pairing.to_b[x] == y
        behind_a, behind_b = self._behind_a(x), self._behind_b(y)
        if behind_a is None or behind_b is None or not behind_a or not behind_b:
            return True
        return not behind_a.isdisjoint(behind_b)

    def in_place(self, i: int, j: int) -> bool:
        """Whether both read and feed corresponding nodes."""
        return not self.differing(i, j) and self.same_readers(i, j)

    def same_readers(self, i: int, j: int) -> bool:
        """Whether the counterparts of what reads one are what reads the other."""
        a, b, to_b = self.pairing.a, self.pairing.b, self.pairing.to_b
        known = {to_b[node] for _, node in a.users[i] if to_b[node] >= 0}
        theirs = {node for _, node in b.users[j] if self.pairing.to_a[node] >= 0}
        return known == theirs

    def _only_free(self, x: int, y: int) -> bool:
        """An operand that only one side has: explained if a layer of one side alone made it."""
        return self._free_a(x) if x >= 0 else self._free_b(y)

    def _free_a(self, x: int) -> bool:
        if self.pairing.to_b[x] < 0:
            return x not in self.pairing.partial[0]
        return x in self.pairing.moved

    def _free_b(self, y: int) -> bool:
        if self.pairing.to_a[y] < 0:
            return y not in self.pairing.partial[1]
        return self.pairing.to_a[y] in self.pairing.moved

    def _behind_a(self, x: int) -> set[int] | None:
        found = _behind(self.pairing.a, x, self._free_a)
        return None if found is None else {self.pairing.to_b[node] for node in found}

    def _behind_b(self, y: int) -> set[int] | None:
        return _behind(self.pairing.b, y, self._free_b)


def joins_the_same(
    pairing: Pairing, i: int, j: int, corresponds: Callable[[int, int], bool]
) -> bool:
    """Whether two Concats join the same in one order, in pieces or one by one.

    A layer put in behind a Concat that another one reads parts it from that.
    """
    if pairing.a.forms[i].operator != "Concat":
        return False
    ours = _joined(pairing.a, i, pairing.to_b)
    theirs = _joined(pairing.b, j, pairing.to_a)
    return len(ours) == len(theirs) and all(map(corresponds, ours, theirs))


def _joined(side: Side, node: int, counterpart: list[int]) -> list[int]:
    """What a Concat joins in the end, past layers of one operand that only its side has."""
    found: list[int] = []
    waiting = [x for _, x in sorted(side.sources[node], reverse=True)]
    while waiting and len(found) < _FAR:
        x = behind = waiting.pop()
        while counterpart[behind] < 0 and len(side.sources[behind]) == 1:
            behind = side.sources[behind][0][1]
        if behind != x and side.forms[behind] == side.forms[node]:
            waiting += [y for _, y in sorted(side.sources[behind], reverse=True)]
        else:
            found.append(x)
    return found


def _opened(side: Side, edges: list[Edge], partial: set[int]) -> list[Edge]:
    """The edges of a join, with those of its partial sums in place of these."""
    if not any(node in partial for _, node in edges):
        return list(edges)
    return [
        inner
        for code, node in edges
        for inner in (side.sources[node] if node in partial else [(code, node)])
    ]


def _behind(side: Side, start: int, free: Callable[[int], bool]) -> set[int] | None:
    """Matched nodes that `start` is made from through free ones; None where it is too far."""
    found: set[int] = set()
    seen = {start}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if not free(node):
            found.add(node)
            continue
        for _, source in side.sources[node]:
            if source not in seen:
                seen.add(source)
                waiting.append(source)
        if len(seen) > _FAR:
            return None
    return found
