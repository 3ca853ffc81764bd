"""The comparison of two ports by structure: which layers are the same, and what changed."""

from __future__ import annotations

from modeldocs.diff.compare import compare
from modeldocs.diff.diff import (
    CONSEQUENCES,
    KINDS,
    Change,
    Diff,
    Match,
    Totals,
    decode,
    encode,
    schema,
)
from modeldocs.diff.parity import Divergence, Ids, Pair, Parity, Uncompared

__all__ = [
    "CONSEQUENCES",
    "KINDS",
    "Change",
    "Diff",
    "Divergence",
    "Ids",
    "Match",
    "Pair",
    "Parity",
    "Totals",
    "Uncompared",
    "compare",
    "decode",
    "encode",
    "schema",
]
