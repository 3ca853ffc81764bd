"""Twins: nodes that nothing around them tells apart, of which any will do for any."""

from __future__ import annotations

from collections.abc import Iterator

from modeldocs.diff.alignment.keys import Key, values
from modeldocs.diff.alignment.labels import EXACT, SHAPED, WEIGHTED
from modeldocs.diff.alignment.pairing import Pairing


def twins(pairing: Pairing) -> Iterator[tuple[int, int]]:
    """Pairs from classes of nodes that nothing around them tells apart, smallest class first.

    Any pair of a class will do; who takes one must let its neighbours follow before the next.
    """
    for level in (EXACT, SHAPED, WEIGHTED):
        a, b = pairing.a.colours[level], pairing.b.colours[level]
        left = _classes(pairing.free_a(), (a.forward, a.backward))
        right = _classes(pairing.free_b(), (b.forward, b.backward))
        shared = [(left[key], right[key]) for key in left if key in right]
        for members, others in sorted(shared, key=lambda pair: (len(pair[0]), pair[0][0])):
            rest = iter(others)
            for i in members:
                if pairing.to_b[i] < 0:
                    j = next((j for j in rest if pairing.to_a[j] < 0), None)
                    if j is None:
                        break
                    yield i, j


def _classes(nodes: list[int], key: Key) -> dict[object, list[int]]:
    classes: dict[object, list[int]] = {}
    for node, value in zip(nodes, values(nodes, key), strict=True):
        classes.setdefault(value, []).append(node)
    return classes
