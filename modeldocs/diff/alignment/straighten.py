"""Lines between the same layers, matched anew where that makes more and likelier pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from modeldocs.diff.alignment.lines import Bundle, Line, bundles
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sequence import in_order

_Worth = Callable[[int, int], float]
_Pairs = list[tuple[int, int]]

_SLOT: Final = 0.25
"""What a line is worth more that starts and ends in the slots of another."""

_SAME: Final = 0.75
"""What a pair is worth more that computes the same: more than the slots of a line."""

_GAIN: Final = 0.2
"""By how much other pairs must be worth more than those that are given up for them."""


def straighten(pairing: Pairing) -> None:
    """Match unbranched lines anew, each as a whole with the line that it is most like.

    One layer gone from a line leaves the next with its weights; as a whole it is told at once.
    """
    for bundle in list(bundles(pairing)):
        _straighten(pairing, bundle)


def _straighten(pairing: Pairing, bundle: Bundle) -> None:
    ours, theirs = _inside(pairing, bundle)

    def worth(i: int, j: int) -> float:
        if i not in ours or j not in theirs:
            return 0.0
        # Lines that are only read in other slots change places with their equals alone.
        held = not bundle.crossed or pairing.to_b[i] == j or _equal(pairing, i, j)
        return _worth(pairing, i, j) if held else 0.0

    def kept(i: int, j: int) -> float:
        return worth(i, j) if pairing.to_b[i] == j else 0.0

    before, _ = _matched(bundle, kept)
    after, pairs = _matched(bundle, worth)
    if after > before + _GAIN:
        _replace(pairing, ours, pairs)


def _inside(pairing: Pairing, bundle: Bundle) -> tuple[set[int], set[int]]:
    """The nodes of a bundle, without those whose counterparts lie elsewhere."""
    ours = {node for line in bundle.a for node in line.nodes}
    theirs = {node for line in bundle.b for node in line.nodes}
    return (
        {i for i in ours if pairing.to_b[i] < 0 or pairing.to_b[i] in theirs},
        {j for j in theirs if pairing.to_a[j] < 0 or pairing.to_a[j] in ours},
    )


def _matched(bundle: Bundle, worth: _Worth) -> tuple[float, _Pairs]:
    """The pairs of lines that are most alike, each line of A with one of B at most."""
    cells = [
        (*_aligned(ours, theirs, worth), x, y)
        for x, ours in enumerate(bundle.a)
        for y, theirs in enumerate(bundle.b)
    ]
    rows, columns, total, chosen = set[int](), set[int](), 0.0, _Pairs()
    for told, pairs, x, y in sorted(cells, key=lambda cell: (-cell[0], cell[2], cell[3])):
        if pairs and x not in rows and y not in columns:
            rows.add(x)
            columns.add(y)
            total += told
            chosen += pairs
    return total, chosen


def _aligned(ours: Line, theirs: Line, worth: _Worth) -> tuple[float, _Pairs]:
    table = [[worth(i, j) for j in theirs.nodes] for i in ours.nodes]
    found = in_order(table)
    total = sum(table[x][y] for x, y in found)
    if found:
        total += _SLOT * sum(map(int.__eq__, ours.slots, theirs.slots))
    return total, [(ours.nodes[x], theirs.nodes[y]) for x, y in found]


def _equal(pairing: Pairing, i: int, j: int) -> bool:
    same = pairing.a.forms[i].parameters == pairing.b.forms[j].parameters
    return same and pairing.same_function(i, j)


def _worth(pairing: Pairing, i: int, j: int) -> float:
    if pairing.same_kind(i, j):
        return 1 + pairing.trust(i, j) + _SAME * _equal(pairing, i, j)
    return 0.5 if pairing.same_family(i, j) else 0.0


def _replace(pairing: Pairing, inside: set[int], pairs: _Pairs) -> None:
    keep = {i for i, j in pairs if pairing.to_b[i] == j}
    for i in inside - keep:
        pairing.part(i)
    for i, j in pairs:
        if i not in keep:
            told = "in line between the same matched layers"
            pairing.match(i, j, told, round(0.3 + 0.5 * pairing.trust(i, j), 3))
