"""Parameters of two matched layers that have other sizes: whether that is told, and how far."""

from __future__ import annotations

from math import log2, prod
from typing import Final

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sizes import made, signature
from modeldocs.diff.function.forms import Form

_FARTHER: Final = 0.05
_DOUBLED: Final = 3
"""What it costs by how often the one size is twice the other, and how often counts at most."""

_OTHERS: Final = 0.1
"""What it costs that only one of two layers has a bias, say, which the same weights may be
without where another layer adds it.
"""


def is_resized(pairing: Pairing, i: int, j: int) -> bool:
    """Whether parameters have another size that nothing explains.

    What is read may explain it, so may the window or the groups, which are told as attributes.
    """
    ours, theirs = pairing.a.forms[i], pairing.b.forms[j]
    if ours.parameters == theirs.parameters or _ungrouped(ours) == _ungrouped(theirs):
        return False
    if ours.operator != theirs.operator and elements(ours) == elements(theirs):
        return False  # a window over all there is on one side, as a dense layer has it
    left, right = made(ours), made(theirs)
    if left is None or right is None or left[1:-1] != right[1:-1] or not pairing.same_kind(i, j):
        return pairing.same_kind(i, j)
    read = zip(pairing.a.sources[i][:1], pairing.b.sources[j][:1], strict=False)
    return any(pairing.to_b[x] < 0 or pairing.to_a[y] < 0 for (_, x), (_, y) in read)


def apart(ours: Form, theirs: Form, *, changed: bool) -> float:
    """A little cost of two layers by their parameters: the nearer of two is the counterpart.

    How far the sizes are apart counts where the layer changed otherwise than by what it reads.
    """
    if ours.parameters == theirs.parameters:
        return 0.0
    roles = dict(ours.parameters).keys(), dict(theirs.parameters).keys()
    told = _OTHERS if roles[0] != roles[1] else 0.0
    sizes = elements(ours), elements(theirs)
    if changed and all(sizes):
        told += _FARTHER * min(abs(log2(sizes[0] / sizes[1])), _DOUBLED)
    return told


def elements(form: Form) -> int:
    """Values of a layer's weight; 0 where it has none."""
    weight = dict(form.parameters).get("weight")
    return prod(weight) if weight else 0


def _ungrouped(form: Form) -> tuple[object, ...] | None:
    """A layer's signature as if its channels were in one group."""
    match signature(form):
        case (operator, int(group), (out, int(read), *window)):
            return operator, (out, read * group, *window)
        case told:
            return told
