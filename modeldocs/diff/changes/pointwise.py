"""Dense layers over the last axis where the other side convolves single pixels.

Between the two the channels stand last on one side, second on the other: what is told of layers
there is told as if both had them in the same place.
"""

from __future__ import annotations

from typing import Final

import msgspec

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.changes import arrangements
from modeldocs.diff.function.forms import DENSE
from modeldocs.diff.regrouped.commuted import ELEMENTWISE
from modeldocs.diff.regrouped.pixels import faced
from modeldocs.graph import Layer, Operand, TensorType

_CARRIES: Final = ELEMENTWISE | {"Add", "Sub", "Mul", "Div", "Max", "Min"}
"""Operators that make of each number one in the same place."""

Laid = dict[int, bool]
"""Nodes of A whose outputs have the channels last on one side alone: whether that is A."""


def find(pairing: Pairing) -> Laid:
    """Such nodes; without those that some reader sees another tensor of all the same."""
    laid: Laid = {}
    if any(faced(pairing, i, j) for i, j in pairing.pairs()):
        for i, j in pairing.pairs():
            last = _pointwise(pairing, i, j, laid)
            last = _carried(pairing, i, j, laid) if last is None else last
            if last is not None:
                laid[i] = last
    while laid:
        wrong = [i for i in laid if not _made_up(pairing, i, laid)]
        if not wrong:
            break
        for i in wrong:
            del laid[i]
    return laid


def _pointwise(pairing: Pairing, i: int, j: int, laid: Laid) -> bool | None:
    """Whether A's is the dense one of a pair where the other is a convolution; None for others."""
    if not faced(pairing, i, j) or not _same_source(pairing, i, j):
        return None
    dense = pairing.a.forms[i].operator == DENSE
    x, y = _seen(pairing, i, j)[0]
    if not len(x.type.shape or ()) == len(y.type.shape or ()) > 2:
        return None
    source = pairing.a.sources[i][0][1]
    return dense if _same(x, y, laid.get(source), dense) else None


def _same_source(pairing: Pairing, i: int, j: int) -> bool:
    ours, theirs = pairing.a.sources[i], pairing.b.sources[j]
    return len(ours) == len(theirs) == 1 and pairing.to_b[ours[0][1]] == theirs[0][1]


def _carried(pairing: Pairing, i: int, j: int, laid: Laid) -> bool | None:
    """Which side has the channels last of a pair that makes each number in its own place."""
    form = pairing.a.forms[i]
    found = {laid.get(source) for _, source in pairing.a.sources[i]}
    if form.operator not in _CARRIES or form.parameters or found not in ({True}, {False}):
        return None
    turned = any(x.notes or y.notes for x, y in _seen(pairing, i, j))
    same = form.same_function(pairing.b.forms[j]) and not turned
    return found.pop() if same else None


def _made_up(pairing: Pairing, i: int, laid: Laid) -> bool:
    """Whether all that read a node see the same of it, or have the channels last there too."""
    value = pairing.a.nodes[i].id
    users = {user for _, user in pairing.a.users[i]}
    if i in pairing.a.ends or any(pairing.to_b[user] < 0 for user in users):
        return False
    return all(
        _same(x, y, laid[i], None)
        for user in users - laid.keys()
        for x, y in _seen(pairing, user, pairing.to_b[user])
        if x.value == value
    )


def _same(x: Operand, y: Operand, source: bool | None, seen: bool | None) -> bool:
    """Whether two operands are the same once both have their channels second.

    `source` and `seen` tell which side has them last where they come from, and as they are seen.
    """
    if source is not None:
        x, y = (_before(x), y) if source else (x, _before(y))
    if seen is not None:
        x, y = (_behind(x), y) if seen else (x, _behind(y))
    return x.type.shape == y.type.shape and not arrangements.parted([x], [y])


def _before(operand: Operand) -> Operand:
    """An operand told from where the channels are still second."""
    rank = len(operand.type.shape or ())
    axes = ",".join(map(str, (0, *range(2, rank), 1)))
    return msgspec.structs.replace(operand, notes=(f"Transpose {axes}", *operand.notes))


def _behind(operand: Operand) -> Operand:
    """An operand with its last axis put second."""
    shape = operand.type.shape or ()
    order = (0, len(shape) - 1, *range(1, len(shape) - 1))
    note = f"Transpose {','.join(map(str, order))}"
    kind = TensorType(shape=tuple(shape[axis] for axis in order), dtype=operand.type.dtype)
    return msgspec.structs.replace(operand, notes=(*operand.notes, note), type=kind)


def _seen(pairing: Pairing, i: int, j: int) -> list[tuple[Operand, Operand]]:
    a, b = pairing.a.nodes[i], pairing.b.nodes[j]
    if not isinstance(a, Layer) or not isinstance(b, Layer):
        return []
    return list(zip(a.inputs, b.inputs, strict=False))
