"""Edges of two nodes held against each other: how many agree with the matching so far."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.alignment.digests import Edge

MANY: Final = 64
"""Edges beyond which a node is a hub, whose edges tell little and cost much."""


def few(edges: list[Edge]) -> list[Edge]:
    """The edges of a node that is no hub; none of one that is."""
    return edges if len(edges) <= MANY else []


def support(ours: list[Edge], theirs: list[Edge], to_b: list[int]) -> int:
    """How many of `ours` lead to the counterpart of where one of `theirs` leads."""
    if len(ours) > MANY or len(theirs) > MANY:
        return 0
    there = set(theirs)
    return sum((code, to_b[other]) in there for code, other in ours if to_b[other] >= 0)


def conflicts(ours: list[Edge], theirs: list[Edge], to_b: list[int], to_a: list[int]) -> int:
    """How many of either lead to a matched node whose counterpart the others do not lead to."""
    if len(ours) == 1 == len(theirs):
        (code, x), (other, y) = ours[0], theirs[0]
        if code == other and to_b[x] == y:
            return 0
        return (to_b[x] >= 0) + (to_a[y] >= 0)
    if len(ours) > MANY or len(theirs) > MANY:
        return 0
    return _astray(ours, theirs, to_b) + _astray(theirs, ours, to_a)


def _astray(ours: list[Edge], theirs: list[Edge], counterpart: list[int]) -> int:
    there = set(theirs)
    return sum(
        counterpart[other] >= 0 and (code, counterpart[other]) not in there for code, other in ours
    )
