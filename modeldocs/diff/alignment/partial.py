"""Sums of which the other side has the operands only, in a wider sum.

`x + a` that others read too, with `b` added to it behind, is `x + a + b` where nobody reads the sum
of the first two: the sum is not missing there, but what reads it reads something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.function.attributes import COMMUTATIVE

_FREE: Final = -1


def find(pairing: Pairing) -> None:
    """Note the partial sums of both sides in `pairing.partial`."""
    for one, found in ((pairing, pairing.partial[0]), (pairing.mirrored(), pairing.partial[1])):
        found.update(_partial(one))


def _partial(pairing: Pairing) -> Iterator[int]:
    a, b = pairing.a, pairing.b
    for node in pairing.free_a():
        form = a.forms[node]
        if form.operator not in COMMUTATIVE or form.parameters or len(a.users[node]) < 2:
            continue
        for _, i in a.users[node]:
            j = pairing.to_b[i]
            if j < 0 or a.forms[i] != b.forms[j] or not a.forms[i].same_function(form):
                continue
            ours = [x for _, x in a.sources[i] if x != node] + [x for _, x in a.sources[node]]
            faced = [pairing.to_b[x] for x in ours]
            if _FREE not in faced and Counter(faced) == Counter(y for _, y in b.sources[j]):
                yield node
                break
