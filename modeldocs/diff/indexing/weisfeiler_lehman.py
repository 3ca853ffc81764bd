"""Weisfeiler-Lehman labels: equal numbers for nodes with equal surroundings.

A label is a digest of 64 bits, the same for either graph and in every run. Three kinds are made of
a node's own label: of all that it reads, of all that it feeds, and of its neighbourhood of each
radius. No names take part. Own labels are digested by blake2; Python's `hash()` is taken of tuples
of integers only, for which it is not salted and the same in every process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from modeldocs.diff.indexing.edges import Edge, Edges

Labels = npt.NDArray[np.uint64]
_Ints = npt.NDArray[np.int64]


def digest(data: bytes) -> bytes:
    """Eight bytes of blake2."""
    return blake2b(data, digest_size=8).digest()


def number(value: object) -> int:
    """The digest of plain data: a tuple of strings, numbers and tuples of them."""
    return int.from_bytes(digest(repr(value).encode()), "big", signed=True)


def upstream(own: Sequence[int], sources: Edges) -> list[int]:
    """Labels of everything that each node reads; nodes come in topological order."""
    labels: list[int] = []
    for mine, edges in zip(own, sources, strict=True):
        if len(edges) == 1:
            code, other = edges[0]
            labels.append(hash((mine, hash((code, labels[other])))))
        elif edges:
            labels.append(_joined(mine, edges, labels))
        else:
            labels.append(mine)
    return labels


def downstream(own: Sequence[int], users: Edges) -> list[int]:
    """Labels of everything that each node feeds; nodes come in topological order."""
    labels = list(own)
    for node in range(len(own) - 1, -1, -1):
        edges = users[node]
        if len(edges) == 1:
            code, other = edges[0]
            labels[node] = hash((own[node], hash((code, labels[other]))))
        elif edges:
            labels[node] = _joined(own[node], edges, labels)
    return labels


def _joined(own: int, edges: Sequence[Edge], labels: Sequence[int]) -> int:
    """The label of a node with several edges, in any order."""
    if len(edges) == 2:
        (code, one), (code_2, other) = edges
        x, y = hash((code, labels[one])), hash((code_2, labels[other]))
        return hash((own, x, y) if x < y else (own, y, x))
    return hash((own, *sorted([hash((code, labels[other])) for code, other in edges])))


class WLLabels:
    """The labels of one graph's nodes, of which `own` are the nodes' own labels.

    Each kind is computed when it is first asked for; `radius` is that of the largest neighbourhood.
    """

    def __init__(self, own: Sequence[int], edges: EdgeArrays, radius: int) -> None:
        self.own, self.edges, self.radius = own, edges, radius

    @cached_property
    def upstream(self) -> list[int]:
        """By everything that a node reads."""
        return upstream(self.own, self.edges.sources)

    @cached_property
    def downstream(self) -> list[int]:
        """By everything that a node feeds."""
        return downstream(self.own, self.edges.users)

    @cached_property
    def neighbourhoods(self) -> list[Labels]:
        """By everything up to r edges away, by r."""
        grown = [np.array(self.own, np.int64).view(np.uint64)]
        for _ in range(self.radius):
            grown.append(self.edges.grown(grown[-1]))
        return grown


class EdgeArrays:
    """The edges of a graph as lists and as arrays, to grow all neighbourhoods at once."""

    def __init__(self, sources: Edges, users: Edges) -> None:
        self.sources, self.users = sources, users

    @cached_property
    def read(self) -> _FlatEdges:
        """The edges to what each node reads."""
        return _flat(self.sources, salt=1)

    @cached_property
    def fed(self) -> _FlatEdges:
        """The edges to what reads each node."""
        return _flat(self.users, salt=2)

    def encoded(self) -> bytes:
        """All edges as bytes: equal for graphs whose edges are equal one by one."""
        arrays = self.read.starts, self.read.codes, self.read.others
        return b"".join(array.tobytes() for array in arrays)

    def grown(self, labels: Labels) -> Labels:
        """The labels of neighbourhoods that reach one edge further."""
        around = self.read.gathered(labels) * _ODD + self.fed.gathered(labels)
        return _mixed(labels * _ODD + around)


@dataclass(slots=True)
class _FlatEdges:
    """The edges of all nodes in one row: those of node i lie from starts[i] to starts[i + 1]."""

    starts: _Ints
    codes: Labels
    others: _Ints

    def gathered(self, labels: Labels) -> Labels:
        """A digest of the labels at the other ends of each node's edges, in any order."""
        sums = np.zeros(len(self.others) + 1, np.uint64)
        np.cumsum(_mixed(labels[self.others] + self.codes), out=sums[1:])
        return _mixed(sums[self.starts[1:]] - sums[self.starts[:-1]])


def _flat(edges: Edges, salt: int) -> _FlatEdges:
    starts = np.zeros(len(edges) + 1, np.int64)
    np.cumsum([len(each) for each in edges], out=starts[1:])
    flat = chain.from_iterable(chain.from_iterable(edges))
    rows = np.fromiter(flat, np.int64, 2 * int(starts[-1])).reshape(-1, 2)
    codes = _mixed(rows[:, 0].astype(np.uint64) * np.uint64(4) + np.uint64(salt))
    return _FlatEdges(starts, codes, np.ascontiguousarray(rows[:, 1]))


_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_ROUNDS: Final = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
"""The increment and the finaliser of the generator SplitMix64."""


def _mixed(numbers: Labels) -> Labels:
    """Bits spread over the whole word, so that sums of mixed numbers do not collide by chance."""
    for shift, factor in _ROUNDS:
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(31))
