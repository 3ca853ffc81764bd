"""Choices: layers that several matchings, or their neighbours, have several counterparts for.

They are decided together, in the order in which they are read, a few of the best ways to decide
being kept: where a block is gone and the ones beside it were changed too, it is the whole stretch
that tells which.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.alignment.components import components
from modeldocs.diff.alignment.digests import Edge
from modeldocs.diff.alignment.facing_edges import MANY
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.alignment.worth import RESIZED, node_worth
from modeldocs.diff.function.forms import Items

_KEPT: Final = 8
"""Ways to decide that are kept from one layer to the next."""

_MOST: Final = 400
"""Layers that are decided together; more are left as they are."""

_FEW: Final = 8
"""Counterparts that are held possible for one layer."""

_PAST: Final = 0.5
"""What an edge counts past a layer that only one side has, and one between principals."""

_GAIN: Final = 0.5

_WIDENED: Final = 2.0
"""What a pair of one operator is worth whose parameters have other sizes."""

_NONE: Final = -1

_Kind = tuple[str, Items, int]
"""The operator, its parameters, and how many operands it reads."""


@dataclass(slots=True)
class _Way:
    """One way to decide the layers so far.

    `cost` is what was lost, `ahead` what must be lost yet, by how many layers of each kind are
    `left` on one side more than on the other; `used` are the nodes of B that are taken, as bits.
    """

    cost: float
    ahead: float
    used: int
    left: dict[_Kind, int]
    chosen: dict[int, int]


def choose(pairing: Pairing, others: Sequence[Pairing]) -> None:
    """Match anew, by all matchings at hand, what they or the edges leave in doubt."""
    possible = _possible(pairing, others)
    for nodes in _together(pairing, possible):
        several = any(possible[i] != [pairing.to_b[i]] for i in nodes)
        if several and len(nodes) <= _MOST:
            _Deciding(pairing, possible, nodes).run()


def _possible(pairing: Pairing, others: Sequence[Pairing]) -> dict[int, list[int]]:
    """The counterparts that each node of A in doubt may have, besides none."""
    found: dict[int, dict[int, None]] = {}
    for i in _doubtful(pairing, others):
        held = (p.to_b[i] for p in (pairing, *others))
        found[i] = dict.fromkeys(j for j in (*held, *_near(pairing, i)) if j >= 0)
    for j in sorted({j for held in found.values() for j in held}):
        i = pairing.to_a[j]  # whoever has it now may have to do without
        if i >= 0 and i not in found:
            found[i] = {j: None}
    return {i: list(held)[:_FEW] for i, held in found.items()}


def _doubtful(pairing: Pairing, others: Sequence[Pairing]) -> Iterator[int]:
    a, b, to_b = pairing.a, pairing.b, pairing.to_b
    for i, j in enumerate(to_b):
        torn = j < 0 or any(p.to_b[i] != j for p in others)
        if torn or (len(a.sources[i]) <= MANY and _differs(a.sources[i], b.sources[j], to_b)):
            yield i


def _differs(ours: list[Edge], theirs: list[Edge], to_b: list[int]) -> bool:
    """Whether a node reads something whose counterpart its own does not read."""
    facing = [(code, to_b[x]) for code, x in ours]
    return facing != theirs and not set(facing) <= set(theirs)


def _near(pairing: Pairing, i: int) -> Iterator[int]:
    """What reads in B what i reads in A, and what is read there by what reads i."""
    a, b, to_b = pairing.a, pairing.b, pairing.to_b
    ways = ((a.sources[i], b.users), (a.users[i], b.sources))
    for edges, back in ways:
        if len(edges) > MANY:
            continue
        for code, x in edges:
            if to_b[x] >= 0 and len(back[to_b[x]]) <= MANY:
                for other, j in back[to_b[x]]:
                    if code == other and pairing.related(i, j):
                        yield j


def _together(pairing: Pairing, possible: dict[int, list[int]]) -> Iterator[list[int]]:
    """Nodes in doubt in sets that are next to each other, or contend for the same."""
    contend: dict[int, list[int]] = {}
    for i, held in possible.items():
        for j in held:
            contend.setdefault(j, []).append(i)
    a = pairing.a

    def beside(node: int) -> Iterator[int]:
        yield from a.beside(node)
        yield from (x for j in possible[node] for x in contend[j])

    return components(possible, beside)


class _Deciding:
    def __init__(self, pairing: Pairing, possible: dict[int, list[int]], nodes: list[int]) -> None:
        self.pairing, self.possible = pairing, possible
        self.open = set(nodes)
        a = pairing.a
        readers = {
            user
            for node in nodes
            for edges in (a.users[node], a.groups.users[node])
            if len(edges) <= MANY
            for _, user in edges
        }
        fixed = {user for user in readers - self.open if pairing.to_b[user] >= 0}
        self.order = sorted(self.open | fixed)
        held = {j for i in nodes for j in possible[i]}
        self.bits = {j: 1 << place for place, j in enumerate(sorted(held))}
        self.worths: dict[tuple[int, int], float] = {}
        self.facing: dict[int, frozenset[Edge]] = {}
        self.heads: dict[int, frozenset[int]] = {}

    def run(self) -> None:
        """Match as the best way decides, where that is better than what is."""
        kinds = Counter(self._kind_a(i) for i in self.open)
        kinds.subtract(Counter(self._kind_b(j) for j in self.bits))
        start = _Way(0.0, sum(map(_lost, kinds.items())), 0, dict(kinds), {})
        ways, now = [start], start
        for i in self.order:
            now = self._decided(now, i, self.pairing.to_b[i])
            found = [self._decided(way, i, j) for way in ways for j in self._choices(way, i)]
            ways = heapq.nsmallest(_KEPT, found, key=lambda way: way.cost + way.ahead)
        best = ways[0]
        if best.cost + best.ahead < now.cost + now.ahead - _GAIN:
            self._take(best)

    def _choices(self, way: _Way, i: int) -> Iterable[int]:
        if i not in self.open:
            return (self.pairing.to_b[i],)
        free = [j for j in self.possible[i] if not way.used & self.bits[j]]
        return (*free, _NONE)

    def _decided(self, way: _Way, i: int, j: int) -> _Way:
        if i not in self.open:
            lost = self._ideal_a(i) - self._worth(way, i, j)
            return _Way(way.cost + lost, way.ahead, way.used, way.left, way.chosen)
        left, ahead, used = way.left, way.ahead, way.used
        ours = self._kind_a(i)
        if j < 0:
            cost = way.cost + _size(ours) / 2
            changes = [(ours, -1)]
        else:
            ideal = (self._ideal_a(i) + self._ideal_b(j)) / 2
            cost = way.cost + ideal - self._worth(way, i, j)
            theirs = self._kind_b(j)
            changes = [] if ours == theirs else [(ours, -1), (theirs, 1)]
            used |= self.bits[j]
        if changes:
            left = dict(left)
            for kind, by in changes:
                ahead -= _lost((kind, left.get(kind, 0)))
                left[kind] = left.get(kind, 0) + by
                ahead += _lost((kind, left[kind]))
        return _Way(cost, ahead, used, left, {**way.chosen, i: j})

    def _worth(self, way: _Way, i: int, j: int) -> float:
        """What a pair is worth with the edges that it keeps of what it reads."""
        key = (i, j)
        total = self.worths.get(key)
        if total is None:
            total = self.worths[key] = self._alone(i, j)
        a, b = self.pairing.a, self.pairing.b
        facing = self._edges(j)
        for code, x in a.sources[i]:
            if (code, self._counterpart(way, x)) in facing:
                total += 1
            elif (code, self._value(way, x)) in facing:
                total += _PAST
        if a.groups.leads(i) and b.groups.leads(j):
            between = self._heads(j)
            total += _PAST * sum(
                self._counterpart(way, x) in between for _, x in a.groups.sources[i]
            )
        return total

    def _alone(self, i: int, j: int) -> float:
        """What a pair is worth by itself: another width is less than one layer for another."""
        found = node_worth(self.pairing, i, j)
        ours, theirs = self.pairing.a.forms[i], self.pairing.b.forms[j]
        if found == RESIZED and ours.operator == theirs.operator:
            return _WIDENED + (ours.attributes == theirs.attributes)
        return found

    def _counterpart(self, way: _Way, x: int) -> int:
        return way.chosen[x] if x in way.chosen else self.pairing.to_b[x]

    def _value(self, way: _Way, x: int) -> int:
        """The counterpart of what x is made of, past nodes that have none."""
        sources = self.pairing.a.sources
        while self._counterpart(way, x) < 0 and sources[x]:
            x = sources[x][0][1]
        return self._counterpart(way, x)

    def _edges(self, j: int) -> frozenset[Edge]:
        found = self.facing.get(j)
        if found is None:
            found = self.facing[j] = frozenset(self.pairing.b.sources[j])
        return found

    def _heads(self, j: int) -> frozenset[int]:
        found = self.heads.get(j)
        if found is None:
            found = self.heads[j] = frozenset(y for _, y in self.pairing.b.groups.sources[j])
        return found

    def _kind_a(self, i: int) -> _Kind:
        return _kind(self.pairing.a, i)

    def _kind_b(self, j: int) -> _Kind:
        return _kind(self.pairing.b, j)

    def _ideal_a(self, i: int) -> float:
        return _ideal(self.pairing.a, i)

    def _ideal_b(self, j: int) -> float:
        return _ideal(self.pairing.b, j)

    def _other(self, way: _Way, i: int) -> bool:
        """Whether a way has another counterpart for a node; none is no other where it is free."""
        j = self.pairing.to_b[i]
        given_up = j >= 0 and way.chosen[i] < 0 and not way.used & self.bits[j]
        return way.chosen[i] != j and not (given_up and self.pairing.same_kind(i, j))

    def _take(self, way: _Way) -> None:
        pairing = self.pairing
        changed = [i for i in sorted(self.open) if self._other(way, i)]
        for i in changed:
            pairing.part(i)
        for i in changed:
            if way.chosen[i] >= 0:
                told = "by what it reads, together with the layers around it"
                trust = round(0.4 + 0.5 * pairing.trust(i, way.chosen[i]), 3)
                pairing.match(i, way.chosen[i], told, trust)


def _kind(side: Side, node: int) -> _Kind:
    form = side.forms[node]
    return form.operator, form.parameters, len(side.sources[node])


def _ideal(side: Side, node: int) -> float:
    """What a node is worth with a counterpart that is the same, and reads the same."""
    between = len(side.groups.sources[node]) if side.groups.leads(node) else 0
    return _size(_kind(side, node)) + _PAST * between


def _size(kind: _Kind) -> float:
    """What a layer of a kind is worth at most by itself and with what it reads."""
    return (5.0 if kind[1] else 2.0) + kind[2]


def _lost(item: tuple[_Kind, int]) -> float:
    """What is lost for layers of a kind of which one side has so many more."""
    return abs(item[1]) * _size(item[0]) / 2
