"""Digests of nodes: the same in every run and on either side of a comparison.

They set the order of nodes and the orientation of a comparison; Python's `hash()` is salted and
would not do.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from modeldocs.diff.labels import EXACT, Label

Edge = tuple[int, int]
"""(code, node at the other end)."""


def digest(data: bytes) -> bytes:
    """Eight bytes of blake2."""
    return blake2b(data, digest_size=8).digest()


def contexts(
    labels: Sequence[tuple[Label, ...]],
    sources: Sequence[Sequence[Edge]],
    users: Sequence[Sequence[Edge]],
) -> list[bytes]:
    """A digest of everything each node reads and feeds, names apart. Nodes come in order."""
    memo: dict[Label, bytes] = {}
    own = []
    for levels in labels:
        label = levels[EXACT]
        if label not in memo:
            memo[label] = digest(repr(label).encode())
        own.append(memo[label])
    forward = _merkle(own, sources, range(len(own)))
    backward = _merkle(own, users, range(len(own) - 1, -1, -1))
    return [digest(a + b) for a, b in zip(forward, backward, strict=True)]


def _merkle(own: list[bytes], edges: Sequence[Sequence[Edge]], order: range) -> list[bytes]:
    done = list(own)
    for node in order:
        parts = sorted(code.to_bytes(4, "big") + done[other] for code, other in edges[node])
        done[node] = digest(own[node] + b"".join(parts))
    return done
