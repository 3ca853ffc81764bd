"""Keys: what nodes are told apart by, and the nodes that no other has the key of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from modeldocs.diff.alignment.labels import RADII, SHAPED, WORDS
from modeldocs.diff.alignment.pairing import Pairing

Column = Sequence[int] | npt.NDArray[np.uint64]
Key = tuple[Column, ...]
"""What a node is told by, column by column; a row a node."""

Own = tuple[Sequence[int], Sequence[int]]
"""What each node of A and of B is by itself."""

Told = tuple[Key, Key, str, float]
"""(A's key, B's key, the reason of pairs that they make, its confidence)."""


def placed(pairing: Pairing, levels: Sequence[int]) -> Iterator[Told]:
    """Keys of a node's place in the whole graph."""
    for level in levels:
        a, b = pairing.a.colours[level], pairing.b.colours[level]
        told = f"alone in its place in the graph by {WORDS[level]}"
        yield (a.forward, a.backward), (b.forward, b.backward), told, 1 - level / 50


def principal(pairing: Pairing, own: Own, levels: Sequence[int]) -> Iterator[Told]:
    """Keys of a principal's place among the others, each with what it is by itself."""
    a, b = own
    for level in levels:
        for keys in (placed(pairing, (level,)), one_way(pairing, (level,))):
            for ours, theirs, reason, confidence in keys:
                yield (*ours, a), (*theirs, b), reason, confidence


def own_colours(pairing: Pairing, level: int) -> Own:
    """What the nodes are by themselves at a level."""
    return pairing.a.colours[level].own, pairing.b.colours[level].own


def one_way(pairing: Pairing, levels: Sequence[int]) -> Iterator[Told]:
    """Keys of all that a node reads, then of all that it feeds."""
    for level in levels:
        a, b = pairing.a.colours[level], pairing.b.colours[level]
        told = f"the same layers before it by {WORDS[level]}"
        yield (a.forward,), (b.forward,), told, 0.96 - level / 50
    for level in levels:
        a, b = pairing.a.colours[level], pairing.b.colours[level]
        told = f"the same layers after it by {WORDS[level]}"
        yield (a.backward,), (b.backward,), told, 0.95 - level / 50


def balls(pairing: Pairing, levels: Sequence[int]) -> Iterator[Told]:
    """Balls from the largest on; one of radius 1 tells too little by operator and shape."""
    for radius in range(max((RADII[level] for level in levels), default=0), 0, -1):
        for level in levels:
            if radius <= RADII[level] and (radius > 1 or level != SHAPED):
                a, b = pairing.a.colours[level], pairing.b.colours[level]
                told = f"unique neighbourhood of radius {radius} by {WORDS[level]}"
                confidence = 0.8 + min(radius, 4) / 40 - level / 50
                yield (a.balls[radius],), (b.balls[radius],), told, confidence


def alone(nodes: list[int], key: Key) -> dict[object, int]:
    """The nodes whose key no other of `nodes` has, by key."""
    told = list(values(nodes, key))
    last = dict(zip(told, nodes, strict=True))
    if len(last) == len(nodes):
        return last
    first = dict(zip(reversed(told), reversed(nodes), strict=True))
    return {value: node for value, node in last.items() if first[value] == node}


def values(nodes: list[int], key: Key) -> Iterable[object]:
    """The key of each of `nodes`."""
    columns = [_picked(nodes, column) for column in key]
    return columns[0] if len(columns) == 1 else zip(*columns, strict=True)


def _picked(nodes: list[int], column: Column) -> list[int]:
    if isinstance(column, np.ndarray):
        picked: list[int] = column[nodes].tolist()
        return picked
    return [column[node] for node in nodes]
