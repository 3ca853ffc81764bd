"""The edits that a matching implies: of two matchings the one with fewer is taken to be right.

The unit is an attribute, or an operand, that differs. Half or twice each cost alone changes no diff
of two ports of one model of the catalog. Of 84 diffs of different models, 13 change with half of
`_SET`, 15 with twice `_OPERAND` and 6 with twice `_ATTRIBUTE`, such as ResNet-50 and its second
version. Of tests/diff some change with half of `_OPERATOR`, `_SIZE` or `_MOST_FUNCTION`, and with
twice `_ATTRIBUTE`.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from modeldocs.diff.alignment.matching import Matching, unmatched_nodes
from modeldocs.diff.alignment.operand_equivalence import same_concatenation
from modeldocs.diff.alignment.similarity import same_operator
from modeldocs.diff.indexing.edges import HUB_DEGREE, unless_hub
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.refinement.resizing import is_resized, size_distance, weight_size
from modeldocs.diff.refinement.unmatched_sets import UnmatchedSet, unmatched_sets

_SET: Final = 2.0
"""A connected set of layers that the other graph lacks, whatever its size."""

_UNMATCHED: Final = 0.3
"""Each layer of such a set, in addition."""

_MOST_TIMES: Final = 2
"""How many times the layers of one set another may have that replaces it."""

_NOT_REPLACED: Final = 0.1
"""Two sets between the same layers of which neither replaces the other, as one is too large."""

_OPERATOR: Final = 1.5
_SIZE: Final = 1.5
_ATTRIBUTE: Final = 1.0
"""Another operator, parameters of another size, each attribute."""

_MOST_FUNCTION: Final = 2.0
"""All of these of one layer at most: no more than one layer in place of another costs."""

_SIZE_AGAIN: Final = 0.25
"""A layer of another size beside one that reads the same and is resized in the same direction."""

_OPERAND: Final = 1.0
_MOST_OPERANDS: Final = 2.0
"""Each operand that is another value, and all of a layer at most."""

_Values = dict[int, frozenset[int]]


class EditCost:
    """The cost of a matching in its current state, counted at some of its nodes."""

    def __init__(self, matching: Matching) -> None:
        self.matching = matching

    def cost(self, nodes: Iterable[int]) -> float:
        """The cost of these nodes of A, and of all unmatched layers of both graphs."""
        matching, total = self.matching, 0.0
        resized: set[tuple[int, bool]] = set()
        for i in nodes:
            j = matching.to_b[i]
            if j >= 0:
                function = self._function(i, j) + self._size(i, j, resized)
                operands = _OPERAND * self._other_operands(i, j)
                total += min(function, _MOST_FUNCTION) + min(operands, _MOST_OPERANDS)
                ours, theirs = matching.a.ops[i], matching.b.ops[j]
                total += size_distance(ours, theirs, changed=function > 0)
        return total + self._unmatched()

    def is_changed(self, i: int) -> bool:
        """Whether a layer and its counterpart differ in anything that costs."""
        a, b, to_b = self.matching.a, self.matching.b, self.matching.to_b
        j = to_b[i]
        if a.ops[i] is b.ops[j] and [(x, to_b[y]) for x, y in a.sources[i]] == b.sources[j]:
            return False
        return bool(self._function(i, j) or self._size(i, j, set()) or self._other_operands(i, j))

    def _function(self, i: int, j: int) -> float:
        """Another operator, or other attributes."""
        matching = self.matching
        if not same_operator(matching, i, j):
            return _OPERATOR
        one, other = matching.a.ops[i], matching.b.ops[j]
        ours, theirs = one.attributes, other.attributes
        if one.operator != other.operator:  # a window over all there is: compare as declared
            ours, theirs = one.declared, other.declared
        names = {name for name, _ in {*ours} ^ {*theirs}}
        return _ATTRIBUTE * len(names - {"pads"} if "kernel_shape" in names else names)

    def _size(self, i: int, j: int, resized: set[tuple[int, bool]]) -> float:
        """Parameters of another size; `resized` are the sources and directions seen so far."""
        matching = self.matching
        if not is_resized(matching, i, j):
            return 0.0
        sources = matching.a.sources[i]
        grew = weight_size(matching.a.ops[i]) < weight_size(matching.b.ops[j])
        key = (sources[0][1] if sources else -1), grew
        again = key in resized
        resized.add(key)
        return _SIZE_AGAIN if again else _SIZE

    def _other_operands(self, i: int, j: int) -> int:
        """How many operands are another value, past layers that have no counterpart."""
        matching = self.matching
        to_b, to_a = matching.to_b, matching.to_a
        left = Counter(matching.b.sources[j])
        ours = []
        for code, x in matching.a.sources[i]:
            if left[code, to_b[x]] > 0:
                left[code, to_b[x]] -= 1
            else:
                ours.append(x)
        theirs = [y for _, y in left.elements()]
        if (ours or theirs) and same_concatenation(matching, i, j, self._corresponds):
            return 0
        if len(ours) > HUB_DEGREE or len(theirs) > HUB_DEGREE:
            return len(ours)
        count = 0
        for x in ours:
            candidates = (y for y in theirs if to_b[x] < 0 or to_a[y] < 0)
            equal = next((y for y in candidates if self._share_value(x, y)), None)
            if equal is not None:
                theirs.remove(equal)
            elif to_b[x] >= 0 or theirs:
                count += 1
        return max(count, sum(to_a[y] >= 0 for y in theirs))

    def _corresponds(self, x: int, y: int) -> bool:
        """Whether two nodes are counterparts, or share a value past one that has none."""
        matching = self.matching
        unmatched = matching.to_b[x] < 0 or matching.to_a[y] < 0
        return matching.to_b[x] == y or (unmatched and self._share_value(x, y))

    def _unmatched(self) -> float:
        """Unmatched layers of both graphs; a set and the one that replaces it are one edit."""
        matching = self.matching
        ours = list(unmatched_sets(matching.a, matching.b, matching.to_b))
        theirs = list(unmatched_sets(matching.b, matching.a, matching.to_a))
        total = sum(_SET + _UNMATCHED * each.layers for each in (*ours, *theirs))
        reading: dict[int, list[UnmatchedSet]] = defaultdict(list)
        for each in theirs:
            for y in each.read:
                reading[y].append(each)
        taken: set[int] = set()
        for one in ours:
            near = (other for x in sorted(one.read) for other in reading[self.matching.to_b[x]])
            left = (other for other in near if id(other) not in taken)
            other = next((each for each in left if self._fed_alike(one, each)), None)
            if other is None:
                continue
            if _may_replace(one.layers, other.layers) and _may_replace(
                one.weighted, other.weighted
            ):
                taken.add(id(other))
                total -= _SET
            else:
                total += _NOT_REPLACED
        return total

    def _fed_alike(self, ours: UnmatchedSet, theirs: UnmatchedSet) -> bool:
        """Whether a matched pair reads both sets."""
        fed = {self.matching.to_b[x] for x in ours.fed}
        return not fed.isdisjoint(theirs.fed)

    def _share_value(self, x: int, y: int) -> bool:
        """Whether both nodes are computed from one matched pair, through unmatched layers."""
        ours, theirs = self._values
        there = {self.matching.to_b[node] for node in ours.get(x, (x,))}
        return not there.isdisjoint(theirs.get(y, (y,)))

    @cached_property
    def _values(self) -> tuple[_Values, _Values]:
        """The matched nodes that each unmatched node of A, and of B, is computed from."""
        matching = self.matching
        return _values(matching.a, matching.to_b), _values(matching.b, matching.to_a)


def _values(graph: IndexedGraph, counterpart: list[int]) -> _Values:
    values: _Values = {}
    for node in unmatched_nodes(counterpart):
        read: set[int] = set()
        for _, x in graph.sources[node][:HUB_DEGREE]:
            read |= values.get(x, {x})
        values[node] = frozenset(heapq.nsmallest(HUB_DEGREE, read))
    return values


def _may_replace(ours: int, theirs: int) -> bool:
    """Whether so many layers may replace so many others."""
    return max(ours, theirs) <= _MOST_TIMES * min(ours, theirs)


def affected_nodes(matching: Matching, other: Matching, region: Iterable[int]) -> set[int]:
    """The nodes of A whose cost depends on whether a region is matched as here or as in `other`."""
    a, b = matching.a, matching.b
    ours = _with_readers(a, region, (matching.to_b, other.to_b))
    there = {j for i in region for j in (matching.to_b[i], other.to_b[i]) if j >= 0}
    theirs = _with_readers(b, there, (matching.to_a, other.to_a))
    back = {i for j in theirs for i in (matching.to_a[j], other.to_a[j]) if i >= 0}
    return ours | back


def _with_readers(
    graph: IndexedGraph, nodes: Iterable[int], counterparts: tuple[list[int], list[int]]
) -> set[int]:
    """Nodes with all that read them, also through unmatched layers."""
    affected = set(nodes)
    waiting = list(affected)
    while waiting:
        for _, user in unless_hub(graph.users[waiting.pop()]):
            if user not in affected:
                affected.add(user)
                if any(counterpart[user] < 0 for counterpart in counterparts):
                    waiting.append(user)
    return affected
