"""Inputs that one side wants with its channels first, the other last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.changes import arrangements
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.tensors import difference
from modeldocs.diff.parity import Pair
from modeldocs.graph import GraphInput, Layer, Operand

LAYOUT: Final = "layout"
"""Attribute of the finding that an input has its axes in another order."""


def findings(pairing: Pairing) -> Iterator[tuple[int, Finding]]:
    """(node of A, finding) for each input whose layers see the same once they have turned it."""
    for i, j in pairing.pairs():
        a, b = pairing.a.nodes[i], pairing.b.nodes[j]
        if isinstance(a, GraphInput) and isinstance(b, GraphInput) and _permuted(a, b):
            readers = _readers(pairing, i, j)
            if readers:
                shapes = a.type.shape, b.type.shape
                pair = (a.id,), (b.id,)
                where = next(iter(readers.values()))
                told = Finding("shape", "spelling", "input", pair, LAYOUT, *shapes, where=where)
                told.also = tuple(readers)
                yield i, told


def _permuted(a: GraphInput, b: GraphInput) -> bool:
    ours, theirs = a.type.shape or (), b.type.shape or ()
    return ours != theirs and sorted(map(str, ours[1:])) == sorted(map(str, theirs[1:]))


def _readers(pairing: Pairing, i: int, j: int) -> dict[Pair, str]:
    """Layers that turn the input on one side, with which; none where some see another tensor."""
    found: dict[Pair, str] = {}
    batches = (pairing.a.batch, pairing.b.batch)
    theirs = {user for _, user in pairing.b.users[j]}
    for user in sorted({user for _, user in pairing.a.users[i]}):
        other = pairing.to_b[user]
        a, b = pairing.a.nodes[user], pairing.b.nodes[other]
        if other not in theirs or not isinstance(a, Layer) or not isinstance(b, Layer):
            continue
        seen = _reading(a, pairing.a.nodes[i].id), _reading(b, pairing.b.nodes[j].id)
        for x, y in zip(*seen, strict=False):
            turned = arrangements.turns(x.notes), arrangements.turns(y.notes)
            if turned[0] == turned[1] or difference(x.type, y.type, batches) == "shape":
                return {}
            found[(a.id,), (b.id,)] = _side(*turned)
    return found


def _side(ours: list[str], theirs: list[str]) -> str:
    """Which side has the channels last, by how one of them turns them to the front."""
    turns, sides = (ours, "AB") if ours else (theirs, "BA")
    axes = turns[0].split(",")
    side = sides[0] if axes[1:2] == [str(len(axes) - 1)] else sides[1]
    return f"channels last in {side}"


def _reading(layer: Layer, source: str) -> list[Operand]:
    return [operand for operand in layer.inputs if operand.value == source]
