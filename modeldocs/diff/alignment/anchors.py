"""Anchors: pairs of nodes that are the only ones of their surroundings on either side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from modeldocs.diff.alignment.enclosed import enclose
from modeldocs.diff.alignment.followers import follow
from modeldocs.diff.alignment.keys import (
    Told,
    alone,
    balls,
    one_way,
    own_colours,
    placed,
    principal,
)
from modeldocs.diff.alignment.labels import (
    BARE,
    EXACT,
    NAMED,
    OUTLINE,
    PRINCIPALS,
    SHAPED,
    TRUNK,
    WEIGHTED,
)
from modeldocs.diff.alignment.pairing import Allowed, Pairing
from modeldocs.diff.alignment.propagation import propagate
from modeldocs.diff.alignment.sequence import Bounds, growing

_Candidate = tuple[int, int, str, float]

_STRICT: Final = (EXACT, SHAPED, WEIGHTED)


def anchor(pairing: Pairing) -> None:
    """Match nodes by unique surroundings, as far as their order agrees.

    First what is alone in its place, then the principals of groups and what follows them, then,
    nearer and nearer, what does not contradict them.
    """
    heads = pairing.a.groups.principals(), pairing.b.groups.principals()
    every = range(len(pairing.a)), range(len(pairing.b))
    _match(pairing, every, placed(pairing, (EXACT,)))
    _match(pairing, heads, placed(pairing, (OUTLINE,)))
    own = (pairing.a.grouped, pairing.b.grouped), own_colours(pairing, OUTLINE)
    for told in own:
        _match(pairing, heads, principal(pairing, told, (OUTLINE,)))
    follow(pairing)
    enclose(pairing)
    if _repeats(pairing, heads[0]):
        propagate(pairing, pairing.frontier(), _continues)
    if not pairing.settled(*heads):
        for told in own:
            _match(pairing, heads, principal(pairing, told, (TRUNK, BARE)))
        _match(pairing, heads, balls(pairing, (TRUNK,)), near=True)
        trunk = principal(pairing, own_colours(pairing, TRUNK), PRINCIPALS)
        _match(pairing, heads, trunk, _nothing_nearer)
        follow(pairing)
        enclose(pairing)
        propagate(pairing, pairing.frontier(), _continues)
        _match(pairing, heads, balls(pairing, (OUTLINE,)), near=True)
        follow(pairing)
    if not pairing.settled(*every):
        _match(pairing, every, placed(pairing, (SHAPED, WEIGHTED)))
        _match(pairing, every, one_way(pairing, _STRICT))
        _match(pairing, every, balls(pairing, _STRICT), near=True)


def _repeats(pairing: Pairing, heads: Sequence[int]) -> bool:
    """Whether what is left of A is the same again and again, so that no ball is unique."""
    left = [i for i in heads if pairing.to_b[i] < 0]
    if not left:
        return False
    _, counts = np.unique(pairing.a.colours[OUTLINE].balls[-1][left], return_counts=True)
    return int(np.count_nonzero(counts == 1)) * _RARE < len(left)


_RARE: Final = 10
"""One in so many balls may be unique in a graph that repeats itself."""


def anchor_named(pairing: Pairing) -> None:
    """Match nodes whose surroundings are unique by operators alone."""
    every = range(len(pairing.a)), range(len(pairing.b))
    if not pairing.settled(*every):
        _match(pairing, every, placed(pairing, (NAMED,)))
        _match(pairing, every, one_way(pairing, (NAMED,)))


def _match(
    pairing: Pairing,
    among: tuple[Iterable[int], Iterable[int]],
    keys: Iterable[Told],
    allowed: Allowed = Pairing.fits_group,
    *,
    near: bool = False,
) -> None:
    found = list(_unique(pairing, among, keys, allowed))
    if not found:
        return
    for i, j, reason, confidence in _in_order(pairing, found, near=near):
        pairing.match(i, j, reason, confidence)


def _continues(pairing: Pairing, i: int, j: int) -> bool:
    """Whether two neighbours of a pair go on alike: the same operator, making the same channels."""
    return pairing.same_trunk(i, j) and _nothing_nearer(pairing, i, j)


def _nothing_nearer(pairing: Pairing, i: int, j: int) -> bool:
    """Whether no free principal next to either has the very weight of the other."""
    a, b = pairing.a, pairing.b
    ours, theirs = a.colours[OUTLINE].own, b.colours[OUTLINE].own
    beside_i = [x for _, x in (*a.groups.sources[i], *a.groups.users[i]) if pairing.to_b[x] < 0]
    beside_j = [y for _, y in (*b.groups.sources[j], *b.groups.users[j]) if pairing.to_a[y] < 0]
    return ours[i] == theirs[j] or not (
        any(ours[x] == theirs[j] for x in beside_i) or any(theirs[y] == ours[i] for y in beside_j)
    )


def _unique(
    pairing: Pairing,
    among: tuple[Iterable[int], Iterable[int]],
    keys: Iterable[Told],
    allowed: Allowed,
) -> Iterator[_Candidate]:
    """Free nodes that are alone with their key on either side, the strongest key first."""
    left = [i for i in among[0] if pairing.to_b[i] < 0]
    right = [j for j in among[1] if pairing.to_a[j] < 0]
    if not left or not right:
        return
    for ours, theirs, reason, confidence in keys:
        mine, others = alone(left, ours), alone(right, theirs)
        found = {i: others[key] for key, i in mine.items() if key in others}
        found = {i: j for i, j in found.items() if allowed(pairing, i, j)}
        if not found:
            continue
        yield from ((i, j, reason, round(confidence, 3)) for i, j in found.items())
        taken = set(found.values())
        left = [i for i in left if i not in found]
        right = [j for j in right if j not in taken]
        if not left or not right:
            return


def _in_order(pairing: Pairing, found: list[_Candidate], *, near: bool) -> list[_Candidate]:
    """The longest run of candidates whose depths grow on both sides, as those of pairs do.

    What is alike only nearby must not be shifted against the pairs above it and below it either:
    a network that grows by the same number of channels again and again is like itself a block on.
    """
    depths_a, depths_b = pairing.a.groups.depths, pairing.b.groups.depths
    within = Bounds([(depths_a[i], depths_b[j]) for i, j in pairing.pairs()])
    fits = within.level if near else within.hold
    found = [c for c in found if fits(depths_a[c[0]], depths_b[c[1]])]
    found.sort(key=lambda c: (depths_a[c[0]], depths_b[c[1]], c[0]))
    return [found[index] for index in growing([depths_b[c[1]] for c in found])]
