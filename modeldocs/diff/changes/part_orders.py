"""The order of the parts of a fused projection, by what reads each part."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.diff import Match
from modeldocs.diff.parity import Pair
from modeldocs.diff.rewriting.splitting import SplitGraph
from modeldocs.ir import Layer

PARTS: Final = "order of parts"
"""Attribute of the finding that a projection has its parts in another order."""

_ATTENTION: Final = ("q", "k", "v")

Role = tuple[str, ...]


class Readers:
    """What reads each part of one graph."""

    def __init__(self, parts: SplitGraph) -> None:
        self.parts = parts

    @cached_property
    def _readers(self) -> dict[str, list[tuple[Layer, int]]]:
        found: dict[str, list[tuple[Layer, int]]] = defaultdict(list)
        for layer in self.parts.graph.layers:
            for operand in layer.inputs:
                found[operand.value].append((layer, operand.slot))
        return found

    def role(self, part: str) -> Role:
        """What a part is to those that read it: `q` to an Attention, else their operators."""
        read = self._readers.get(part, [])
        for layer, slot in read:
            if layer.operator == "Attention" and slot < len(_ATTENTION):
                return (_ATTENTION[slot],)
        return tuple(sorted(layer.operator for layer, _ in read))

    def name(self, part: str, place: int) -> str:
        """`q`, `k` or `v` for what an Attention reads alone as that; else a part's place."""
        role = self.role(part)
        return role[0] if role[:1] and role[0] in _ATTENTION else str(place)

    def reported_at(self, parts: Sequence[str]) -> str | None:
        """The layer to report the order at: an Attention, or one that reads a single part.

        Of several the one with the fewest operands: the activation of a gate.
        """
        read = [[layer for layer, _ in self._readers.get(part, [])] for part in parts]
        for layer in (one for held in read for one in held):
            if layer.operator == "Attention":
                return layer.id
        counts = Counter(one.id for held in read for one in held)
        alone = [one for held in read for one in held if counts[one.id] == 1]
        found = min(alone, key=lambda one: len(one.inputs), default=None)
        return found.id if found is not None else None


@dataclass(frozen=True, slots=True)
class _Packing:
    """Parts that one graph has in a fused projection, and the other in separate layers.

    `held` are the roles of the parts in the order of the projection, `listed` in the order in
    which the other graph lists its layers, and `names` their names there.
    """

    matches: tuple[Match, ...]
    held: tuple[Role, ...]
    listed: tuple[Role, ...]
    names: dict[Role, str]


def reordered(a: Readers, b: Readers, match: Match, ordered: Sequence[Match]) -> Finding:
    """The finding that both graphs fuse the parts, in different orders.

    `ordered` are their matches in the order of A's projection.
    """
    names = {one.a[0]: a.name(one.a[0], place) for place, one in enumerate(ordered, start=1)}
    theirs = sorted(ordered, key=lambda one: b.parts.spans.get(one.b[0], (0, 0)))
    before = tuple(names[one.a[0]] for one in ordered)
    after = tuple(names[one.a[0]] for one in theirs)
    pair = _pair(a, b, ordered) or (match.a[:1], match.b[:1])
    return _finding(a, pair, before, after)


def unusual(a: Readers, b: Readers, groups: Sequence[Sequence[Match]]) -> Iterator[Finding]:
    """Findings on fused projections whose parts are not in the usual order.

    Where the other graph makes queries, keys and values (or a gate and its value) in separate
    layers, the order of a fused projection is no difference by itself. Reported is a block with
    another order than the rest, and an Attention whose order is not q, k, v.
    """
    for whole, apart, packed_a in ((b, a, False), (a, b, True)):
        alike: dict[tuple[Role, ...], list[_Packing]] = defaultdict(list)
        for group in groups:
            held = _packing(whole, apart, group, packed_a=packed_a)
            if held is not None:
                alike[tuple(sorted(held.held))].append(held)
        for packings in alike.values():
            usual = _usual(packings)
            for one in packings:
                pair = _pair(a, b, one.matches)
                if one.held != usual and pair is not None:
                    told = [tuple(one.names[role] for role in x) for x in (usual, one.held)]
                    yield _finding(a, pair, *(reversed(told) if packed_a else told))


def _usual(packings: Sequence[_Packing]) -> tuple[Role, ...]:
    """The order that most projections have; of equally many, that of the separate layers."""
    if set(packings[0].held) == {(role,) for role in _ATTENTION}:
        return tuple((role,) for role in _ATTENTION)
    counts = Counter(one.held for one in packings)
    listed = Counter(one.listed for one in packings)
    return max(counts, key=lambda held: (counts[held], listed[held]))


def _packing(
    whole: Readers, apart: Readers, group: Sequence[Match], *, packed_a: bool
) -> _Packing | None:
    """The packing of some matches; None if it is none, or two parts have one role."""
    held = [(one.a if packed_a else one.b)[0] for one in group]
    own = [(one.b if packed_a else one.a)[0] for one in group]
    if len(group) < 2 or any(one not in whole.parts.spans for one in held):
        return None
    if any(one in apart.parts.origins for one in own):
        return None
    if len({whole.parts.origins[one] for one in held}) != 1:
        return None
    roles = [whole.role(one) for one in held]
    if len(set(roles)) != len(roles) or [apart.role(one) for one in own] != roles:
        return None
    places = {layer.id: at for at, layer in enumerate(apart.parts.source.layers)}
    spanned = sorted(range(len(group)), key=lambda at: whole.parts.spans[held[at]])
    listed = sorted(range(len(group)), key=lambda at: places.get(own[at], 0))
    return _Packing(
        tuple(group),
        tuple(roles[at] for at in spanned),
        tuple(roles[at] for at in listed),
        dict(zip(roles, _names(apart, own, roles), strict=True)),
    )


def _names(apart: Readers, own: Sequence[str], roles: Sequence[Role]) -> list[str]:
    """Short names of layers: their roles in an Attention, or where their own names differ."""
    if all(role[0] in _ATTENTION for role in roles):
        return [role[0] for role in roles]
    held = {layer.id: layer.name for layer in apart.parts.source.layers}
    steps = [held.get(one, one).replace("/", ".").split(".") for one in own]
    for place in zip(*(reversed(path) for path in steps), strict=False):
        if len(set(place)) == len(own):
            return list(place)
    return [str(place) for place in range(1, len(own) + 1)]


def _pair(a: Readers, b: Readers, matches: Sequence[Match]) -> Pair | None:
    """The layers of both graphs to report the order of some parts at."""
    ours = a.reported_at([one.a[0] for one in matches])
    theirs = b.reported_at([one.b[0] for one in matches])
    if ours is None or theirs is None:
        return None
    return a.parts.ids(ours), b.parts.ids(theirs)


def _finding(a: Readers, pair: Pair, before: Role, after: Role) -> Finding:
    operator = a.parts.operators.get(pair[0][0], "")
    return Finding("rewired", "computes", operator, pair, PARTS, before, after)
