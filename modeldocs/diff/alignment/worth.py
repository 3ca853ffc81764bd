"""What a pair of a matching is worth: equal parameters and settings, and the edges it keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Final

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sizes import made, signature

EQUAL: Final = 4.0
"""What equal parameters count, against 1 for an edge that both sides have."""

_FOLLOWING: Final = 3.75
"""The same where only what the layer reads makes its parameters larger or smaller."""

RESIZED: Final = 0.5
"""The same for one operator with parameters of another size."""

_SETTINGS: Final = 1.0
"""What equal attributes add: the first layer of a stage is told from the next by its stride."""

_MANY: Final = 256
"""Edges of a hub beyond which they are not counted."""


def node_worth(pairing: Pairing, i: int, j: int) -> float:
    """What a pair is worth by itself."""
    ours, theirs = pairing.a.forms[i], pairing.b.forms[j]
    if ours.parameters or theirs.parameters:
        if signature(ours) == signature(theirs):
            return EQUAL + _SETTINGS * (ours.attributes == theirs.attributes)
        if made(ours) == made(theirs):
            return _FOLLOWING + _SETTINGS * (ours.attributes == theirs.attributes)
        return RESIZED if pairing.same_kind(i, j) else 0.0
    if not pairing.same_kind(i, j):
        return 0.2
    return 1.0 + _SETTINGS * (ours.attributes == theirs.attributes)


def kept(pairing: Pairing, i: int, j: int, inside: Collection[int]) -> float:
    """Edges of a pair that both sides have; half of those to nodes `inside`, met from both ends."""
    total = 0.0
    for ours, theirs in pairing.edges(i, j):
        if len(ours) > _MANY or len(theirs) > _MANY:
            continue
        left = Counter(theirs)
        for code, other in ours:
            edge = code, pairing.to_b[other]
            if left[edge] > 0:
                left[edge] -= 1
                total += 0.5 if other in inside else 1.0
    return total
