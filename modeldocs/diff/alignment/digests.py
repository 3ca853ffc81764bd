"""Digests of nodes: equal numbers for equal surroundings, on either side and in every run.

A digest has 64 bits and looks at no name. Labels enter it by blake2; Python's own `hash()` is
taken of tuples of integers only, where it is not salted and the same in every process.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

Edge = tuple[int, int]
"""(code, node at the other end)."""

Edges = Sequence[Sequence[Edge]]
"""The edges of each node, by its number."""


def digest(data: bytes) -> bytes:
    """Eight bytes of blake2."""
    return blake2b(data, digest_size=8).digest()


def number(label: object) -> int:
    """The digest of a label: a tuple of words, numbers and tuples of them."""
    return int.from_bytes(digest(repr(label).encode()), "big", signed=True)


def upstream(own: Sequence[int], sources: Edges) -> list[int]:
    """A digest of everything each node reads, from its own digest on. Nodes come in order."""
    done: list[int] = []
    for mine, edges in zip(own, sources, strict=True):
        if len(edges) == 1:
            code, other = edges[0]
            done.append(hash((mine, hash((code, done[other])))))
        elif edges:
            seen = sorted([hash((code, done[other])) for code, other in edges])
            done.append(hash((mine, *seen)))
        else:
            done.append(mine)
    return done


def downstream(own: Sequence[int], users: Edges) -> list[int]:
    """A digest of everything each node feeds."""
    done = list(own)
    for node in range(len(own) - 1, -1, -1):
        edges = users[node]
        if len(edges) == 1:
            code, other = edges[0]
            done[node] = hash((own[node], hash((code, done[other]))))
        elif edges:
            seen = sorted([hash((code, done[other])) for code, other in edges])
            done[node] = hash((own[node], *seen))
    return done
