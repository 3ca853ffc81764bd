"""Changed layers given other counterparts where that implies fewer edits.

What this repairs: a pooling before some branches is gone, and that of a branch is matched in its
place; a new layer stands beside one that changed, and is matched instead of it; a layer reads other
values because those are matched wrongly.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.similarity import confidence, interchangeable, same_operator
from modeldocs.diff.function.parameter_shapes import weight_signature
from modeldocs.diff.indexing.edges import unless_hub
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.refinement.edit_cost import EditCost, affected_nodes

_MOST: Final = 64
"""Changed layers beyond which none is tried: the bound on its time."""

_ROUNDS: Final = 3
"""Rounds over the layers that still differ after the last one. With 1 no diff of tests/diff or of
the catalog changes."""

_MOST_AT_ONCE: Final = 64
"""Layers that one change of the matching may concern."""

_GAIN: Final = 0.04
"""By how many edits fewer another counterpart must do: less than one doubling of a size costs.
Half or twice as much changes no diff of the catalog or of tests/diff."""

_LEAST_CONFIDENCE: Final = 0.3
"""Confidence of a pair without any similarity, matched only because of the number of edits."""

_Pairs = list[tuple[int, int]]
_Next = Callable[[Matching, int, int], Iterator[tuple[int, int]]]
"""The pairs that a pair leads to."""


def reduce_edits(matching: Matching) -> None:
    """Match each changed layer with that of its candidates that implies the fewest edits."""
    for _ in range(_ROUNDS):
        if not _reduce_once(matching):
            break


def _reduce_once(matching: Matching) -> bool:
    """Whether any of the changed layers was given another counterpart."""
    edits = EditCost(matching)
    changed = {i for i, _ in matching.pairs() if edits.is_changed(i)}
    any_taken = False
    for i in sorted(changed) if len(changed) <= _MOST else ():
        trials = [_tried(matching, pairs) for pairs in _alternatives(matching, i, changed)]
        gain, trial = max(trials, key=lambda one: one[0], default=(0.0, matching))
        if gain > _GAIN:
            differing = sorted(matching.differences(trial))
            matching.rematch([(x, trial.to_b[x]) for x in differing], trial.reasons)
            any_taken = True
    return any_taken


def _tried(matching: Matching, pairs: _Pairs) -> tuple[float, Matching]:
    """How many edits fewer a copy with other pairs implies, and the copy.

    Two layers that lose their counterparts to a pair are matched with each other if they may be.
    """
    trial = matching.restricted(matching.pairs())
    left = [(matching.to_a[y], matching.to_b[x]) for x, y in pairs]
    region = {x for x, _ in pairs} | {x for x, _ in left} - {-1}
    for x in region:
        trial.unmatch(x)
    for x, y in (*pairs, *left):
        if x >= 0 <= y and trial.both_unmatched(x, y) and interchangeable(matching, x, y):
            certainty = confidence(matching, x, y, _LEAST_CONFIDENCE)
            trial.match(x, y, "the counterpart that implies the fewest edits", certainty)
    affected = affected_nodes(matching, trial, region)
    return EditCost(matching).cost(affected) - EditCost(trial).cost(affected), trial


def _alternatives(matching: Matching, i: int, changed: set[int]) -> Iterator[_Pairs]:
    """How a layer may be matched instead.

    With an unmatched neighbour of its counterpart (or its own unmatched neighbour with that), with
    the counterpart of a sibling, or as it is, but with its operands matched slot by slot.
    """
    a, b, j = matching.a, matching.b, matching.to_b[i]
    if j < 0:
        return
    for y in sorted(set(b.neighbours(j))):
        if matching.to_a[y] < 0 and interchangeable(matching, i, y):
            yield [(i, y)]
    for x in sorted(set(a.neighbours(i))):
        if matching.to_b[x] < 0 and interchangeable(matching, x, j):
            yield [(x, j)]
    for x in sorted(_siblings(a, i)):
        y = matching.to_b[x]
        if x in changed and y >= 0:
            if same_operator(matching, i, y) and same_operator(matching, x, j):
                yield [(i, y)]
        elif y < 0 and _same_signature(matching, x, j):
            yield _extended(matching, [(x, j)], _users)
    for y in sorted(_siblings(b, j)):
        if matching.to_a[y] < 0 and _same_signature(matching, i, y):
            yield _extended(matching, [(i, y)], _users)
    operands = _extended(matching, _operands(matching, i, j), _operands)
    if operands:
        yield operands


def _same_signature(matching: Matching, i: int, j: int) -> bool:
    ours = weight_signature(matching.a.ops[i])
    return ours is not None and ours == weight_signature(matching.b.ops[j])


def _siblings(graph: IndexedGraph, node: int) -> set[int]:
    """The layers that are read together with one, or read what it reads."""
    sources, users = graph.sources, graph.users
    siblings = {x for _, user in unless_hub(users[node]) for _, x in unless_hub(sources[user])}
    siblings |= {user for _, x in unless_hub(sources[node]) for _, user in unless_hub(users[x])}
    return siblings - {node}


def _extended(matching: Matching, start: Iterable[tuple[int, int]], following: _Next) -> _Pairs:
    """Pairs with those that they lead to, up to pairs that are matched already."""
    to_b: dict[int, int] = {}
    to_a: dict[int, int] = {}
    waiting = deque(start)
    while waiting and len(to_b) < _MOST_AT_ONCE:
        x, y = waiting.popleft()
        if x in to_b or y in to_a or matching.to_b[x] == y:
            continue
        to_b[x], to_a[y] = y, x
        waiting.extend(following(matching, x, y))
    return sorted(to_b.items())


def _operands(matching: Matching, i: int, j: int) -> Iterator[tuple[int, int]]:
    """What two layers read in the same slots, past a layer of one operand in one graph."""
    a, b = matching.a.sources, matching.b.sources
    theirs = dict(unless_hub(b[j]))
    for code, x in unless_hub(a[i]):
        y = theirs.get(code, -1)
        if y < 0:
            continue
        if same_operator(matching, x, y):
            yield x, y
        elif len(a[x]) == 1 and same_operator(matching, a[x][0][1], y):
            yield a[x][0][1], y
        elif len(b[y]) == 1 and same_operator(matching, x, b[y][0][1]):
            yield x, b[y][0][1]


def _users(matching: Matching, i: int, j: int) -> Iterator[tuple[int, int]]:
    """What reads two layers in the same slots: first the pairs of equal function, as several
    layers may read the same (the halves of a split).
    """
    a, b = matching.a, matching.b
    theirs = unless_hub(b.users[j])
    pairs = [(x, y) for code, x in unless_hub(a.users[i]) for other, y in theirs if other == code]
    pairs = [(x, y) for x, y in pairs if same_operator(matching, x, y)]
    yield from sorted(pairs, key=lambda pair: a.ops[pair[0]] != b.ops[pair[1]])
