"""Fusions: layers of one graph that compute together what other layers of the other graph do."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.fusion import commutation, folding, padding, parallel, pointwise
from modeldocs.diff.fusion.group import FusionGroups
from modeldocs.diff.fusion.view import FusionView

_FINDERS: Final = (commutation, parallel, folding, padding)
"""Each finds fusions of one sort; a node is in one group at most, that of the first to find it."""


def find_fusions(matching: Matching) -> FusionGroups:
    """Group fused layers with their decompositions, and unmatch their other pairs."""
    groups = FusionGroups()
    if not matching.moved and not matching.unmatched_a() and not matching.unmatched_b():
        return groups
    pointwise.match(matching)
    for finder in _FINDERS:
        for mirrored in (False, True):
            finder.find(FusionView(matching, groups, mirrored))
    return groups
