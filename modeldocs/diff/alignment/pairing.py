"""The matching while it is made: who is whose counterpart, and how alike two nodes look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property
from itertools import compress
from typing import Final

import numpy as np
import numpy.typing as npt

from modeldocs.diff.alignment.digests import Edge
from modeldocs.diff.alignment.facing_edges import conflicts, support
from modeldocs.diff.alignment.labels import LAYERS, NAMED, RADII, SHAPED, TRUNK, WEIGHTED
from modeldocs.diff.alignment.likeness import WEIGHT, agreement, fit
from modeldocs.diff.alignment.sides import Side
from modeldocs.ir.operators import family

_Rows = npt.NDArray[np.uint64]


class Pairing:
    """A one-to-one matching of two sides, with the reason of each pair.

    `to_b[i]` is the counterpart of A's node i, -1 where it has none; `to_a` the other way round.
    `why` gives a pair's reason and confidence by A's node, `moved` the nodes of A that stand
    elsewhere in B; `together` gives those of one row that did a node in common.
    `partial` are nodes of A and of B whose operands the other side joins with further ones at once.
    """

    def __init__(self, a: Side, b: Side) -> None:
        self.a, self.b = a, b
        self.to_b = [-1] * len(a)
        self.to_a = [-1] * len(b)
        self.why: dict[int, tuple[str, float]] = {}
        self.parents: dict[int, tuple[int, int]] = {}
        self.moved: set[int] = set()
        self.together: dict[int, int] = {}
        self.partial: tuple[set[int], set[int]] = (set(), set())

    @cached_property
    def rows(self) -> tuple[_Rows, _Rows]:
        """The colours of each node of A and of B, a row a node: balls of all radii and levels."""
        return _rows(self.a), _rows(self.b)

    def mirrored(self) -> Pairing:
        """The same matching seen from the other side."""
        other = copy(self)
        other.a, other.b = self.b, self.a
        other.to_b, other.to_a = self.to_a, self.to_b
        other.why = {j: self.why[i] for i, j in self.pairs()}
        other.parents = {self.to_b[i]: (y, x) for i, (x, y) in self.parents.items()}
        other.moved = {self.to_b[i] for i in self.moved}
        other.partial = self.partial[::-1]
        other.together = {self.to_b[i]: of for i, of in self.together.items()}
        other.__dict__.pop("rows", None)
        return other

    def only(self, pairs: Iterable[tuple[int, int]]) -> Pairing:
        """A matching of the same sides with these of its pairs alone."""
        other = Pairing(self.a, self.b)
        for i, j in pairs:
            other.match(i, j, *self.why[i])
        return other

    def match(
        self, i: int, j: int, reason: str, confidence: float, parent: tuple[int, int] | None = None
    ) -> None:
        """Hold A's node i and B's node j to be the same, because of `parent` where one led here."""
        self.to_b[i], self.to_a[j] = j, i
        self.why[i] = (reason, confidence)
        if parent is not None:
            self.parents[i] = parent

    def part(self, i: int) -> None:
        """Hold A's node i to be no other's counterpart after all."""
        if self.to_b[i] >= 0:
            self.to_a[self.to_b[i]] = self.to_b[i] = -1
            del self.why[i]
            self.parents.pop(i, None)
            self.moved.discard(i)

    def differing(self, other: Pairing) -> set[int]:
        """A's nodes that have another counterpart in another matching of the same sides."""
        return {i for i, j in enumerate(self.to_b) if j != other.to_b[i]}

    def take(self, pairs: Iterable[tuple[int, int]], why: Mapping[int, tuple[str, float]]) -> None:
        """Match A's nodes so, those with -1 not at all; nothing else may hold what they get."""
        pairs = list(pairs)
        for i, _ in pairs:
            self.part(i)
        for i, j in pairs:
            if j >= 0:
                self.match(i, j, *why[i])

    def reason(self, i: int) -> str:
        """Why A's node i has the counterpart it has, in words."""
        told = self.why[i][0]
        if i not in self.parents:
            return told
        x, y = self.parents[i]
        if self.to_b[x] != y:
            return f"propagated {told}"
        return f"propagated from {self.a.nodes[x].id} → {self.b.nodes[y].id} {told}"

    def free(self, i: int, j: int) -> bool:
        """Whether neither node has a counterpart yet."""
        return self.to_b[i] < 0 and self.to_a[j] < 0

    def fits_group(self, i: int, j: int) -> bool:
        """Whether the principals that the two hang on are not known to be others' counterparts."""
        x, y = self.a.groups.head[i], self.b.groups.head[j]
        return self.to_b[x] == y or self.free(x, y)

    def free_a(self) -> list[int]:
        """A's nodes without a counterpart, in order."""
        return left_over(self.to_b)

    def free_b(self) -> list[int]:
        """B's nodes without a counterpart, in order."""
        return left_over(self.to_a)

    @property
    def complete(self) -> bool:
        """Whether one side has no node left without a counterpart."""
        return -1 not in self.to_b or -1 not in self.to_a

    def settled(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        """Whether so few of these nodes are left that what is around them tells all there is."""
        left = _left(self.to_b, ours), _left(self.to_a, theirs)
        return min(left) * _FEW < min(len(ours), len(theirs))

    def frontier(self) -> list[tuple[int, int]]:
        """Pairs next to a node of A without counterpart, in A's order."""
        near = {
            other
            for node in self.free_a()
            for edges in (self.a.sources[node], self.a.users[node])
            for _, other in edges
        }
        return [(i, self.to_b[i]) for i in sorted(near) if self.to_b[i] >= 0]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs (node of A, node of B) in A's order."""
        return ((i, j) for i, j in enumerate(self.to_b) if j >= 0)

    def equal_colours(self, i: int, j: int) -> int:
        """How many of the colours (balls and directions, at all levels) two nodes share."""
        ours, theirs = self.rows
        return int(np.count_nonzero(ours[i] == theirs[j]))

    @cached_property
    def most_alike(self) -> float:
        """The likeness of a node to itself."""
        return sum(1 + RADII[level] for level in LAYERS) + 1 + WEIGHT

    def trust(self, i: int, j: int) -> float:
        """How alike two nodes are, from 0 to 1."""
        return self.likeness(i, j) / self.most_alike

    def keys_by_strength(self) -> Iterator[tuple[Sequence[object], Sequence[object]]]:
        """Colours of both sides to tell a hub's neighbours apart by, the finest first."""
        yield tuple([row.tobytes() for row in rows] for rows in self.rows)  # type: ignore[misc]
        levels = list(zip(self.a.colours, self.b.colours, strict=True))
        for a, b in levels[: WEIGHTED + 1]:
            yield a.forward, b.forward
            yield a.backward, b.backward
        for level in LAYERS:
            a, b = levels[level]
            yield a.balls[-1].tolist(), b.balls[-1].tolist()
            yield a.balls[0].tolist(), b.balls[0].tolist()

    def likeness(self, i: int, j: int) -> float:
        """Equal colours, plus the share of equal attributes and parameters, and of the weight."""
        ours, theirs = self.a.forms[i], self.b.forms[j]
        return self.equal_colours(i, j) + agreement(ours, theirs) + WEIGHT * fit(ours, theirs)

    def support(self, i: int, j: int) -> int:
        """How many edges of i lead to the counterpart of where the same edge of j leads."""
        return sum(support(x, y, self.to_b) for x, y in self.edges(i, j))

    def conflicts(self, i: int, j: int) -> int:
        """How many edges of either node lead to one whose counterpart the other's do not reach."""
        return sum(conflicts(x, y, self.to_b, self.to_a) for x, y in self.edges(i, j))

    def edges(self, i: int, j: int) -> Iterator[tuple[list[Edge], list[Edge]]]:
        """Edges of both that can be held against each other, those between principals too."""
        a, b = self.a, self.b
        yield a.sources[i], b.sources[j]
        yield a.users[i], b.users[j]
        if a.groups.leads(i) and b.groups.leads(j):
            yield a.groups.sources[i], b.groups.sources[j]
            yield a.groups.users[i], b.groups.users[j]

    def same_kind(self, i: int, j: int) -> bool:
        """Whether both compute by the same operator, or one that spells the same function."""
        return self.a.forms[i].operator == self.b.forms[j].operator or (
            operator_of(self.a, i) == operator_of(self.b, j)
        )

    def same_function(self, i: int, j: int) -> bool:
        """Whether both compute the same, given the same parameters."""
        return self.a.forms[i].same_function(self.b.forms[j])

    def close(self, i: int, j: int) -> bool:
        """Whether both have the same operator with the same shape, or the same weight."""
        ours, theirs = self.a.kinds[i].numbers, self.b.kinds[j].numbers
        alike = ours[SHAPED] == theirs[SHAPED] or ours[WEIGHTED] == theirs[WEIGHTED]
        return alike and self.fits_group(i, j)

    def same_trunk(self, i: int, j: int) -> bool:
        """Whether both have the same operator, make the same channels, and fit their groups."""
        ours, theirs = self.a.kinds[i].numbers, self.b.kinds[j].numbers
        same = ours[TRUNK] == theirs[TRUNK] and ours[NAMED] == theirs[NAMED]
        return same and self.fits_group(i, j)

    def same_weight(self, i: int, j: int) -> bool:
        """Whether both have the same operator with a weight of the same shape, or with none."""
        equal = self.same_kind(i, j) and fit(self.a.forms[i], self.b.forms[j]) == 1
        return equal and self.fits_group(i, j)

    def related(self, i: int, j: int) -> bool:
        """Whether both have the same operator, or one could stand for the other."""
        return self.same_kind(i, j) or self.same_family(i, j)

    def same_family(self, i: int, j: int) -> bool:
        """Whether one operator could stand for the other (ReLU for sigmoid)."""
        return _related(operator_of(self.a, i), operator_of(self.b, j))


Allowed = Callable[[Pairing, int, int], bool]
"""Whether two nodes may be matched at all."""


@cache
def _related(a: str, b: str) -> bool:
    return family(a) != "other" and family(a) == family(b)


def operator_of(side: Side, node: int) -> str:
    """The operator of a node as its source spells it, `input` for a graph input."""
    return getattr(side.nodes[node], "operator", side.forms[node].operator)


def operators_of(pairing: Pairing, i: int) -> tuple[str, str]:
    """The operator of a pair as A spells it, and B's where it computes something else."""
    ours, theirs = operator_of(pairing.a, i), operator_of(pairing.b, pairing.to_b[i])
    same = pairing.a.forms[i].operator == pairing.b.forms[pairing.to_b[i]].operator
    return ours, "" if same or ours == theirs else theirs


def left_over(counterpart: list[int]) -> list[int]:
    """The nodes of a side without a counterpart, in order."""
    return list(compress(range(len(counterpart)), map(_NONE.__eq__, counterpart)))


def _left(counterpart: list[int], among: Sequence[int]) -> int:
    return list(map(counterpart.__getitem__, among)).count(_NONE)


_NONE: Final = -1

_FEW: Final = 50
"""One in so many nodes may be left over where the matching is held to be settled."""


def _rows(side: Side) -> _Rows:
    balls = [ball for level in LAYERS for ball in side.colours[level].balls]
    return np.stack(balls, axis=1)
