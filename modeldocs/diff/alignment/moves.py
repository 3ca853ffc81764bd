"""Moves: layers that are the same on both sides but stand elsewhere."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from modeldocs.diff.alignment.crossings import find_crossings
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.regions import Gap, gaps
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.alignment.wiring import Wiring

_MOST: Final = 2_000
"""Layers that read others beyond which the graphs are too unlike to speak of moves."""


def find_moves(pairing: Pairing) -> None:
    """Match layers left over that are the same but stand elsewhere in the same gap."""
    before = set(pairing.free_a())
    for gap in gaps(pairing, loose=True):
        _match_equal(pairing, gap)
    find_crossings(pairing)
    wiring = Wiring(pairing)
    found = [i for i in sorted(before) if pairing.to_b[i] >= 0]
    pairing.moved.update(i for i in found if not wiring.in_place(i, pairing.to_b[i]))
    _mark_crossed(pairing, wiring)
    for i in _unlike(pairing, wiring):
        pairing.part(i)


def _unlike(pairing: Pairing, wiring: Wiring) -> list[int]:
    """Matched layers of another operator that neither read nor feed what their counterparts do."""
    found = []
    for i, j in pairing.pairs():
        if pairing.same_kind(i, j) or pairing.a.forms[i].parameters:
            continue
        if i in pairing.moved or (wiring.differing(i, j) and not wiring.same_readers(i, j)):
            found.append(i)
    return found


def _mark_crossed(pairing: Pairing, wiring: Wiring) -> None:
    """Call a matched layer moved where that explains why others around it read otherwise.

    Pooling before a norm and after it makes three layers read others; that one of the two moved
    explains them all.
    """
    crossed = {i for i, j in pairing.pairs() if wiring.differing(i, j)}
    if len(crossed) > _MOST:
        return
    for i in sorted(crossed, key=lambda node: (pairing.why[node][1], node)):
        near = {i, *_around(pairing, i)} - pairing.moved
        before = sum(bool(wiring.differing(x, pairing.to_b[x])) for x in near)
        if i not in crossed or before < _WORTH or i in pairing.moved:
            continue
        pairing.moved.add(i)
        after = sum(bool(wiring.differing(x, pairing.to_b[x])) for x in near - {i})
        if before - after < _WORTH:
            pairing.moved.discard(i)


_WORTH: Final = 2
"""Layers that a move must explain, the moved one among them."""


def _around(pairing: Pairing, i: int) -> set[int]:
    """Matched nodes of A next to i, or whose counterparts are next to i's."""
    a, b, j = pairing.a, pairing.b, pairing.to_b[i]
    ours = {node for _, node in (*a.sources[i], *a.users[i])}
    theirs = {pairing.to_a[node] for _, node in (*b.sources[j], *b.users[j])}
    return {node for node in ours | theirs if node >= 0 and pairing.to_b[node] >= 0}


def _match_equal(pairing: Pairing, gap: Gap) -> None:
    ours, theirs = _by_function(pairing.a, gap.a), _by_function(pairing.b, gap.b)
    for key, members in ours.items():
        for i, j in zip(members, theirs.get(key, ()), strict=False):
            pairing.match(i, j, "the same layer, elsewhere between the same matched layers", 0.6)


def _by_function(side: Side, nodes: list[int]) -> dict[object, list[int]]:
    found: dict[object, list[int]] = defaultdict(list)
    for node in nodes:
        told = side.forms[node]
        found[told.operator, told.attributes, told.parameters].append(node)
    return found
