"""What a matching makes of two graphs, in edits: of two matchings the one with fewer is right."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from modeldocs.diff.alignment.facing_edges import MANY, few
from modeldocs.diff.alignment.lacked import Lacked, lacked
from modeldocs.diff.alignment.pairing import Pairing, left_over
from modeldocs.diff.alignment.resized import apart, elements, is_resized
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.alignment.wiring import joins_the_same

_GAP: Final = 2.0
"""What it costs that one side has layers which the other lacks, however many hang together."""

_LACKED: Final = 0.3
"""What each of these layers costs more."""

_LIKE: Final = 2
"""How many times the layers of another gap those of a gap may be that stand in its place."""

_UNLIKE: Final = 0.1
"""What it costs more that two gaps with more layers than that in one of them face each other."""

_RETYPED: Final = 1.5
_RESIZED: Final = 1.5
_SET: Final = 1.0
"""What another operator costs, parameters of another size, and an attribute."""

_REPLACED: Final = 2.0
"""What a layer costs at most however much of it is another: it is one in the place of another."""

_ALIKE: Final = 0.25
"""What a layer costs that is resized together with another one which reads the same."""

_REWIRED: Final = 1.0
_MOST: Final = 2.0
"""What each operand costs that is another value, and all of a layer at most."""

_Values = dict[int, frozenset[int]]


class Edits:
    """The edits of one matching as it stands, counted at some of its nodes or at all."""

    def __init__(self, pairing: Pairing) -> None:
        self.pairing = pairing

    def cost(self, nodes: Iterable[int]) -> float:
        """What is told of these nodes of A, and of all layers without counterpart."""
        pairing, total = self.pairing, 0.0
        resized: set[tuple[int, bool]] = set()
        for i in nodes:
            j = pairing.to_b[i]
            if j >= 0:
                told = self._function(i, j) + self._size(i, j, resized)
                total += min(told, _REPLACED) + min(_REWIRED * self._rewired(i, j), _MOST)
                total += apart(pairing.a.forms[i], pairing.b.forms[j], changed=told > 0)
        return total + self._one_sided()

    def changed(self, i: int) -> bool:
        """Whether anything is told of a layer and its counterpart."""
        a, b, to_b = self.pairing.a, self.pairing.b, self.pairing.to_b
        j = to_b[i]
        if a.forms[i] is b.forms[j] and [(x, to_b[y]) for x, y in a.sources[i]] == b.sources[j]:
            return False
        return bool(self._function(i, j) or self._size(i, j, set()) or self._rewired(i, j))

    def _function(self, i: int, j: int) -> float:
        """What it costs that a layer computes something else."""
        pairing = self.pairing
        if not pairing.same_kind(i, j):
            return _RETYPED
        one, other = pairing.a.forms[i], pairing.b.forms[j]
        ours, theirs = one.attributes, other.attributes
        if one.operator != other.operator:  # a window over all there is: compare as written
            ours, theirs = one.stated, other.stated
        told = {name for name, _ in {*ours} ^ {*theirs}}
        return _SET * len(told - {"pads"} if "kernel_shape" in told else told)

    def _size(self, i: int, j: int, resized: set[tuple[int, bool]]) -> float:
        """What it costs that parameters have another size; little beside others so resized."""
        pairing = self.pairing
        if not is_resized(pairing, i, j):
            return 0.0
        sources = pairing.a.sources[i]
        grew = elements(pairing.a.forms[i]) < elements(pairing.b.forms[j])
        told = (sources[0][1] if sources else -1), grew
        again = told in resized
        resized.add(told)
        return _ALIKE if again else _RESIZED

    def _rewired(self, i: int, j: int) -> int:
        """How many operands are another value, past layers that have no counterpart."""
        pairing = self.pairing
        to_b, to_a = pairing.to_b, pairing.to_a
        left = Counter(pairing.b.sources[j])
        ours = []
        for code, x in pairing.a.sources[i]:
            if left[code, to_b[x]] > 0:
                left[code, to_b[x]] -= 1
            else:
                ours.append(x)
        theirs = [y for _, y in left.elements()]
        if (ours or theirs) and joins_the_same(pairing, i, j, self._corresponds):
            return 0
        if len(ours) > MANY or len(theirs) > MANY:
            return len(ours)
        told = 0
        for x in ours:
            facing = (y for y in theirs if to_b[x] < 0 or to_a[y] < 0)
            found = next((y for y in facing if self._meet(x, y)), None)
            if found is not None:
                theirs.remove(found)
            elif to_b[x] >= 0 or theirs:
                told += 1
        return max(told, sum(to_a[y] >= 0 for y in theirs))

    def _corresponds(self, x: int, y: int) -> bool:
        """Whether two values are counterparts, or meet past a layer that has none."""
        pairing = self.pairing
        past = pairing.to_b[x] < 0 or pairing.to_a[y] < 0
        return pairing.to_b[x] == y or (past and self._meet(x, y))

    def _one_sided(self) -> float:
        """What layers without counterpart cost; those of both sides in one place, once."""
        pairing = self.pairing
        ours = list(lacked(pairing.a, pairing.b, pairing.to_b))
        theirs = list(lacked(pairing.b, pairing.a, pairing.to_a))
        total = sum(_GAP + _LACKED * gap.layers for gap in (*ours, *theirs))
        reading: dict[int, list[Lacked]] = defaultdict(list)
        for gap in theirs:
            for y in gap.read:
                reading[y].append(gap)
        taken: set[int] = set()
        for gap in ours:
            near = (other for x in sorted(gap.read) for other in reading[self.pairing.to_b[x]])
            facing = (other for other in near if id(other) not in taken)
            faced = next((other for other in facing if self._faces(gap, other)), None)
            if faced is None:
                continue
            if _like(gap.layers, faced.layers) and _like(gap.weighted, faced.weighted):
                taken.add(id(faced))
                total -= _GAP
            else:
                total += _UNLIKE
        return total

    def _faces(self, ours: Lacked, theirs: Lacked) -> bool:
        """Whether layers that read one value are read by the same ones too."""
        fed = {self.pairing.to_b[x] for x in ours.fed}
        return not fed.isdisjoint(theirs.fed)

    def _meet(self, x: int, y: int) -> bool:
        """Whether two values are made of one, as far as layers without counterpart made them."""
        ours, theirs = self.values
        facing = {self.pairing.to_b[node] for node in ours.get(x, (x,))}
        return not facing.isdisjoint(theirs.get(y, (y,)))

    @cached_property
    def values(self) -> tuple[_Values, _Values]:
        """What each layer without counterpart is made of, as far as others have one."""
        pairing = self.pairing
        return _values(pairing.a, pairing.to_b), _values(pairing.b, pairing.to_a)


def _values(side: Side, counterpart: list[int]) -> _Values:
    found: _Values = {}
    for node in left_over(counterpart):
        read: set[int] = set()
        for _, x in side.sources[node][:MANY]:
            read |= found.get(x, {x})
        found[node] = frozenset(heapq.nsmallest(MANY, read))
    return found


def near(pairing: Pairing, other: Pairing, region: Iterable[int]) -> set[int]:
    """The nodes of A whose edits depend on how those of a region are matched, in either way."""
    a, b = pairing.a, pairing.b
    ours = _below(a, region, (pairing.to_b, other.to_b))
    there = {j for i in region for j in (pairing.to_b[i], other.to_b[i]) if j >= 0}
    theirs = _below(b, there, (pairing.to_a, other.to_a))
    back = {i for j in theirs for i in (pairing.to_a[j], other.to_a[j]) if i >= 0}
    return ours | back


def _below(side: Side, nodes: Iterable[int], counterparts: tuple[list[int], list[int]]) -> set[int]:
    """Nodes with all that read them, past those without counterpart."""
    found = set(nodes)
    waiting = list(found)
    while waiting:
        for _, user in few(side.users[waiting.pop()]):
            if user not in found:
                found.add(user)
                if any(counterpart[user] < 0 for counterpart in counterparts):
                    waiting.append(user)
    return found


def _like(ours: int, theirs: int) -> bool:
    """Whether so many layers may stand in the place of so many others."""
    return max(ours, theirs) <= _LIKE * min(ours, theirs)
