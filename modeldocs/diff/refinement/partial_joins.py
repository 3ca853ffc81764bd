"""Partial joins: a sum in one graph of only some operands of a wider sum in the other.

Where others read `x + a` too, `(x + a) + b` stays nested; where nobody does, it is flattened to
`x + a + b`. Of two such graphs the one does not lack the inner sum: what reads it in the one reads
something else in the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.ir import operators

_UNMATCHED: Final = -1


def mark_partial_joins(matching: Matching) -> None:
    """Note the partial joins of both graphs in `matching.partial_joins`."""
    in_a, in_b = matching.partial_joins
    in_a.update(_partial_joins(matching))
    in_b.update(_partial_joins(matching.mirrored()))


def _partial_joins(matching: Matching) -> Iterator[int]:
    a, b = matching.a, matching.b
    for node in matching.unmatched_a():
        op = a.ops[node]
        if not operators.of(op.operator).commutative or op.parameters or len(a.users[node]) < 2:
            continue
        for _, i in a.users[node]:
            j = matching.to_b[i]
            if j < 0 or a.ops[i] != b.ops[j] or not a.ops[i].same_function(op):
                continue
            ours = [x for _, x in a.sources[i] if x != node] + [x for _, x in a.sources[node]]
            there = [matching.to_b[x] for x in ours]
            if _UNMATCHED not in there and Counter(there) == Counter(y for _, y in b.sources[j]):
                yield node
                break
