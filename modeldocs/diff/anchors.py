"""Anchors: pairs of nodes that are the only ones of their surroundings on either side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from modeldocs.diff.colours import RADII
from modeldocs.diff.labels import EXACT, NAMED, SHAPED, WEIGHTED, WORDS
from modeldocs.diff.pairing import Pairing

_Key = Sequence[object]
_Candidate = tuple[int, int, str, float]


def anchor(pairing: Pairing, levels: Sequence[int] = (EXACT, SHAPED, WEIGHTED)) -> None:
    """Match nodes by unique surroundings, the largest first, as far as their order agrees."""
    found = list(_unique(pairing, levels))
    for i, j, reason, confidence in _in_order(pairing, found):
        pairing.match(i, j, reason, confidence)


def twins(pairing: Pairing) -> Iterator[tuple[int, int]]:
    """Pairs from classes of nodes that nothing around them tells apart, smallest class first.

    Any pair of a class will do; who takes one must let its neighbours follow before the next.
    """
    for level in (EXACT, SHAPED, WEIGHTED):
        ours, theirs = pairing.colours[level]
        left = _classes(pairing.free_a(), list(zip(ours.forward, ours.backward, strict=True)))
        right = _classes(pairing.free_b(), list(zip(theirs.forward, theirs.backward, strict=True)))
        shared = [(left[key], right[key]) for key in left if key in right]
        for members, others in sorted(shared, key=lambda pair: (len(pair[0]), pair[0][0])):
            rest = iter(others)
            for i in members:
                if pairing.to_b[i] < 0:
                    j = next((j for j in rest if pairing.to_a[j] < 0), None)
                    if j is None:
                        break
                    yield i, j


def _classes(nodes: list[int], key: _Key) -> dict[object, list[int]]:
    classes: dict[object, list[int]] = {}
    for node in nodes:
        classes.setdefault(key[node], []).append(node)
    return classes


def _keys(pairing: Pairing, levels: Sequence[int]) -> Iterator[tuple[_Key, _Key, str, float]]:
    """Keys of both sides with the reason a match by them gives, strongest first."""
    colours = pairing.colours
    for level in levels:
        a, b = colours[level]
        told = WORDS[level]
        both = list(zip(a.forward, a.backward, strict=True))
        other = list(zip(b.forward, b.backward, strict=True))
        yield (
            both,
            other,
            f"alone in its place in the graph by {WORDS[level]}",
            1 - level / 50,
        )
    for level in levels:
        a, b = colours[level]
        yield (
            a.forward,
            b.forward,
            f"the same layers before it by {WORDS[level]}",
            0.96 - level / 50,
        )
    for level in levels:
        a, b = colours[level]
        yield (
            a.backward,
            b.backward,
            f"the same layers after it by {WORDS[level]}",
            0.95 - level / 50,
        )
    for radius in range(max((RADII[level] for level in levels), default=0), 0, -1):
        for level in levels:
            if level != NAMED and (radius > 1 or level != SHAPED):
                a, b = colours[level]
                told = f"unique neighbourhood of radius {radius} by {WORDS[level]}"
                yield a.balls[radius], b.balls[radius], told, 0.8 + radius / 40 - level / 50


def _unique(pairing: Pairing, levels: Sequence[int]) -> Iterator[_Candidate]:
    left, right = pairing.free_a(), pairing.free_b()
    for ours, theirs, reason, confidence in _keys(pairing, levels):
        if not left or not right:
            return
        alone, others = _alone(left, ours), _alone(right, theirs)
        found = {i: others[key] for key, i in alone.items() if key in others}
        yield from ((i, j, reason, round(confidence, 3)) for i, j in found.items())
        taken = set(found.values())
        left = [i for i in left if i not in found]
        right = [j for j in right if j not in taken]


def _alone(nodes: list[int], key: _Key) -> dict[object, int]:
    """The nodes whose key no other of `nodes` has, by key."""
    seen: dict[object, int] = {}
    twice: set[object] = set()
    for node in nodes:
        if seen.setdefault(key[node], node) != node:
            twice.add(key[node])
    return {value: node for value, node in seen.items() if value not in twice}


def _in_order(pairing: Pairing, found: list[_Candidate]) -> list[_Candidate]:
    """The longest run of candidates whose depths grow on both sides."""
    depths_a, depths_b = pairing.a.depths, pairing.b.depths
    found = sorted(found, key=lambda c: (depths_a[c[0]], depths_b[c[1]], c[0]))
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, candidate in enumerate(found):
        depth = depths_b[candidate[1]]
        at = bisect_right(tails, depth)
        before.append(last[at - 1] if at else -1)
        tails[at : at + 1], last[at : at + 1] = [depth], [index]
    run = []
    index = last[-1] if last else -1
    while index >= 0:
        run.append(found[index])
        index = before[index]
    return run[::-1]
