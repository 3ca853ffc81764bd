"""Gaps: what lies between matched nodes on both sides, laid out in order and aligned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from modeldocs.diff.pairing import Pairing
from modeldocs.diff.regions import Gap, gaps

CELLS: Final = 1_000_000
"""Cells of the alignment tables of one comparison, all gaps together: the bound on its time."""

_NARROWEST: Final = 8


def fill(pairing: Pairing) -> list[tuple[int, int]]:
    """Match what aligns within each gap, and tell the new pairs."""
    found: list[tuple[int, int]] = []
    found_gaps = list(gaps(pairing))
    total = sum(len(gap.a) + len(gap.b) for gap in found_gaps) or 1
    for gap in found_gaps:
        cells = max(CELLS * (len(gap.a) + len(gap.b)) // total, 4096)
        for part in _parts(gap, cells):
            for i, j in _aligned(pairing, part):
                pairing.match(
                    i, j, "in order between the same matched layers", _trust(pairing, i, j)
                )
                found.append((i, j))
    return found


def _trust(pairing: Pairing, i: int, j: int) -> float:
    return round(0.3 + 0.4 * pairing.equal_colours(i, j) / pairing.colour_count, 3)


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


def _aligned(pairing: Pairing, gap: Gap) -> list[tuple[int, int]]:
    """Needleman-Wunsch: the pairs, in order on both sides, that are most alike altogether."""
    worth = [[_worth(pairing, i, j) for j in gap.b] for i in gap.a]
    best = [[0.0] * (len(gap.b) + 1) for _ in range(len(gap.a) + 1)]
    for x, row in enumerate(worth):
        above, here = best[x], best[x + 1]
        for y, value in enumerate(row):
            here[y + 1] = max(above[y + 1], here[y], above[y] + value if value else 0.0)
    return [(gap.a[x], gap.b[y]) for x, y in _walked(best, worth)]


def _walked(best: list[list[float]], worth: list[list[float]]) -> list[tuple[int, int]]:
    x, y = len(best) - 1, len(best[0]) - 1
    pairs = []
    while x and y:
        value = worth[x - 1][y - 1]
        if value and best[x][y] == best[x - 1][y - 1] + value:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        elif best[x][y] == best[x - 1][y]:
            x -= 1
        else:
            y -= 1
    return pairs[::-1]


def _worth(pairing: Pairing, i: int, j: int) -> float:
    """How much is won by matching two nodes; 0 where they must not be."""
    if pairing.same_kind(i, j):
        return 4 + pairing.likeness(i, j) / 2 + 2 * pairing.support(i, j)
    if pairing.same_family(i, j):
        support = pairing.support(i, j)
        return 1 + 2 * support if support else 0.0
    return 0.0
