"""Regrouping: what one side has fused, and the other in pieces or in another order."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.regrouped import commuted, padded, parallel, pieces, pixels
from modeldocs.diff.regrouped.facing import Facing
from modeldocs.diff.regrouped.group import Regrouping

_FINDERS: Final = (commuted, parallel, pieces, padded)
"""Each groups what it knows; a node is in one group, so the first to find it has it."""


def regroup(matching: Matching) -> Regrouping:
    """Group layers that compute the same in other pieces; pairs that these break are undone."""
    found = Regrouping()
    if not matching.moved and not matching.unmatched_a() and not matching.unmatched_b():
        return found
    pixels.match(matching)
    for finder in _FINDERS:
        for turned in (False, True):
            finder.find(Facing(matching, found, turned))
    if found.groups:
        _match_loose(matching, found)
    return found


def _match_loose(matching: Matching, found: Regrouping) -> None:
    """Match again what lost its counterpart: the same layer, reading and feeding the same."""
    a, b = matching.a, matching.b
    for i in matching.unmatched_a():
        if i in found.of_a or len(a.sources[i]) != 1:
            continue
        source = matching.to_b[a.sources[i][0][1]]
        if source < 0:
            continue
        for _, j in b.users[source]:
            same = a.ops[i].same_function(b.ops[j])
            if matching.to_a[j] < 0 and j not in found.of_b and same:
                matching.match(i, j, "reads the same", 0.8)
                break
