"""The alignment of two graphs: anchors, propagation from them, and the gaps in between."""

from __future__ import annotations

from modeldocs.diff.alignment.anchors import anchor, anchor_named
from modeldocs.diff.alignment.followers import follow
from modeldocs.diff.alignment.gaps import fill, fill_level
from modeldocs.diff.alignment.moves import find_moves
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.propagation import propagate
from modeldocs.diff.alignment.proposals import improve
from modeldocs.diff.alignment.retried import retry
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.alignment.straighten import straighten
from modeldocs.diff.alignment.turned_round import part_turned
from modeldocs.diff.alignment.twins import twins
from modeldocs.diff.function.forms import INPUT

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
    _complete(pairing)
    improve(pairing, _complete)
    retry(pairing)
    straighten(pairing)
    find_moves(pairing)
    part_turned(pairing)
    return pairing


def _complete(pairing: Pairing) -> None:
    """Match all that can be, from the pairs that are there."""
    _only_inputs(pairing)
    for stage in (anchor, _propagate, _break_ties, anchor_named, _propagate, _fill_gaps):
        if pairing.complete:
            break
        stage(pairing)
        follow(pairing)


def _propagate(pairing: Pairing) -> None:
    propagate(pairing, pairing.frontier(), Pairing.close)


def _break_ties(pairing: Pairing) -> None:
    if pairing.settled(range(len(pairing.a)), range(len(pairing.b))):
        return
    for i, j in twins(pairing):
        pairing.match(i, j, "one of several that nothing around them tells apart", 0.9)
        propagate(pairing, [(i, j)], Pairing.close)


def _only_inputs(pairing: Pairing) -> None:
    ours = [i for i, told in enumerate(pairing.a.forms) if told.operator == INPUT]
    theirs = [j for j, told in enumerate(pairing.b.forms) if told.operator == INPUT]
    if len(ours) == len(theirs) == 1:
        pairing.match(ours[0], theirs[0], "the only input", 1.0)


def _fill_gaps(pairing: Pairing) -> None:
    """First what goes on alike, then equal weights, then whatever could stand for the other."""
    fill_level(pairing)
    for allowed in (Pairing.same_weight, Pairing.related):
        for _ in range(_ROUNDS):
            found = fill(pairing, allowed)
            propagate(pairing, found or pairing.frontier(), allowed)
            follow(pairing)
            if not found or pairing.complete:
                break
