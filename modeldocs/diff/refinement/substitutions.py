"""Layers matched to what stands in their place, matched to what they are instead.

A layer that stands elsewhere leaves its place to another: the norms of a block before its sums,
or behind them; a factor behind a sum that stood before it. Held against what is in the same place,
such layers seem to read something else, or to be another operator, and one at the end of the row
has no counterpart at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.similarity import same_function, same_operator
from modeldocs.diff.alignment.wiring import Wiring
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_MOST: Final = 200
"""Layers that only one side has beyond which the graphs are too unlike to look for these."""

_LONGEST: Final = 256
_REASON: Final = "the same layer, elsewhere in its row"

Pairs = list[tuple[int, int]]


def repair_substitutions(matching: Matching) -> None:
    """Match layers anew where that explains more than the places where they stand."""
    others = [(i, j) for i, j in matching.pairs() if not same_operator(matching, i, j)]
    if max(len(matching.unmatched_a()), len(matching.unmatched_b()), len(others)) > _MOST:
        return
    for proposed in (*_rows(matching), *_mistaken(matching, others), *_crossed(matching, others)):
        free_a, free_b = set(matching.unmatched_a()), set(matching.unmatched_b())
        known = {i: matching.to_b[i] for i, _ in proposed}
        left_a = {i for i, j in proposed if i in free_a}
        left_b = {j for i, j in proposed if j in free_b}
        if len(left_a) == len(left_b) <= 1 and set(known) - left_a and _apart(matching, proposed):
            _try(matching, proposed)


def _apart(matching: Matching, proposed: Pairs) -> bool:
    """Whether what the pairs take from others, they give back: as many layers stay matched."""
    ours = {i for i, _ in proposed}
    return all(matching.to_a[j] < 0 or matching.to_a[j] in ours for _, j in proposed)


def _try(matching: Matching, proposed: Pairs) -> None:
    """Take the pairs over where fewer layers are left that read others, or are others."""
    before = _cost(matching)
    kept = (
        matching.to_b[:],
        matching.to_a[:],
        dict(matching.reasons),
        dict(matching.propagated_from),
    )
    moved = set(matching.moved)
    for i, _ in proposed:
        matching.unmatch(i)
    for i, j in proposed:
        matching.match(i, j, _REASON, 0.6)
        matching.moved.add(i)
    after = _cost(matching)
    if after > before - 2 - _WORTH:
        matching.to_b[:], matching.to_a[:] = kept[0], kept[1]
        matching.reasons, matching.propagated_from = kept[2], kept[3]
        matching.moved = moved
        return
    for i, _ in proposed:
        matching.moved.discard(i)
        if _cost(matching) > after:
            matching.moved.add(i)
            matching.moved_with[i] = proposed[0][0]


_ENDS: Final = 4
"""Layers left over by themselves up to which the ends of a row are told from them."""

_WORTH: Final = 1
"""Layers by which the count must fall, beside the two that find a counterpart."""


def _cost(matching: Matching) -> int:
    """How many layers read others, compute others, or are there on one side alone."""
    wiring = Wiring(matching)
    told = len(matching.unmatched_a()) + len(matching.unmatched_b())
    for i, j in matching.pairs():
        told += not same_function(matching, i, j)
        told += i not in matching.moved and bool(wiring.differing_operands(i, j))
    return told


def _rows(matching: Matching) -> Iterator[Pairs]:
    """Rows of equal layers matched one off: each to the next, so that both ends are left over."""
    a, b = matching.a, matching.b
    free_a = [i for i in matching.unmatched_a() if _alone(a, i, matching.to_b)]
    free_b = [j for j in matching.unmatched_b() if _alone(b, j, matching.to_a)]
    left = {_kind(a, i) for i in free_a} & {_kind(b, j) for j in free_b}
    if len(left) != 1 or len(free_a) + len(free_b) > _ENDS:
        return  # one end of a row is left over on each side, and little else
    ours, theirs = _by_kind(a, range(len(a))), _by_kind(b, range(len(b)))
    for j in free_b:
        found = _row(ours, theirs, _kind(b, j), j, matching.to_a)
        if found:
            yield found
    for i in free_a:
        found = _row(theirs, ours, _kind(a, i), i, matching.to_b)
        if found:
            yield [(x, y) for y, x in found]


def _alone(graph: IndexedGraph, node: int, counterpart: Sequence[int]) -> bool:
    """Whether a layer is left over by itself: those of a block are there on one side alone."""
    around = (*graph.sources[node], *graph.users[node])
    return all(counterpart[other] >= 0 for _, other in around)


def _row(
    ends: dict[object, list[int]],
    starts: dict[object, list[int]],
    kind: object,
    start: int,
    counterpart: Sequence[int],
) -> Pairs:
    """From the free `start`: what follows it is matched to the row of the other side, to its end.

    The pairs are (node of `ends`, node of `starts`) as they are meant.
    """
    row, other = starts.get(kind, []), ends.get(kind, [])
    if start not in row:  # an input of the network
        return []
    place = row.index(start)
    if place + 1 == len(row) or counterpart[row[place + 1]] not in other:
        return []
    first = other.index(counterpart[row[place + 1]])
    length = 0
    while (
        length < _LONGEST
        and place + 1 + length < len(row)
        and first + length < len(other)
        and counterpart[row[place + 1 + length]] == other[first + length]
    ):
        length += 1
    members = other[first : first + length + 1]
    return list(zip(members, row[place : place + length + 1], strict=False))


def _crossed(matching: Matching, others: Pairs) -> Iterator[Pairs]:
    """Two pairs of different operators near each other, each of which has the other's layer."""
    for place, (i, j) in enumerate(others):
        for x, y in others[place + 1 :]:
            if _same(matching, i, y) and _same(matching, x, j) and _near(matching.a, i, x):
                yield [(i, y), (x, j)]
                break


def _mistaken(matching: Matching, others: Pairs) -> Iterator[Pairs]:
    """Two of different operators that are matched, where the right ones are left over near by."""
    a, b = matching.a, matching.b
    for i, j in others:
        ours = [x for x in matching.unmatched_a() if _same(matching, x, j) and _near(a, x, i)]
        theirs = [y for y in matching.unmatched_b() if _same(matching, i, y) and _near(b, y, j)]
        if ours and theirs:
            yield [(i, theirs[-1]), (ours[-1], j)]


def _same(matching: Matching, i: int, j: int) -> bool:
    ours, theirs = matching.a.ops[i], matching.b.ops[j]
    return same_operator(matching, i, j) and ours.parameters == theirs.parameters


_NEAR: Final = 8
"""Steps within which a layer is near."""


def _near(graph: IndexedGraph, node: int, other: int) -> bool:
    seen, edge = {node}, {node}
    for _ in range(_NEAR):
        edge = {x for one in edge for _, x in (*graph.sources[one], *graph.users[one])} - seen
        if other in edge:
            return True
        seen |= edge
    return False


def _kind(graph: IndexedGraph, node: int) -> object:
    return graph.ops[node].operator, graph.ops[node].parameters


def _by_kind(graph: IndexedGraph, nodes: Sequence[int]) -> dict[object, list[int]]:
    """Nodes with parameters, and equal in them, in order of depth."""
    found: dict[object, list[int]] = defaultdict(list)
    for node in sorted(nodes, key=lambda one: (graph.depths[one], one)):
        if graph.ops[node].parameters or graph.sources[node]:
            found[_kind(graph, node)].append(node)
    return found
