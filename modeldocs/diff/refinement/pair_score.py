"""What a pair of a matching is worth: equal parameters and attributes, and the edges it keeps.

Half or twice each score alone changes no diff of the catalog, and none of tests/diff as long as
`_OTHER_INPUT` stays below `_PARAMETERS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.similarity import same_operator
from modeldocs.diff.function.parameter_shapes import output_signature, weight_signature

_PARAMETERS: Final = 4.0
"""What equal parameters count, against 1 for an edge that both graphs have."""

_OTHER_INPUT: Final = 3.75
"""The same where parameters only have another size because of what the layer reads."""

_RESIZED: Final = 0.5
"""The same for one operator with parameters of another size."""

_NO_PARAMETERS: Final = 1.0
_OTHER_OPERATOR: Final = 0.2
"""A pair without parameters, of one operator or of two."""

_ATTRIBUTES: Final = 1.0
"""What equal attributes add: a stage's first layer differs from its second by the stride alone."""

_MOST_EDGES: Final = 256
"""Edges of a hub beyond which they are not counted."""


def pair_score(matching: Matching, i: int, j: int) -> float:
    """What a pair is worth by itself."""
    ours, theirs = matching.a.ops[i], matching.b.ops[j]
    attributes = _ATTRIBUTES * (ours is theirs or ours.attributes == theirs.attributes)
    if ours.parameters or theirs.parameters:
        if weight_signature(ours) == weight_signature(theirs):
            return _PARAMETERS + attributes
        if output_signature(ours) == output_signature(theirs):
            return _OTHER_INPUT + attributes
        return _RESIZED if same_operator(matching, i, j) else 0.0
    return _NO_PARAMETERS + attributes if same_operator(matching, i, j) else _OTHER_OPERATOR


def kept_edges(matching: Matching, i: int, j: int, inside: Collection[int]) -> float:
    """Edges of a pair that both graphs have; half for one to `inside`, counted from both ends."""
    total = 0.0
    for ours, theirs in matching.edge_pairs(i, j):
        if len(ours) > _MOST_EDGES or len(theirs) > _MOST_EDGES:
            continue
        left = Counter(theirs)
        for code, other in ours:
            edge = code, matching.to_b[other]
            if left[edge] > 0:
                left[edge] -= 1
                total += 0.5 if other in inside else 1.0
    return total
