"""How two matched layers differ in what they learn, and in what they share."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from modeldocs.diff.finding import Finding
from modeldocs.diff.pairing import Pairing, told_operator
from modeldocs.diff.parity import Pair
from modeldocs.diff.propagated import Shapes
from modeldocs.diff.tensors import ratio
from modeldocs.graph import Layer


def findings(pairing: Pairing, shapes: Shapes) -> Iterator[Finding]:
    """Parameters that only one side has, or has in another shape by its own doing."""
    for i, j in pairing.pairs():
        a, b = pairing.a.nodes[i], pairing.b.nodes[j]
        ours, theirs = pairing.a.forms[i], pairing.b.forms[j]
        if isinstance(a, Layer) and isinstance(b, Layer) and pairing.same_kind(i, j):
            left, right = dict(ours.parameters), dict(theirs.parameters)
            for role in sorted(left.keys() | right.keys()):
                before, after = left.get(role), right.get(role)
                if before == after or _follows(shapes, i, before, after, role):
                    continue
                yield _finding(told_operator(pairing, i), ((a.id,), (b.id,)), role, before, after)


def _finding(operator: str, pair: Pair, role: str, before: Any, after: Any) -> Finding:
    one_sided = before is None or after is None
    return Finding(
        kind="parameters",
        consequence="parameters",
        operator=operator,
        pair=pair,
        attribute=role,
        before=before,
        after=after,
        alike=("only", before is None) if one_sided else ratio(before, after),
        delta=_size(after) - _size(before),
    )


def _size(shape: Any) -> int:
    return 0 if shape is None else prod(shape)


def _follows(shapes: Shapes, node: int, before: Any, after: Any, role: str) -> bool:
    """Whether a parameter has another shape only because a tensor it meets has.

    A weight follows its input as long as the channels it makes are the same; scales and biases
    follow their output.
    """
    if before is None or after is None:
        return False
    if role == "weight" and before[:1] != after[:1]:
        return False
    if role == "weight" and not shapes.reads_other_shapes(node):
        return False
    return shapes.add_follower(node) if role == "weight" else node in shapes.root


def sharing(pairing: Pairing) -> Iterator[Finding]:
    """Parameters that one side shares between layers and the other does not."""
    first_a: dict[str, tuple[int, str]] = {}
    first_b: dict[str, tuple[int, str]] = {}
    for i, j in pairing.pairs():
        a, b = pairing.a.nodes[i], pairing.b.nodes[j]
        if not isinstance(a, Layer) or not isinstance(b, Layer):
            continue
        theirs = {parameter.role: parameter for parameter in b.parameters}
        for ours in a.parameters:
            other = theirs.get(ours.role)
            if other is None or not ours.name or not other.name:
                continue
            owner_a = first_a.setdefault(ours.name, (i, ours.role))
            owner_b = first_b.setdefault(other.name, (i, ours.role))
            if owner_a != owner_b:
                shared_a, shared_b = owner_a[0] != i, owner_b[0] != i
                yield Finding(
                    "parameters",
                    "parameters",
                    told_operator(pairing, i),
                    ((a.id,), (b.id,)),
                    f"{ours.role} sharing",
                    _told(shared_a),
                    _told(shared_b),
                )


def _told(shared: bool) -> str:
    return "shared" if shared else "its own"
