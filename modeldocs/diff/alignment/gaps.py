"""Gaps: what lies between matched nodes on both sides, laid out in order and aligned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from modeldocs.diff.alignment.pairing import Allowed, Pairing
from modeldocs.diff.alignment.regions import Gap, gaps
from modeldocs.diff.alignment.sequence import Bounds, in_order

CELLS: Final = 1_000_000
"""Cells of the alignment tables of one comparison, all gaps together: the bound on its time."""

_NARROWEST: Final = 8


def fill_level(pairing: Pairing) -> list[tuple[int, int]]:
    """Match what aligns within each gap and goes on alike, no further shifted than its ends."""
    depths_a, depths_b = pairing.a.groups.depths, pairing.b.groups.depths
    within = Bounds([(depths_a[i], depths_b[j]) for i, j in pairing.pairs()])

    def allowed(pairing: Pairing, i: int, j: int) -> bool:
        return within.level(depths_a[i], depths_b[j]) and pairing.same_trunk(i, j)

    return fill(pairing, allowed)


def fill(pairing: Pairing, allowed: Allowed) -> list[tuple[int, int]]:
    """Match what aligns within each gap, and tell the new pairs."""
    found: list[tuple[int, int]] = []
    found_gaps = list(gaps(pairing))
    total = sum(len(gap.a) + len(gap.b) for gap in found_gaps) or 1
    for gap in found_gaps:
        cells = max(CELLS * (len(gap.a) + len(gap.b)) // total, 4096)
        for part in _parts(gap, cells):
            for i, j in _aligned(pairing, part, allowed):
                pairing.match(
                    i, j, "in order between the same matched layers", _trust(pairing, i, j)
                )
                found.append((i, j))
    return found


def _trust(pairing: Pairing, i: int, j: int) -> float:
    return round(0.3 + 0.4 * pairing.trust(i, j), 3)


def _parts(gap: Gap, cells: int) -> Iterator[Gap]:
    """The gap itself, or pieces of it in proportion where its table would be too large."""
    n, m = len(gap.a), len(gap.b)
    if n * m <= cells:
        yield gap
        return
    width = max(_NARROWEST, cells // max(n, m))
    count = -(-max(n, m) // width)
    for part in range(count):
        a = gap.a[n * part // count : n * (part + 1) // count]
        b = gap.b[m * part // count : m * (part + 1) // count]
        if a and b:
            yield Gap(a, b)


def _aligned(pairing: Pairing, gap: Gap, allowed: Allowed) -> list[tuple[int, int]]:
    """The pairs, in order on both sides, that are most alike altogether."""
    worth = [
        [_worth(pairing, i, j) if allowed(pairing, i, j) else 0.0 for j in gap.b] for i in gap.a
    ]
    return [(gap.a[x], gap.b[y]) for x, y in in_order(worth)]


def _worth(pairing: Pairing, i: int, j: int) -> float:
    """How much is won by matching two nodes; 0 where they must not be."""
    support = pairing.support(i, j)
    if pairing.same_kind(i, j):
        against = 2 * pairing.conflicts(i, j)
        return max(4 + 4 * pairing.trust(i, j) + 3 * support - against, 0.5)
    return 1 + 2 * support if support else 0.0
