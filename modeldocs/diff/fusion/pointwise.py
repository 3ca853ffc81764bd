"""Dense layers over the last axis that are pointwise (1 × 1) convolutions in the other graph."""

from __future__ import annotations

from typing import Any, Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.function.canonical_op import DENSE, CanonicalOp
from modeldocs.diff.indexing.edges import HUB_DEGREE
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_OPERATORS: Final = frozenset({DENSE, "Conv"})


def match(matching: Matching) -> None:
    """Match unmatched layers of the two kinds that read the same."""
    for i in matching.unmatched_a():
        sources = matching.a.sources[i]
        if matching.a.ops[i].operator not in _OPERATORS or len(sources) != 1:
            continue
        other = matching.to_b[sources[0][1]]
        users = matching.b.users[other] if other >= 0 else []
        if len(users) > HUB_DEGREE:
            continue
        candidates = [
            y for _, y in users if matching.to_a[y] < 0 and is_pointwise_pair(matching, i, y)
        ]
        if candidates:  # of queries, keys and values, the one that is read in the same place
            ours = _readers(matching.a, i)
            j = max(candidates, key=lambda y: len(ours & _readers(matching.b, y)))
            matching.match(i, j, "multiplies the same by weights of the same shape", 0.7)


def _readers(graph: IndexedGraph, node: int) -> set[tuple[int, str]]:
    """The operators that read a node, each with the place of the operand."""
    return {(code, graph.ops[user].operator) for code, user in graph.users[node]}


def is_pointwise_pair(matching: Matching, i: int, j: int) -> bool:
    """Whether one multiplies each pixel by a matrix, the other by a kernel of that shape."""
    ops = matching.a.ops[i], matching.b.ops[j]
    if {op.operator for op in ops} != _OPERATORS:
        return False
    dense, convolution = ops if ops[0].operator == DENSE else ops[::-1]
    return of_single_pixels(dict(convolution.declared)) and _same_weights(dense, convolution)


def of_single_pixels(attributes: dict[str, Any]) -> bool:
    """Whether a convolution, by its attributes, multiplies each pixel by a matrix."""
    ones = attributes.get("kernel_shape", ()), attributes.get("strides", ())
    return (
        attributes.get("group") == 1
        and all(set(x) == {1} for x in ones)
        and not any(attributes["pads"])
    )


def _same_weights(dense: CanonicalOp, convolution: CanonicalOp) -> bool:
    ours, theirs = dict(dense.parameters), dict(convolution.parameters)
    before, after = ours.pop("weight", ()), theirs.pop("weight", ())
    return bool(before and before == after[:2] and ours == theirs)
