"""The comparison of two ports by structure: which layers are the same, and what changed."""

from __future__ import annotations

from modeldocs.diff.compare import compare
from modeldocs.diff.diff import (
    CONSEQUENCES,
    KINDS,
    UNCERTAIN,
    Change,
    Diff,
    Match,
    Totals,
    decode,
    encode,
    schema,
)
from modeldocs.diff.parity import Direction, Divergence, Parity, Uncompared
from modeldocs.diff.weights import Carried, Ids, Pair, Step, WeightMap, Weights

__all__ = [
    "CONSEQUENCES",
    "KINDS",
    "UNCERTAIN",
    "Carried",
    "Change",
    "Diff",
    "Direction",
    "Divergence",
    "Ids",
    "Match",
    "Pair",
    "Parity",
    "Step",
    "Totals",
    "Uncompared",
    "WeightMap",
    "Weights",
    "compare",
    "decode",
    "encode",
    "schema",
]
