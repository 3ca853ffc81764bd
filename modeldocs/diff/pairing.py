"""The matching while it is made: who is whose counterpart, and how alike two nodes look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cache
from typing import Final

from modeldocs.diff.colours import Colours, Palette
from modeldocs.diff.digests import Edge
from modeldocs.diff.forms import Form
from modeldocs.diff.labels import LEVELS
from modeldocs.diff.sides import Side
from modeldocs.operators import family

_Rows = list[tuple[int, ...]]


class Pairing:
    """A one-to-one matching of two sides, with the reason of each pair.

    `to_b[i]` is the counterpart of A's node i, -1 where it has none; `to_a` the other way round.
    `why` gives a pair's reason and confidence by A's node, `moved` the nodes of A that stand
    elsewhere in B.
    """

    def __init__(self, a: Side, b: Side) -> None:
        self.a, self.b = a, b
        self.to_b = [-1] * len(a)
        self.to_a = [-1] * len(b)
        self.why: dict[int, tuple[str, float]] = {}
        self.parents: dict[int, tuple[int, int]] = {}
        self.moved: set[int] = set()
        self._columns_a: _Rows = []
        self._columns_b: _Rows = []
        self.colours: list[tuple[Colours, Colours]] = []

    def paint(self) -> None:
        """Colour both sides, which all but an identical pair needs."""
        self._columns_a, self._columns_b, self.colours = _columns(self.a, self.b)

    def mirrored(self) -> Pairing:
        """The same matching seen from the other side."""
        other = copy(self)
        other.a, other.b = self.b, self.a
        other.to_b, other.to_a = self.to_a, self.to_b
        other.why = {j: self.why[i] for i, j in self.pairs()}
        other.parents = {self.to_b[i]: (y, x) for i, (x, y) in self.parents.items()}
        other.moved = {self.to_b[i] for i in self.moved}
        other.colours = [(theirs, ours) for ours, theirs in self.colours]
        other._columns_a, other._columns_b = self._columns_b, self._columns_a
        return other

    def match(
        self, i: int, j: int, reason: str, confidence: float, parent: tuple[int, int] | None = None
    ) -> None:
        """Hold A's node i and B's node j to be the same, because of `parent` where one led here."""
        self.to_b[i], self.to_a[j] = j, i
        self.why[i] = (reason, confidence)
        if parent is not None:
            self.parents[i] = parent

    def reason(self, i: int) -> str:
        """Why A's node i has the counterpart it has, in words."""
        told = self.why[i][0]
        if i not in self.parents:
            return told
        x, y = self.parents[i]
        return f"propagated from {self.a.nodes[x].id} → {self.b.nodes[y].id} {told}"

    def free(self, i: int, j: int) -> bool:
        """Whether neither node has a counterpart yet."""
        return self.to_b[i] < 0 and self.to_a[j] < 0

    def free_a(self) -> list[int]:
        """A's nodes without a counterpart, in order."""
        return [i for i, j in enumerate(self.to_b) if j < 0]

    def free_b(self) -> list[int]:
        """B's nodes without a counterpart, in order."""
        return [j for j, i in enumerate(self.to_a) if i < 0]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs (node of A, node of B) in A's order."""
        return ((i, j) for i, j in enumerate(self.to_b) if j >= 0)

    def equal_colours(self, i: int, j: int) -> int:
        """How many of the colours (balls and directions, at all levels) two nodes share."""
        return sum(map(int.__eq__, self._columns_a[i], self._columns_b[j]))

    @property
    def colour_count(self) -> int:
        """How many colours a node has."""
        return sum(2 + len(pair[0].balls) for pair in self.colours)

    def keys_by_strength(self) -> Iterator[tuple[Sequence[object], Sequence[object]]]:
        """Colours of both sides to tell a hub's neighbours apart by, the finest first."""
        yield self._columns_a, self._columns_b
        for a, b in self.colours[:-1]:
            yield a.forward, b.forward
            yield a.backward, b.backward
        for a, b in self.colours:
            yield a.balls[-1], b.balls[-1]
            yield a.balls[0], b.balls[0]

    def likeness(self, i: int, j: int) -> float:
        """Equal colours, plus the share of equal attributes and parameters (0 to 1)."""
        return self.equal_colours(i, j) + agreement(self.a.forms[i], self.b.forms[j])

    def support(self, i: int, j: int) -> int:
        """How many edges of i lead to the counterpart of where the same edge of j leads."""
        return _support(self.a.sources[i], self.b.sources[j], self.to_b) + _support(
            self.a.users[i], self.b.users[j], self.to_b
        )

    def conflicts(self, i: int, j: int) -> int:
        """How many edges of either node lead to one whose counterpart the other's do not reach."""
        return (
            _conflicts(self.a.sources[i], self.b.sources[j], self.to_b)
            + _conflicts(self.b.sources[j], self.a.sources[i], self.to_a)
            + _conflicts(self.a.users[i], self.b.users[j], self.to_b)
            + _conflicts(self.b.users[j], self.a.users[i], self.to_a)
        )

    def same_kind(self, i: int, j: int) -> bool:
        """Whether both compute by the same operator, or one that spells the same function."""
        return self.a.forms[i].operator == self.b.forms[j].operator or (
            operator_of(self.a, i) == operator_of(self.b, j)
        )

    def same_family(self, i: int, j: int) -> bool:
        """Whether one operator could stand for the other (ReLU for sigmoid)."""
        return _related(operator_of(self.a, i), operator_of(self.b, j))


@cache
def _related(a: str, b: str) -> bool:
    return family(a) != "other" and family(a) == family(b)


def operator_of(side: Side, node: int) -> str:
    """The operator of a node as its source spells it, `input` for a graph input."""
    return getattr(side.nodes[node], "operator", side.forms[node].operator)


def told_operator(pairing: Pairing, i: int) -> str:
    """The operator of a pair as both sides spell it."""
    ours, theirs = operator_of(pairing.a, i), operator_of(pairing.b, pairing.to_b[i])
    return ours if ours == theirs else f"{ours} → {theirs}"


def agreement(a: Form, b: Form) -> float:
    """Share of attributes and parameter shapes on which two forms agree."""
    if a is b or (a.attributes == b.attributes and a.parameters == b.parameters):
        return 1.0
    ours, theirs = {*a.attributes, *a.parameters}, {*b.attributes, *b.parameters}
    return len(ours & theirs) / len(ours | theirs)


def _support(ours: list[Edge], theirs: list[Edge], to_b: list[int]) -> int:
    if len(ours) > _MANY or len(theirs) > _MANY:
        return 0
    there = set(theirs)
    return sum((code, to_b[other]) in there for code, other in ours if to_b[other] >= 0)


def _conflicts(ours: list[Edge], theirs: list[Edge], counterpart: list[int]) -> int:
    if len(ours) > _MANY or len(theirs) > _MANY:
        return 0
    there = set(theirs)
    return sum(
        counterpart[other] >= 0 and (code, counterpart[other]) not in there for code, other in ours
    )


_MANY: Final = 64
"""Edges beyond which a node is a hub, whose edges tell little and cost much."""


def _columns(a: Side, b: Side) -> tuple[_Rows, _Rows, list[tuple[Colours, Colours]]]:
    palette = Palette()
    colours = [(palette.colours(a, level), palette.colours(b, level)) for level in LEVELS]
    return _rows([pair[0] for pair in colours]), _rows([pair[1] for pair in colours]), colours


def _rows(levels: list[Colours]) -> _Rows:
    columns = [c for level in levels for c in (level.forward, level.backward, *level.balls)]
    return list(zip(*columns, strict=True))
