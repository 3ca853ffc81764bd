"""Ports grouped by the function they compute: how much a difference of two ports matters, the
families that this makes of a model's ports, and what sets each family apart.
"""

from __future__ import annotations

from modeldocs.verdict.comparison import ComparedPair, compared
from modeldocs.verdict.difference_tree import Branch, tree
from modeldocs.verdict.grouping import Family, families
from modeldocs.verdict.level import (
    BY_ID,
    BY_STRUCTURE,
    DIFFERENT_RESULTS,
    HELD_DIFFERENTLY,
    NOT_LOADED,
    PARTLY_COMPARED,
    RETURNED_DIFFERENTLY,
    SAME,
    SMALL_DIFFERENCES,
    STEPS,
    UP_TO_EPSILON,
    UP_TO_HEAD,
    UP_TO_PADDING,
    VerdictLevel,
    step,
)
from modeldocs.verdict.weight_compatibility import TAKEOVERS, Takeover

__all__ = [
    "BY_ID",
    "BY_STRUCTURE",
    "DIFFERENT_RESULTS",
    "HELD_DIFFERENTLY",
    "NOT_LOADED",
    "PARTLY_COMPARED",
    "RETURNED_DIFFERENTLY",
    "SAME",
    "SMALL_DIFFERENCES",
    "STEPS",
    "TAKEOVERS",
    "UP_TO_EPSILON",
    "UP_TO_HEAD",
    "UP_TO_PADDING",
    "Branch",
    "ComparedPair",
    "Family",
    "Takeover",
    "VerdictLevel",
    "compared",
    "families",
    "step",
    "tree",
]
