"""Followers: layers that hang on matched principals, aligned from the principal on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sequence import in_order
from modeldocs.diff.alignment.sides import Side

_CELLS: Final = 4096
"""Cells of an alignment table beyond which a line is left to the stages that follow."""

_Line = Callable[[Side, list[int], int], list[int]]
_Aligned = Callable[[Pairing, list[int], list[int]], Iterator[tuple[int, int]]]


def follow(pairing: Pairing) -> None:
    """Match the layers that follow matched principals one after the other.

    First groups that are the same on both sides, then lines of layers that lead on through
    principals without a counterpart. Where a group grew by a layer like one it has, the one
    nearest to its principal is the same.
    """
    _follow(pairing, _group, _equal)
    _follow(pairing, _line, _likeliest)


def _follow(pairing: Pairing, line: _Line, aligned: _Aligned) -> None:
    for i in _heads(pairing):
        j = pairing.to_b[i]
        if not pairing.b.groups.leads(j):
            continue
        ours, theirs = line(pairing.a, pairing.to_b, i), line(pairing.b, pairing.to_a, j)
        told = f"in order after {pairing.a.nodes[i].id} → {pairing.b.nodes[j].id}"
        for x, y in _between(pairing, ours, theirs, aligned):
            pairing.match(x, y, told, 0.9 if pairing.same_kind(x, y) else 0.7)


def _heads(pairing: Pairing) -> list[int]:
    """The matched principals of A that free layers stand in one line with."""
    head, sources = pairing.a.groups.head, pairing.a.sources
    found = set()
    for node in pairing.free_a():
        at = head[node]
        while pairing.to_b[at] < 0 and len(sources[at]) == 1:
            at = head[sources[at][0][1]]
        found.add(at)
    return sorted(at for at in found if pairing.to_b[at] >= 0)


def _group(side: Side, _: Sequence[int], principal: int) -> list[int]:
    """The layers that follow a principal, as far as they stand in one line."""
    head = side.groups.head
    return _walked(side, principal, lambda node: head[node] == principal)


def _line(side: Side, counterpart: Sequence[int], principal: int) -> list[int]:
    """The same, and further through principals without a counterpart in an unbranched line."""
    head = side.groups.head

    def on(node: int) -> bool:
        if head[node] != node:
            return True
        sources = side.sources[node]
        return counterpart[node] < 0 and len(sources) == 1 == len(side.users[sources[0][1]])

    return _walked(side, principal, on)


def _walked(side: Side, start: int, on: Callable[[int], bool]) -> list[int]:
    found: list[int] = []
    node = start
    while node >= 0:
        after = -1
        for _, user in side.users[node]:
            if user != after and on(user):
                if after >= 0:
                    return found
                after = user
        if after >= 0:
            found.append(after)
        node = after
    return found


def _between(
    pairing: Pairing, ours: list[int], theirs: list[int], aligned: _Aligned
) -> Iterator[tuple[int, int]]:
    """Pairs of free nodes of two lines, between the pairs that are matched already."""
    if not ours or not theirs:
        return
    place = {node: y for y, node in enumerate(theirs)}
    start = y = 0
    for x, node in enumerate(ours):
        found = place.get(pairing.to_b[node], -1)
        if found >= y:
            yield from aligned(pairing, ours[start:x], theirs[y:found])
            start, y = x + 1, found + 1
    yield from aligned(pairing, ours[start:], theirs[y:])


def _equal(pairing: Pairing, ours: list[int], theirs: list[int]) -> Iterator[tuple[int, int]]:
    """All of two stretches, where they compute the same layer by layer."""
    if len(ours) == len(theirs) and all(map(pairing.same_function, ours, theirs)):
        yield from ((i, j) for i, j in zip(ours, theirs, strict=True) if pairing.free(i, j))


def _likeliest(pairing: Pairing, ours: list[int], theirs: list[int]) -> Iterator[tuple[int, int]]:
    """The pairs, in order on both sides, that are most alike altogether."""
    left = [i for i in ours if pairing.to_b[i] < 0]
    right = [j for j in theirs if pairing.to_a[j] < 0]
    if len(left) * len(right) <= _CELLS:
        worth = [[_worth(pairing, i, j) for j in right] for i in left]
        yield from ((left[x], right[y]) for x, y in in_order(worth))


def _worth(pairing: Pairing, i: int, j: int) -> float:
    if pairing.same_kind(i, j):
        return 4 + pairing.trust(i, j)
    return 1.5 if pairing.same_family(i, j) else 0.0
