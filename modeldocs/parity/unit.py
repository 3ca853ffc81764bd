"""Units: the groups of layers that correspond, what they read from outside and what they give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.diff import Diff, Ids, Pair
from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.diff.function.canonical_op import transparent
from modeldocs.parity.route import Route
from modeldocs.parity.side import Edge, Side


@dataclass(frozen=True)
class Half:
    """The layers of one side. `reads` has one entry for each value from outside, with its edges.

    `gives` are the values that leave it, in order.
    """

    ids: Ids
    reads: tuple[tuple[Edge, ...], ...]
    gives: tuple[ir.Value, ...]


@dataclass(frozen=True)
class Unit:
    """Layers of A and their counterparts in B.

    `fed` pairs what both read and `given` what both give, A's with B's, by place in their halves.
    `seen` has for each pair in `given` the ways to layers that read it and correspond, if any do.
    """

    a: Half
    b: Half
    fed: tuple[tuple[int, int], ...]
    given: tuple[tuple[int, int], ...]
    seen: tuple[tuple[Route, Route] | None, ...]
    order: Arrangement = KEPT
    """In which order B's layer makes the elements of A's."""

    @property
    def pair(self) -> Pair:
        """The ids on both sides."""
        return self.a.ids, self.b.ids


def units(a: Side, b: Side, diff: Diff) -> list[Unit]:
    """The matches of a diff whose layers compute something, in A's order."""
    counterpart = diff.counterpart()
    pairs = [
        (_computing(a, match.a), _computing(b, match.b), Arrangement(match.sizes, match.order))
        for match in diff.matches
    ]
    return in_order(a, [unit(a, b, (x, y), counterpart, order) for x, y, order in pairs if x and y])


def in_order(a: Side, found: Iterable[Unit]) -> list[Unit]:
    """Units in A's order."""
    place = {name: number for number, name in enumerate(a.named)}
    return sorted(found, key=lambda unit: min(place[name] for name in unit.a.ids))


def unit(
    a: Side, b: Side, pair: Pair, counterpart: dict[str, Ids], order: Arrangement = KEPT
) -> Unit:
    """Layers that correspond, as a unit."""
    halves = half(a, pair[0]), half(b, pair[1])
    given = _given(a, b, halves, counterpart)
    seen = tuple(
        _seen(a, b, (halves[0].gives[i], halves[1].gives[j]), counterpart) for i, j in given
    )
    return Unit(*halves, _fed(*halves, counterpart), given, seen, order)


def joined(
    a: Side, b: Side, units: list[Unit], together: Iterable[tuple[str, str]], diff: Diff
) -> list[Unit]:
    """The units, those of two layers of A that only count together as one."""
    counterpart = diff.counterpart()
    owner = {name: one for one in units for name in one.a.ids}
    for first, second in together:
        ours = _computing(a, (*owner[first].a.ids, *owner[second].a.ids))
        theirs = _computing(b, (*owner[first].b.ids, *owner[second].b.ids))
        made = unit(a, b, (ours, theirs), counterpart)
        owner |= dict.fromkeys(ours, made)
    return in_order(a, {one.a.ids: one for one in owner.values()}.values())


def _computing(side: Side, ids: Ids) -> Ids:
    held = [name for name in side.layers if name in set(ids)]
    return tuple(name for name in held if not transparent(side.layers[name]))


def half(side: Side, ids: Ids) -> Half:
    """Layers of one side, in their order, as a group."""
    inside = set(ids)
    reads: dict[str, list[Edge]] = {}
    for name in ids:
        for edge in side.edges[name]:
            if edge.maker not in inside:
                reads.setdefault(str(edge.route.root.name), []).append(edge)
    gives = [v for name in ids for v in side.nodes[name].outputs if _leaves(side, v, inside)]
    return Half(
        ids,
        tuple(tuple(edges) for edges in reads.values()),
        tuple(gives) or (side.nodes[ids[-1]].outputs[0],),
    )


def _leaves(side: Side, value: ir.Value, inside: set[str]) -> bool:
    """Whether anything outside of a group reads a value."""
    if any(edge.layer not in inside for edge in side.readers.get(str(value.name), [])):
        return True
    return str(value.name) in side.returned


def _fed(a: Half, b: Half, counterpart: dict[str, Ids]) -> tuple[tuple[int, int], ...]:
    """Which operands of the two are the same: by who makes them, the others in their order."""
    left, right = list(range(len(a.reads))), list(range(len(b.reads)))
    found: list[tuple[int, int]] = []
    for i, j in _by_maker(a, b, counterpart):
        found.append((i, j))
        left.remove(i)
        right.remove(j)
    return tuple(sorted([*found, *zip(left, right, strict=False)]))


def _given(
    a: Side, b: Side, halves: tuple[Half, Half], counterpart: dict[str, Ids]
) -> tuple[tuple[int, int], ...]:
    """Which outputs of the two are the same: by who reads them where, the others in their order."""
    left, right = list(range(len(halves[0].gives))), list(range(len(halves[1].gives)))
    found: list[tuple[int, int]] = []
    for i in tuple(left):
        readers = a.readers.get(str(halves[0].gives[i].name), [])
        slots = {(one, edge.slot) for edge in readers for one in counterpart.get(edge.layer, ())}
        for j in right:
            others = b.readers.get(str(halves[1].gives[j].name), [])
            if slots & {(edge.layer, edge.slot) for edge in others}:
                found.append((i, j))
                left.remove(i)
                right.remove(j)
                break
    return tuple(sorted([*found, *zip(left, right, strict=False)]))


def _seen(
    a: Side, b: Side, both: tuple[ir.Value, ir.Value], counterpart: dict[str, Ids]
) -> tuple[Route, Route] | None:
    """The ways from two values to layers that correspond, and read them in the same slot."""
    others = b.readers.get(str(both[1].name), [])
    for edge in a.readers.get(str(both[0].name), []):
        same = counterpart.get(edge.layer, ())
        for other in others:
            if other.layer in same and other.slot == edge.slot:
                return edge.route, other.route
    return None


def _by_maker(a: Half, b: Half, counterpart: dict[str, Ids]) -> list[tuple[int, int]]:
    """Operands whose makers are matched; of one maker, those of the same output."""
    found: list[tuple[int, int]] = []
    taken: set[int] = set()
    for i, edges in enumerate(a.reads):
        makers = counterpart.get(edges[0].maker, ())
        free = [j for j, other in enumerate(b.reads) if j not in taken]
        fits = [j for j in free if b.reads[j][0].maker in makers]
        same = [j for j in fits if _output(b.reads[j]) == _output(edges)]
        if fits:
            found.append((i, (same or fits)[0]))
            taken.add(found[-1][1])
    return found


def _output(edges: Sequence[Edge]) -> int | None:
    root = edges[0].route.root
    return root.index() if root.producer() is not None else None
