"""Pairs of unlike operators, given up where a layer next to one of them is the better match."""

from __future__ import annotations

from modeldocs.diff.alignment.pairing import Pairing


def prefer_nearer(pairing: Pairing) -> None:
    """Match with the same operator where one without counterpart stands next to another.

    A pooling gone from before the branches leaves that of a branch in its place.
    """
    for i, j in list(pairing.pairs()):
        if pairing.same_kind(i, j):
            continue
        a, b = pairing.a, pairing.b
        ours = [(x, j) for _, x in (*a.sources[i], *a.users[i])]
        theirs = [(i, y) for _, y in (*b.sources[j], *b.users[j])]
        better = [pair for pair in ours + theirs if _better(pairing, i, j, *pair)]
        if better:
            x, y = max(better, key=lambda pair: (pairing.support(*pair), -pair[0], -pair[1]))
            pairing.part(i)
            told = "the same operator, next to one that could stand for it"
            pairing.match(x, y, told, round(0.3 + 0.5 * pairing.trust(x, y), 3))


def _better(pairing: Pairing, i: int, j: int, x: int, y: int) -> bool:
    """Whether x and y are the same where i and j are not, of which they replace one."""
    free = pairing.to_b[x] < 0 if x != i else pairing.to_a[y] < 0
    return free and pairing.same_kind(x, y) and pairing.support(x, y) >= pairing.support(i, j)
