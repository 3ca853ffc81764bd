"""A dense layer over the last axis where the other side convolves single pixels."""

from __future__ import annotations

from typing import Any, Final

from modeldocs.diff.alignment.facing_edges import MANY
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.function.forms import DENSE, Form

_FACED: Final = frozenset({DENSE, "Conv"})


def match(pairing: Pairing) -> None:
    """Match what is left over of the two kinds, where both read the same."""
    for i in pairing.free_a():
        sources = pairing.a.sources[i]
        if pairing.a.forms[i].operator not in _FACED or len(sources) != 1:
            continue
        other = pairing.to_b[sources[0][1]]
        users = pairing.b.users[other] if other >= 0 else []
        if len(users) > MANY:
            continue
        found = (y for _, y in users if pairing.to_a[y] < 0 and faced(pairing, i, y))
        j = next(found, None)
        if j is not None:
            pairing.match(i, j, "multiplies the same by weights of the same shape", 0.7)


def faced(pairing: Pairing, i: int, j: int) -> bool:
    """Whether one multiplies each pixel by a matrix, the other by a kernel of that shape."""
    forms = pairing.a.forms[i], pairing.b.forms[j]
    if {form.operator for form in forms} != _FACED:
        return False
    dense, convolution = forms if forms[0].operator == DENSE else forms[::-1]
    return of_single_pixels(dict(convolution.stated)) and _same_weights(dense, convolution)


def of_single_pixels(told: dict[str, Any]) -> bool:
    """Whether a convolution, by its attributes, multiplies each pixel by a matrix."""
    ones = told.get("kernel_shape", ()), told.get("strides", ())
    return told.get("group") == 1 and all(set(x) == {1} for x in ones) and not any(told["pads"])


def _same_weights(dense: Form, convolution: Form) -> bool:
    ours, theirs = dict(dense.parameters), dict(convolution.parameters)
    before, after = ours.pop("weight", ()), theirs.pop("weight", ())
    return bool(before and before == after[:2] and ours == theirs)
