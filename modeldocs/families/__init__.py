"""Ports grouped by the function they compute: how much a difference of two ports matters, the
families that this makes of a model's ports, and what sets each family apart.
"""

from __future__ import annotations

from modeldocs.families.step import (
    BY_ID,
    BY_STRUCTURE,
    HELD_DIFFERENTLY,
    NOT_LOADED,
    OTHER_NUMBERS,
    SAME,
    STEPS,
    UP_TO_HEAD,
    Step,
    step,
)

__all__ = [
    "BY_ID",
    "BY_STRUCTURE",
    "HELD_DIFFERENTLY",
    "NOT_LOADED",
    "OTHER_NUMBERS",
    "SAME",
    "STEPS",
    "UP_TO_HEAD",
    "Step",
    "step",
]
