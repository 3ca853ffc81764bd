"""Layers that changed, given other counterparts where fewer edits are told then.

A pooling gone from before the branches leaves that of a branch in its place; a layer put in beside
one that changed is as good a counterpart as that one, as far as neighbourhoods tell; and where a
layer reads other values, it may be those that are not matched as they should be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.similarity import interchangeable, same_operator, similarity
from modeldocs.diff.function.parameter_shapes import weight_signature
from modeldocs.diff.indexing.edges import unless_hub
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.refinement.edit_cost import EditCost, affected_nodes

_MOST: Final = 64
"""Layers that changed beyond which none is tried: the networks differ, and it takes its time."""

_ROUNDS: Final = 3
"""Times that what changed is looked at, with what was matched otherwise since."""

_FURTHEST: Final = 64
"""Layers that are matched otherwise at once."""

_GAIN: Final = 0.04
"""By how many edits less the other counterpart must do: half of the least difference."""

_Pairs = list[tuple[int, int]]
_Leading = Callable[[Matching, int, int], Iterator[tuple[int, int]]]


def reduce_edits(matching: Matching) -> None:
    """Match each changed layer with what makes the fewest edits of what it may be matched with."""
    for _ in range(_ROUNDS):
        if not _retried(matching):
            break


def _retried(matching: Matching) -> bool:
    """Whether any of the changed layers was given another counterpart."""
    edits = EditCost(matching)
    changed = {i for i, _ in matching.pairs() if edits.is_changed(i)}
    found = False
    for i in sorted(changed) if len(changed) <= _MOST else ():
        tried = [_tried(matching, pairs) for pairs in _others(matching, i, changed)]
        gain, trial = max(tried, key=lambda one: one[0], default=(0.0, matching))
        if gain > _GAIN:
            other = sorted(matching.differences(trial))
            matching.rematch([(x, trial.to_b[x]) for x in other], trial.reasons)
            found = True
    return found


def _tried(matching: Matching, pairs: _Pairs) -> tuple[float, Matching]:
    """A matching with other pairs in it, and how many edits fewer it makes.

    Layers that lose their counterparts to others take those of these, if they fit.
    """
    trial = matching.restricted(matching.pairs())
    left = [(matching.to_a[y], matching.to_b[x]) for x, y in pairs]
    region = {x for x, _ in pairs} | {x for x, _ in left} - {-1}
    for x in region:
        trial.unmatch(x)
    for x, y in (*pairs, *left):
        if x >= 0 <= y and trial.both_unmatched(x, y) and interchangeable(matching, x, y):
            trust = round(0.3 + 0.5 * similarity(matching, x, y), 3)
            trial.match(x, y, "where it makes the fewest edits", trust)
    around = affected_nodes(matching, trial, region)
    return EditCost(matching).cost(around) - EditCost(trial).cost(around), trial


def _others(matching: Matching, i: int, changed: set[int]) -> Iterator[_Pairs]:
    """How a layer may be matched instead: with a free one close by, with that of one beside it, or
    as it is, but what it reads with what its counterpart reads.
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
        if (
            x in changed
            and y >= 0
            and same_operator(matching, i, y)
            and same_operator(matching, x, j)
        ):
            yield [(i, y)]
        elif y < 0 and _same_signature(matching, x, j):
            yield _spread(matching, [(x, j)], _below)
    for y in sorted(_siblings(b, j)):
        if matching.to_a[y] < 0 and _same_signature(matching, i, y):
            yield _spread(matching, [(i, y)], _below)
    above = _spread(matching, _above(matching, i, j), _above)
    if above:
        yield above


def _same_signature(matching: Matching, i: int, j: int) -> bool:
    ours = weight_signature(matching.a.ops[i])
    return ours is not None and ours == weight_signature(matching.b.ops[j])


def _siblings(graph: IndexedGraph, node: int) -> set[int]:
    """The layers that are read together with one, or read what it reads."""
    found = {
        x for _, user in unless_hub(graph.users[node]) for _, x in unless_hub(graph.sources[user])
    }
    found |= {
        user for _, x in unless_hub(graph.sources[node]) for _, user in unless_hub(graph.users[x])
    }
    return found - {node}


def _spread(matching: Matching, start: Iterable[tuple[int, int]], on: _Leading) -> _Pairs:
    """Pairs with those that they lead to, up to where these are matched so already."""
    to_b: dict[int, int] = {}
    to_a: dict[int, int] = {}
    waiting = deque(start)
    while waiting and len(to_b) < _FURTHEST:
        x, y = waiting.popleft()
        if x in to_b or y in to_a or matching.to_b[x] == y:
            continue
        to_b[x], to_a[y] = y, x
        waiting.extend(on(matching, x, y))
    return sorted(to_b.items())


def _above(matching: Matching, i: int, j: int) -> Iterator[tuple[int, int]]:
    """What two layers read in the same slots, past a layer that only one side has."""
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


def _below(matching: Matching, i: int, j: int) -> Iterator[tuple[int, int]]:
    """What reads two layers in the same slots."""
    theirs = unless_hub(matching.b.users[j])
    for code, x in unless_hub(matching.a.users[i]):
        yield from (
            (x, y) for other, y in theirs if other == code and same_operator(matching, x, y)
        )
