"""The order of the parts of a fused projection, by the readers of each part."""

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
    """The readers of each part of one graph."""

    def __init__(self, parts: SplitGraph) -> None:
        self.parts = parts

    @cached_property
    def _readers(self) -> dict[str, list[tuple[Layer, int]]]:
        readers: dict[str, list[tuple[Layer, int]]] = defaultdict(list)
        for layer in self.parts.graph.layers:
            for operand in layer.inputs:
                readers[operand.value].append((layer, operand.slot))
        return readers

    def role(self, part: str) -> Role:
        """The role of a part for its readers: `q` of an Attention, else the readers' operators."""
        readers = self._readers.get(part, [])
        for layer, slot in readers:
            if layer.operator == "Attention" and slot < len(_ATTENTION):
                return (_ATTENTION[slot],)
        return tuple(sorted(layer.operator for layer, _ in readers))

    def name(self, part: str, place: int) -> str:
        """`q`, `k` or `v` for an operand of an Attention; else the number `place` of the part."""
        role = self.role(part)
        return role[0] if role[:1] and role[0] in _ATTENTION else str(place)

    def reported_at(self, parts: Sequence[str]) -> str | None:
        """The layer at which the order of parts is reported; None where there is none.

        An Attention that reads them; else a layer that reads one of them only, of several the one
        with the fewest operands: the activation of a gate.
        """
        readers = [layer for part in parts for layer, _ in self._readers.get(part, [])]
        attention = next((layer for layer in readers if layer.operator == "Attention"), None)
        if attention is not None:
            return attention.id
        counts = Counter(layer.id for layer in readers)
        single = [layer for layer in readers if counts[layer.id] == 1]
        layer = min(single, key=lambda layer: len(layer.inputs), default=None)
        return layer.id if layer is not None else None


@dataclass(frozen=True, slots=True)
class _Packing:
    """Parts that one graph packs into a fused projection, and the other has in separate layers.

    `packed` are the roles of the parts in the order of the projection, `listed` in the order in
    which the other graph lists its layers, and `names` their names there.
    """

    matches: tuple[Match, ...]
    packed: tuple[Role, ...]
    listed: tuple[Role, ...]
    names: dict[Role, str]


def reordered(a: Readers, b: Readers, match: Match, ordered: Sequence[Match]) -> Finding:
    """The finding that both graphs fuse the parts, in different orders.

    `ordered` are the matches of the parts in the order of A's projection.
    """
    names = {part.a[0]: a.name(part.a[0], place) for place, part in enumerate(ordered, start=1)}
    theirs = sorted(ordered, key=lambda part: b.parts.spans.get(part.b[0], (0, 0)))
    before = tuple(names[part.a[0]] for part in ordered)
    after = tuple(names[part.a[0]] for part in theirs)
    pair = _pair(a, b, ordered) or (match.a[:1], match.b[:1])
    return _finding(a, pair, before, after)


def unusual(a: Readers, b: Readers, groups: Sequence[Sequence[Match]]) -> Iterator[Finding]:
    """Findings on fused projections whose parts are not in the usual order.

    Where the other graph has queries, keys and values (or a gate and its value) in separate
    layers, the order of a fused projection is no difference by itself. Reported is a block with
    another order than the rest, and an Attention whose order is not q, k, v.
    """
    for fused, separate, fused_in_a in ((b, a, False), (a, b, True)):
        by_roles: dict[tuple[Role, ...], list[_Packing]] = defaultdict(list)
        for group in groups:
            packing = _packing(fused, separate, group, fused_in_a=fused_in_a)
            if packing is not None:
                by_roles[tuple(sorted(packing.packed))].append(packing)
        for packings in by_roles.values():
            usual = _usual(packings)
            for packing in packings:
                pair = _pair(a, b, packing.matches)
                if packing.packed != usual and pair is not None:
                    expected = tuple(packing.names[role] for role in usual)
                    actual = tuple(packing.names[role] for role in packing.packed)
                    orders = (actual, expected) if fused_in_a else (expected, actual)
                    yield _finding(a, pair, *orders)


def _usual(packings: Sequence[_Packing]) -> tuple[Role, ...]:
    """The order that most projections have; of equally many, that of the separate layers."""
    if set(packings[0].packed) == {(role,) for role in _ATTENTION}:
        return tuple((role,) for role in _ATTENTION)
    counts = Counter(packing.packed for packing in packings)
    listed = Counter(packing.listed for packing in packings)
    return max(counts, key=lambda order: (counts[order], listed[order]))


def _packing(
    fused: Readers, separate: Readers, group: Sequence[Match], *, fused_in_a: bool
) -> _Packing | None:
    """The packing of matched parts; None if it is none, or two parts have one role."""
    parts = [(match.a if fused_in_a else match.b)[0] for match in group]
    layers = [(match.b if fused_in_a else match.a)[0] for match in group]
    if len(group) < 2 or any(part not in fused.parts.spans for part in parts):
        return None
    if any(layer in separate.parts.origins for layer in layers):
        return None
    if len({fused.parts.origins[part] for part in parts}) != 1:
        return None
    roles = [fused.role(part) for part in parts]
    if len(set(roles)) != len(roles) or [separate.role(layer) for layer in layers] != roles:
        return None
    places = {layer.id: place for place, layer in enumerate(separate.parts.source.layers)}
    packed = sorted(range(len(group)), key=lambda at: fused.parts.spans[parts[at]])
    listed = sorted(range(len(group)), key=lambda at: places.get(layers[at], 0))
    return _Packing(
        tuple(group),
        tuple(roles[at] for at in packed),
        tuple(roles[at] for at in listed),
        dict(zip(roles, _names(separate, layers, roles), strict=True)),
    )


def _names(separate: Readers, layers: Sequence[str], roles: Sequence[Role]) -> list[str]:
    """Short names of layers: their roles in an Attention, or where their own names differ."""
    if all(role[0] in _ATTENTION for role in roles):
        return [role[0] for role in roles]
    names = {layer.id: layer.name for layer in separate.parts.source.layers}
    paths = [names.get(layer, layer).replace("/", ".").split(".") for layer in layers]
    for components in zip(*(reversed(path) for path in paths), strict=False):
        if len(set(components)) == len(layers):
            return list(components)
    return [str(number) for number in range(1, len(layers) + 1)]


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
