"""Layers matched to what stands in their place, matched to what they are instead.

A layer that stands elsewhere leaves its place to another: the norms of a block before its sums,
or behind them; a factor behind a sum that stood before it. Held against what is in the same place,
such layers seem to read something else, or to be another operator, and one at the end of the row
has no counterpart at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.alignment.wiring import Wiring

_MOST: Final = 200
"""Layers that only one side has beyond which the graphs are too unlike to look for these."""

_LONGEST: Final = 256
_REASON: Final = "the same layer, elsewhere in its row"

Pairs = list[tuple[int, int]]


def settle(pairing: Pairing) -> None:
    """Match layers anew where that explains more than the places where they stand."""
    others = [(i, j) for i, j in pairing.pairs() if not pairing.same_kind(i, j)]
    if max(len(pairing.free_a()), len(pairing.free_b()), len(others)) > _MOST:
        return
    for proposed in (*_rows(pairing), *_mistaken(pairing, others), *_crossed(pairing, others)):
        free_a, free_b = set(pairing.free_a()), set(pairing.free_b())
        known = {i: pairing.to_b[i] for i, _ in proposed}
        left_a = {i for i, j in proposed if i in free_a}
        left_b = {j for i, j in proposed if j in free_b}
        if len(left_a) == len(left_b) <= 1 and set(known) - left_a and _apart(pairing, proposed):
            _try(pairing, proposed)


def _apart(pairing: Pairing, proposed: Pairs) -> bool:
    """Whether what the pairs take from others, they give back: as many layers stay matched."""
    ours = {i for i, _ in proposed}
    return all(pairing.to_a[j] < 0 or pairing.to_a[j] in ours for _, j in proposed)


def _try(pairing: Pairing, proposed: Pairs) -> None:
    """Take the pairs over where fewer layers are left that read others, or are others."""
    before = _cost(pairing)
    kept = pairing.to_b[:], pairing.to_a[:], dict(pairing.why), dict(pairing.parents)
    moved = set(pairing.moved)
    for i, _ in proposed:
        pairing.part(i)
    for i, j in proposed:
        pairing.match(i, j, _REASON, 0.6)
        pairing.moved.add(i)
    after = _cost(pairing)
    if after > before - 2 - _WORTH:
        pairing.to_b[:], pairing.to_a[:] = kept[0], kept[1]
        pairing.why, pairing.parents = kept[2], kept[3]
        pairing.moved = moved
        return
    for i, _ in proposed:
        pairing.moved.discard(i)
        if _cost(pairing) > after:
            pairing.moved.add(i)
            pairing.together[i] = proposed[0][0]


_ENDS: Final = 4
"""Layers left over by themselves up to which the ends of a row are told from them."""

_WORTH: Final = 1
"""Layers by which the count must fall, beside the two that find a counterpart."""


def _cost(pairing: Pairing) -> int:
    """How many layers read others, compute others, or are there on one side alone."""
    wiring = Wiring(pairing)
    told = len(pairing.free_a()) + len(pairing.free_b())
    for i, j in pairing.pairs():
        told += not pairing.same_function(i, j)
        told += i not in pairing.moved and bool(wiring.differing(i, j))
    return told


def _rows(pairing: Pairing) -> Iterator[Pairs]:
    """Rows of equal layers matched one off: each to the next, so that both ends are left over."""
    a, b = pairing.a, pairing.b
    free_a = [i for i in pairing.free_a() if _alone(a, i, pairing.to_b)]
    free_b = [j for j in pairing.free_b() if _alone(b, j, pairing.to_a)]
    left = {_kind(a, i) for i in free_a} & {_kind(b, j) for j in free_b}
    if len(left) != 1 or len(free_a) + len(free_b) > _ENDS:
        return  # one end of a row is left over on each side, and little else
    ours, theirs = _by_kind(a, range(len(a))), _by_kind(b, range(len(b)))
    for j in free_b:
        found = _row(ours, theirs, _kind(b, j), j, pairing.to_a)
        if found:
            yield found
    for i in free_a:
        found = _row(theirs, ours, _kind(a, i), i, pairing.to_b)
        if found:
            yield [(x, y) for y, x in found]


def _alone(side: Side, node: int, counterpart: Sequence[int]) -> bool:
    """Whether a layer is left over by itself: those of a block are there on one side alone."""
    around = (*side.sources[node], *side.users[node])
    return all(counterpart[other] >= 0 for _, other in around)


def _row(
    ends: dict[object, list[int]],
    starts: dict[object, list[int]],
    kind: object,
    start: int,
    counterpart: Sequence[int],
) -> Pairs:
    """From the free `start`: what follows it is matched to the row of the other side, to its end.

    The pairs are (node of `ends`, node of `starts`) as they are meant.
    """
    row, other = starts.get(kind, []), ends.get(kind, [])
    if start not in row:  # an input of the network
        return []
    place = row.index(start)
    if place + 1 == len(row) or counterpart[row[place + 1]] not in other:
        return []
    first = other.index(counterpart[row[place + 1]])
    length = 0
    while (
        length < _LONGEST
        and place + 1 + length < len(row)
        and first + length < len(other)
        and counterpart[row[place + 1 + length]] == other[first + length]
    ):
        length += 1
    members = other[first : first + length + 1]
    return list(zip(members, row[place : place + length + 1], strict=False))


def _crossed(pairing: Pairing, others: Pairs) -> Iterator[Pairs]:
    """Two pairs of different operators near each other, each of which has the other's layer."""
    for place, (i, j) in enumerate(others):
        for x, y in others[place + 1 :]:
            if _same(pairing, i, y) and _same(pairing, x, j) and _near(pairing.a, i, x):
                yield [(i, y), (x, j)]
                break


def _mistaken(pairing: Pairing, others: Pairs) -> Iterator[Pairs]:
    """Two of different operators that are matched, where the right ones are left over near by."""
    a, b = pairing.a, pairing.b
    for i, j in others:
        ours = [x for x in pairing.free_a() if _same(pairing, x, j) and _near(a, x, i)]
        theirs = [y for y in pairing.free_b() if _same(pairing, i, y) and _near(b, y, j)]
        if ours and theirs:
            yield [(i, theirs[-1]), (ours[-1], j)]


def _same(pairing: Pairing, i: int, j: int) -> bool:
    ours, theirs = pairing.a.forms[i], pairing.b.forms[j]
    return pairing.same_kind(i, j) and ours.parameters == theirs.parameters


_NEAR: Final = 8
"""Steps within which a layer is near."""


def _near(side: Side, node: int, other: int) -> bool:
    seen, edge = {node}, {node}
    for _ in range(_NEAR):
        edge = {x for one in edge for _, x in (*side.sources[one], *side.users[one])} - seen
        if other in edge:
            return True
        seen |= edge
    return False


def _kind(side: Side, node: int) -> object:
    return side.forms[node].operator, side.forms[node].parameters


def _by_kind(side: Side, nodes: Sequence[int]) -> dict[object, list[int]]:
    """Nodes with parameters, and equal in them, in order of depth."""
    found: dict[object, list[int]] = defaultdict(list)
    for node in sorted(nodes, key=lambda one: (side.depths[one], one)):
        if side.forms[node].parameters or side.sources[node]:
            found[_kind(side, node)].append(node)
    return found
