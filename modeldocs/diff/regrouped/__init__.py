"""Regrouping: what one side has fused, and the other in pieces or in another order."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.regrouped import commuted, padded, parallel, pieces, pixels
from modeldocs.diff.regrouped.facing import Facing
from modeldocs.diff.regrouped.group import Regrouping

_FINDERS: Final = (commuted, parallel, pieces, padded)
"""Each groups what it knows; a node is in one group, so the first to find it has it."""


def regroup(pairing: Pairing) -> Regrouping:
    """Group layers that compute the same in other pieces; pairs that these break are undone."""
    found = Regrouping()
    if not pairing.moved and not pairing.free_a() and not pairing.free_b():
        return found
    pixels.match(pairing)
    for finder in _FINDERS:
        for turned in (False, True):
            finder.find(Facing(pairing, found, turned))
    if found.groups:
        _match_loose(pairing, found)
    return found


def _match_loose(pairing: Pairing, found: Regrouping) -> None:
    """Match again what lost its counterpart: the same layer, reading and feeding the same."""
    a, b = pairing.a, pairing.b
    for i in pairing.free_a():
        if i in found.of_a or len(a.sources[i]) != 1:
            continue
        source = pairing.to_b[a.sources[i][0][1]]
        if source < 0:
            continue
        for _, j in b.users[source]:
            same = a.forms[i].same_function(b.forms[j])
            if pairing.to_a[j] < 0 and j not in found.of_b and same:
                pairing.match(i, j, "reads the same", 0.8)
                break
