"""Branches matched to one another's counterparts: queries to keys, where their widths differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from modeldocs.diff.alignment.facing_edges import few
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.alignment.sizes import signature

_LONGEST: Final = 64
"""Layers that a branch is followed along."""


def turned(pairing: Pairing) -> Pairing | None:
    """The matching with such branches the other way round, as far as where they meet.

    Layers behind the first ones of the branches are left to be matched. None where there are
    no such branches.
    """
    pairs = list(_crossed(pairing))
    if not pairs:
        return None
    made = pairing.only(pairing.pairs())
    for i, x in pairs:
        j, y = made.to_b[i], made.to_b[x]
        for node in (i, x, *(_behind(made.a, i) ^ _behind(made.a, x))):
            made.part(node)
        for node, other in ((i, y), (x, j)):
            made.match(node, other, "the same parameters, read from the same", 0.8)
    return made


def _crossed(pairing: Pairing) -> Iterator[tuple[int, int]]:
    """Two nodes of A that read the same, each with the parameters of the other's counterpart."""
    a, b = pairing.a, pairing.b
    resized: dict[tuple[int, tuple[object, ...] | None], list[int]] = {}
    for i, j in pairing.pairs():
        ours, theirs = signature(a.forms[i]), signature(b.forms[j])
        if ours != theirs and ours is not None and a.sources[i]:
            resized.setdefault((a.sources[i][0][1], theirs), []).append(i)
    taken: set[int] = set()
    for (source, theirs), nodes in resized.items():
        for i in nodes:
            other = resized.get((source, signature(a.forms[i])), [])
            free = [x for x in other if x not in taken and signature(a.forms[x]) == theirs]
            if free and i not in taken:
                taken |= {i, free[0]}
                yield i, free[0]


def _behind(side: Side, node: int) -> set[int]:
    """What is made of a node, as far as it is followed."""
    found: set[int] = set()
    waiting = [node]
    for one in waiting:
        for _, user in few(side.users[one]):
            if user not in found and len(found) < _LONGEST:
                found.add(user)
                waiting.append(user)
    return found
