"""Layers that changed, given other counterparts where fewer edits are told then.

A pooling gone from before the branches leaves that of a branch in its place; a layer put in beside
one that changed is as good a counterpart as that one, as far as neighbourhoods tell; and where a
layer reads other values, it may be those that are not matched as they should be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from modeldocs.diff.alignment.edits import Edits, near
from modeldocs.diff.alignment.facing_edges import few
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.alignment.sizes import signature

_MOST: Final = 64
"""Layers that changed beyond which none is tried: the networks differ, and it takes its time."""

_ROUNDS: Final = 3
"""Times that what changed is looked at, with what was matched otherwise since."""

_FURTHEST: Final = 64
"""Layers that are matched otherwise at once."""

_GAIN: Final = 0.04
"""By how many edits less the other counterpart must do: half of the least difference."""

_Pairs = list[tuple[int, int]]
_Leading = Callable[[Pairing, int, int], Iterator[tuple[int, int]]]


def retry(pairing: Pairing) -> None:
    """Match each changed layer with what makes the fewest edits of what it may be matched with."""
    for _ in range(_ROUNDS):
        if not _retried(pairing):
            break


def _retried(pairing: Pairing) -> bool:
    """Whether any of the changed layers was given another counterpart."""
    edits = Edits(pairing)
    changed = {i for i, _ in pairing.pairs() if edits.changed(i)}
    found = False
    for i in sorted(changed) if len(changed) <= _MOST else ():
        tried = [_tried(pairing, pairs) for pairs in _others(pairing, i, changed)]
        gain, trial = max(tried, key=lambda one: one[0], default=(0.0, pairing))
        if gain > _GAIN:
            other = sorted(pairing.differing(trial))
            pairing.take([(x, trial.to_b[x]) for x in other], trial.why)
            found = True
    return found


def _tried(pairing: Pairing, pairs: _Pairs) -> tuple[float, Pairing]:
    """A matching with other pairs in it, and how many edits fewer it makes.

    Layers that lose their counterparts to others take those of these, if they fit.
    """
    trial = pairing.only(pairing.pairs())
    left = [(pairing.to_a[y], pairing.to_b[x]) for x, y in pairs]
    region = {x for x, _ in pairs} | {x for x, _ in left} - {-1}
    for x in region:
        trial.part(x)
    for x, y in (*pairs, *left):
        if x >= 0 <= y and trial.free(x, y) and pairing.related(x, y):
            trust = round(0.3 + 0.5 * pairing.trust(x, y), 3)
            trial.match(x, y, "where it makes the fewest edits", trust)
    around = near(pairing, trial, region)
    return Edits(pairing).cost(around) - Edits(trial).cost(around), trial


def _others(pairing: Pairing, i: int, changed: set[int]) -> Iterator[_Pairs]:
    """How a layer may be matched instead: with a free one close by, with that of one beside it, or
    as it is, but what it reads with what its counterpart reads.
    """
    a, b, j = pairing.a, pairing.b, pairing.to_b[i]
    if j < 0:
        return
    for y in sorted(set(b.beside(j))):
        if pairing.to_a[y] < 0 and pairing.related(i, y):
            yield [(i, y)]
    for x in sorted(set(a.beside(i))):
        if pairing.to_b[x] < 0 and pairing.related(x, j):
            yield [(x, j)]
    for x in sorted(_siblings(a, i)):
        y = pairing.to_b[x]
        if x in changed and y >= 0 and pairing.same_kind(i, y) and pairing.same_kind(x, j):
            yield [(i, y)]
        elif y < 0 and _same_signature(pairing, x, j):
            yield _spread(pairing, [(x, j)], _below)
    for y in sorted(_siblings(b, j)):
        if pairing.to_a[y] < 0 and _same_signature(pairing, i, y):
            yield _spread(pairing, [(i, y)], _below)
    above = _spread(pairing, _above(pairing, i, j), _above)
    if above:
        yield above


def _same_signature(pairing: Pairing, i: int, j: int) -> bool:
    ours = signature(pairing.a.forms[i])
    return ours is not None and ours == signature(pairing.b.forms[j])


def _siblings(side: Side, node: int) -> set[int]:
    """The layers that are read together with one, or read what it reads."""
    found = {x for _, user in few(side.users[node]) for _, x in few(side.sources[user])}
    found |= {user for _, x in few(side.sources[node]) for _, user in few(side.users[x])}
    return found - {node}


def _spread(pairing: Pairing, start: Iterable[tuple[int, int]], on: _Leading) -> _Pairs:
    """Pairs with those that they lead to, up to where these are matched so already."""
    to_b: dict[int, int] = {}
    to_a: dict[int, int] = {}
    waiting = deque(start)
    while waiting and len(to_b) < _FURTHEST:
        x, y = waiting.popleft()
        if x in to_b or y in to_a or pairing.to_b[x] == y:
            continue
        to_b[x], to_a[y] = y, x
        waiting.extend(on(pairing, x, y))
    return sorted(to_b.items())


def _above(pairing: Pairing, i: int, j: int) -> Iterator[tuple[int, int]]:
    """What two layers read in the same slots, past a layer that only one side has."""
    a, b = pairing.a.sources, pairing.b.sources
    theirs = dict(few(b[j]))
    for code, x in few(a[i]):
        y = theirs.get(code, -1)
        if y < 0:
            continue
        if pairing.same_kind(x, y):
            yield x, y
        elif len(a[x]) == 1 and pairing.same_kind(a[x][0][1], y):
            yield a[x][0][1], y
        elif len(b[y]) == 1 and pairing.same_kind(x, b[y][0][1]):
            yield x, b[y][0][1]


def _below(pairing: Pairing, i: int, j: int) -> Iterator[tuple[int, int]]:
    """What reads two layers in the same slots."""
    theirs = few(pairing.b.users[j])
    for code, x in few(pairing.a.users[i]):
        yield from ((x, y) for other, y in theirs if other == code and pairing.same_kind(x, y))
