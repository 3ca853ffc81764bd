"""Parameters of matched layers that have other sizes: whether it is an edit, and how large."""

from __future__ import annotations

from math import log2, prod
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.similarity import same_operator
from modeldocs.diff.function.canonical_op import CanonicalOp
from modeldocs.diff.function.parameter_shapes import output_signature, weight_signature

_DOUBLING: Final = 0.05
_MOST_DOUBLINGS: Final = 3
"""What each doubling of one size to the other costs, and how many count. Together with `_ROLES`
no more than the smallest edit costs: they choose between matchings with equal edits. Half or twice
as much changes no diff of the catalog or of tests/diff."""

_ROLES: Final = 0.1
"""What it costs that only one of two layers has, say, a bias: the other may have it in a layer
that follows."""


def is_resized(matching: Matching, i: int, j: int) -> bool:
    """Whether parameters have another size that follows from nothing else.

    It may follow from the input, or from another window or number of groups, which are attributes.
    """
    ours, theirs = matching.a.ops[i], matching.b.ops[j]
    if ours.parameters == theirs.parameters or _ungrouped(ours) == _ungrouped(theirs):
        return False
    if ours.operator != theirs.operator and weight_size(ours) == weight_size(theirs):
        return False  # a dense layer, and a convolution whose window is all that it reads
    left, right = output_signature(ours), output_signature(theirs)
    if left is None or right is None or left[1:-1] != right[1:-1]:
        return same_operator(matching, i, j)
    if not same_operator(matching, i, j):
        return False
    read = zip(matching.a.sources[i][:1], matching.b.sources[j][:1], strict=False)
    return any(matching.to_b[x] < 0 or matching.to_a[y] < 0 for (_, x), (_, y) in read)


def size_distance(ours: CanonicalOp, theirs: CanonicalOp, *, changed: bool) -> float:
    """A small cost of two layers by their parameters: of two candidates the nearer is matched.

    The ratio of the sizes counts only if the layer itself changed, and not only its input.
    """
    if ours.parameters == theirs.parameters:
        return 0.0
    roles = dict(ours.parameters).keys(), dict(theirs.parameters).keys()
    distance = _ROLES if roles[0] != roles[1] else 0.0
    sizes = weight_size(ours), weight_size(theirs)
    if changed and all(sizes):
        distance += _DOUBLING * min(abs(log2(sizes[0] / sizes[1])), _MOST_DOUBLINGS)
    return distance


def weight_size(op: CanonicalOp) -> int:
    """The number of values in a layer's weight; 0 where it has none."""
    weight = dict(op.parameters).get("weight")
    return prod(weight) if weight else 0


def _ungrouped(op: CanonicalOp) -> tuple[object, ...] | None:
    """A layer's signature as if its channels were in one group."""
    match weight_signature(op):
        case (operator, int(group), (out, int(read), *window)):
            return operator, (out, read * group, *window)
        case signature:
            return signature
