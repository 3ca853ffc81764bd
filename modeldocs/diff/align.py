"""The alignment of two graphs: anchors, propagation from them, and the gaps in between."""

from __future__ import annotations

from modeldocs.diff.anchors import anchor, twins
from modeldocs.diff.forms import INPUT
from modeldocs.diff.gaps import fill
from modeldocs.diff.labels import NAMED
from modeldocs.diff.moves import find_moves
from modeldocs.diff.pairing import Pairing
from modeldocs.diff.propagation import STRONG, WEAK, propagate
from modeldocs.diff.sides import Side

_ROUNDS = 3
"""Times the gaps are looked at again with what the last round has matched."""


def align(a: Side, b: Side) -> Pairing:
    """Which node of A is which of B, by structure alone.

    Aligning b and a gives the mirror image: the graphs are put in an order of their own first.
    """
    if (a.fingerprint, a.positional) > (b.fingerprint, b.positional):
        return _aligned(b, a).mirrored()
    return _aligned(a, b)


def _aligned(a: Side, b: Side) -> Pairing:
    pairing = Pairing(a, b)
    if a.positional == b.positional:
        for node in range(len(a)):
            pairing.match(node, node, "the same structure, layer by layer", 1.0)
        return pairing
    pairing.paint()
    _only_inputs(pairing)
    anchor(pairing)
    propagate(pairing, list(pairing.pairs()), STRONG)
    for i, j in twins(pairing):
        pairing.match(i, j, "one of several that nothing around them tells apart", 0.9)
        propagate(pairing, [(i, j)], STRONG)
    anchor(pairing, (NAMED,))
    propagate(pairing, list(pairing.pairs()), STRONG)
    _fill_gaps(pairing)
    find_moves(pairing)
    return pairing


def _only_inputs(pairing: Pairing) -> None:
    ours = [i for i, told in enumerate(pairing.a.forms) if told.operator == INPUT]
    theirs = [j for j, told in enumerate(pairing.b.forms) if told.operator == INPUT]
    if len(ours) == len(theirs) == 1:
        pairing.match(ours[0], theirs[0], "the only input", 1.0)


def _fill_gaps(pairing: Pairing) -> None:
    for _ in range(_ROUNDS):
        found = fill(pairing)
        propagate(pairing, found or list(pairing.pairs()), WEAK)
        if not found:
            return
