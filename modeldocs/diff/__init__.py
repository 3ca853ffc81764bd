"""The comparison of two ports by structure: which layers are the same, and what changed."""

from __future__ import annotations

from modeldocs import lazy_import
from modeldocs.diff.compare import compare
from modeldocs.diff.diff import (
    CONSEQUENCES,
    MEASURED,
    UNCERTAIN,
    Change,
    Diff,
    Match,
    decode,
    encode,
    schema,
)
from modeldocs.diff.parity import (
    EQUAL,
    FORMS,
    Cluster,
    Direction,
    Divergence,
    Law,
    Parity,
    Partly,
    Returned,
    Uncompared,
)
from modeldocs.diff.reporting.kinds import KINDS
from modeldocs.diff.settlement import settle
from modeldocs.diff.weights import Ids, MappedWeight, Pair, WeightMap, Weights, WeightStep

__all__ = [
    "CONSEQUENCES",
    "EQUAL",
    "FORMS",
    "KINDS",
    "MEASURED",
    "UNCERTAIN",
    "Change",
    "Cluster",
    "Diff",
    "Direction",
    "Divergence",
    "Ids",
    "Law",
    "MappedWeight",
    "Match",
    "Pair",
    "Parity",
    "Partly",
    "Returned",
    "Uncompared",
    "WeightMap",
    "WeightStep",
    "Weights",
    "compare",
    "decode",
    "encode",
    "schema",
    "settle",
]

lazy_import.make_callable(__name__, ".interface.comparison:diff")
