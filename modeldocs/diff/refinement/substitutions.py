"""Layers matched by their place although they moved, matched anew with their equals.

A layer that moved leaves its place to another: the norms of a block are before its sums in one
graph and after them in the other, a factor is before a sum or after it. Matched by their places,
such layers read other values or have other operators, and the last of a row of equal layers has no
counterpart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.operand_equivalence import Wiring
from modeldocs.diff.alignment.similarity import same_function, same_operator
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_MOST: Final = 200
"""Unmatched layers, or pairs of different operators, beyond which none is tried: the bound on its
time."""

_LONGEST_ROW: Final = 256
"""Layers of a row that are matched anew at once."""

_MOST_ENDS: Final = 4
"""Unmatched layers beyond which none is taken for the end of a row."""

_NEAR: Final = 8
"""Edges within which a layer is near. With 4 or 16 no diff of tests/diff or of the catalog
changes."""

_LEAST_GAIN: Final = 3
"""Differing layers fewer: the two that find a counterpart, and one more. With 6 a diff of
tests/diff changes, with 1 none."""

Pairs = list[tuple[int, int]]


def repair_substitutions(matching: Matching) -> None:
    """Match such layers anew where fewer layers differ then."""
    others = [(i, j) for i, j in matching.pairs() if not same_operator(matching, i, j)]
    if max(len(matching.unmatched_a()), len(matching.unmatched_b()), len(others)) > _MOST:
        return
    for pairs in (
        *_shifted_rows(matching),
        *_substituted(matching, others),
        *_exchanged(matching, others),
    ):
        if _is_closed(matching, pairs):
            _take_if_better(matching, pairs)


def _is_closed(matching: Matching, pairs: Pairs) -> bool:
    """Whether pairs only exchange counterparts, up to one unmatched layer of each graph."""
    unmatched_a, unmatched_b = set(matching.unmatched_a()), set(matching.unmatched_b())
    ours = {i for i, _ in pairs}
    new_a = ours & unmatched_a
    new_b = {j for _, j in pairs} & unmatched_b
    return (
        len(new_a) == len(new_b) <= 1
        and bool(ours - new_a)
        and all(matching.to_a[j] < 0 or matching.to_a[j] in ours for _, j in pairs)
    )


def _take_if_better(matching: Matching, pairs: Pairs) -> None:
    """Take the pairs if enough layers fewer differ; those count as moved that must."""
    before = _differing(matching)
    to_b, to_a = matching.to_b[:], matching.to_a[:]
    reasons, origins = dict(matching.reasons), dict(matching.propagated_from)
    moved = set(matching.moved)
    for i, _ in pairs:
        matching.unmatch(i)
    for i, j in pairs:
        matching.match(i, j, "the same layer, elsewhere in its row", 0.6)
        matching.moved.add(i)
    after = _differing(matching)
    if after > before - _LEAST_GAIN:
        matching.to_b[:], matching.to_a[:] = to_b, to_a
        matching.reasons, matching.propagated_from = reasons, origins
        matching.moved = moved
        return
    for i, _ in pairs:
        matching.moved.discard(i)
        if _differing(matching) > after:
            matching.moved.add(i)
            matching.moved_with[i] = pairs[0][0]


def _differing(matching: Matching) -> int:
    """How many layers read others, compute others, or have no counterpart."""
    wiring = Wiring(matching)
    count = len(matching.unmatched_a()) + len(matching.unmatched_b())
    for i, j in matching.pairs():
        count += not same_function(matching, i, j)
        count += i not in matching.moved and bool(wiring.differing_operands(i, j))
    return count


def _shifted_rows(matching: Matching) -> Iterator[Pairs]:
    """Rows of equal layers matched one off: each to the next, so that both ends are unmatched."""
    a, b = matching.a, matching.b
    ends_a = [i for i in matching.unmatched_a() if _is_isolated(a, i, matching.to_b)]
    ends_b = [j for j in matching.unmatched_b() if _is_isolated(b, j, matching.to_a)]
    shared = {_row_key(a, i) for i in ends_a} & {_row_key(b, j) for j in ends_b}
    if len(shared) != 1 or len(ends_a) + len(ends_b) > _MOST_ENDS:
        return
    ours, theirs = _rows(a), _rows(b)
    for j in ends_b:
        pairs = _shifted_back(ours, theirs, _row_key(b, j), j, matching.to_a)
        if pairs:
            yield pairs
    for i in ends_a:
        pairs = _shifted_back(theirs, ours, _row_key(a, i), i, matching.to_b)
        if pairs:
            yield [(x, y) for y, x in pairs]


def _is_isolated(graph: IndexedGraph, node: int, counterpart: Sequence[int]) -> bool:
    """Whether all neighbours of a node are matched: it is no part of an unmatched block."""
    return all(counterpart[other] >= 0 for other in graph.neighbours(node))


def _shifted_back(
    others: dict[object, list[int]],
    rows: dict[object, list[int]],
    key: object,
    start: int,
    counterpart: Sequence[int],
) -> Pairs:
    """A row from its unmatched `start` on, matched one place further on in the other graph's row.

    The pairs are (node of `others`, node of `rows`), as far as the two rows run in parallel.
    """
    row, other = rows.get(key, []), others.get(key, [])
    if start not in row:  # an input of the network
        return []
    place = row.index(start)
    if place + 1 == len(row) or counterpart[row[place + 1]] not in other:
        return []
    first = other.index(counterpart[row[place + 1]])
    length = 0
    while (
        length < _LONGEST_ROW
        and place + 1 + length < len(row)
        and first + length < len(other)
        and counterpart[row[place + 1 + length]] == other[first + length]
    ):
        length += 1
    members = other[first : first + length + 1]
    return list(zip(members, row[place : place + length + 1], strict=False))


def _rows(graph: IndexedGraph) -> dict[object, list[int]]:
    """The layers of one operator and equal parameters, by depth; no inputs of the network."""
    rows: dict[object, list[int]] = defaultdict(list)
    for node in sorted(range(len(graph)), key=lambda node: (graph.depths[node], node)):
        if graph.ops[node].parameters or graph.sources[node]:
            rows[_row_key(graph, node)].append(node)
    return rows


def _row_key(graph: IndexedGraph, node: int) -> object:
    return graph.ops[node].operator, graph.ops[node].parameters


def _substituted(matching: Matching, others: Pairs) -> Iterator[Pairs]:
    """Pairs of different operators, with the right layers unmatched near them in both graphs."""
    a, b = matching.a, matching.b
    for i, j in others:
        ours = [x for x in matching.unmatched_a() if _fits(matching, x, j) and _is_near(a, x, i)]
        theirs = [y for y in matching.unmatched_b() if _fits(matching, i, y) and _is_near(b, y, j)]
        if ours and theirs:
            yield [(i, theirs[-1]), (ours[-1], j)]


def _exchanged(matching: Matching, others: Pairs) -> Iterator[Pairs]:
    """Two pairs of different operators near each other, each with the other's counterpart."""
    for place, (i, j) in enumerate(others):
        for x, y in others[place + 1 :]:
            fits = _fits(matching, i, y) and _fits(matching, x, j)
            if fits and _is_near(matching.a, i, x):
                yield [(i, y), (x, j)]
                break


def _fits(matching: Matching, i: int, j: int) -> bool:
    ours, theirs = matching.a.ops[i], matching.b.ops[j]
    return same_operator(matching, i, j) and ours.parameters == theirs.parameters


def _is_near(graph: IndexedGraph, node: int, other: int) -> bool:
    seen, outermost = {node}, {node}
    for _ in range(_NEAR):
        outermost = {x for one in outermost for x in graph.neighbours(one)} - seen
        if other in outermost:
            return True
        seen |= outermost
    return False
