"""Slides: what only one side has, moved along the layers beside it to where it fits best.

Of a row of layers with some gone, which ones are gone is seen from where the others read: a sum
left behind by a residual block is the one whose operands are there, not the one behind the block.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.similarity import same_operator, similarity
from modeldocs.diff.indexing.edges import HUB_DEGREE, Edge, connected_components
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.refinement.pair_score import pair_score
from modeldocs.ir import Step

_MOST: Final = 2_000
"""Layers that are slid past in one go, and free ones that are looked at."""

_GAIN: Final = 0.001

_SEEN: Final = 0.5
"""What it counts that both layers of a pair see their operands alike."""


_Half = tuple[IndexedGraph, list[int]]
"""A side, and the counterpart of each of its nodes."""


@dataclass(slots=True)
class _Step:
    """Node `to` of A takes the counterpart of `at`, that is node `there` of B."""

    at: int
    to: int
    there: int


def shift_gaps(matching: Matching) -> None:
    """Move what only one side has to where more edges are kept, or fewer lead into it."""
    for turned in (False, True):
        seen = matching.mirrored() if turned else matching
        for down in (True, False):
            _slide(matching, seen, turned=turned, down=down)


def _slide(matching: Matching, seen: Matching, *, turned: bool, down: bool) -> None:
    free = seen.unmatched_a()
    if len(free) > _MOST:
        return
    for component in connected_components(free, seen.a.neighbours):
        if any(seen.to_b[i] < 0 for i in component):
            for step in _Sliding(seen, down=down).best(component):
                _take(matching, step, turned=turned)


def _take(matching: Matching, step: _Step, *, turned: bool) -> None:
    """Match as a step says; both views of a matching share its pairs."""
    told = "the same layer, by what it reads"
    if turned:
        matching.unmatch(step.there)
        matching.match(step.there, step.to, told, _trust(matching, step.there, step.to))
    else:
        matching.unmatch(step.at)
        matching.match(step.to, step.there, told, _trust(matching, step.to, step.there))


def _trust(matching: Matching, i: int, j: int) -> float:
    return round(0.4 + 0.5 * similarity(matching, i, j), 3)


class _Sliding:
    """One way to slide a set of free nodes of A, tried on the matching and taken back."""

    def __init__(self, matching: Matching, *, down: bool) -> None:
        self.matching, self.down = matching, down
        a, b = matching.a, matching.b
        self.before = (a.sources, b.sources) if down else (a.users, b.users)
        self.behind = (a.users, b.users) if down else (a.sources, b.sources)
        self.heap: list[tuple[int, int]] = []
        self.queued: set[int] = set()

    def best(self, free: list[int]) -> list[_Step]:
        """The steps up to where the matching is best; none where it is best as it is."""
        to_b, to_a = self.matching.to_b, self.matching.to_a
        for i in free:
            self._queue(i)
        steps: list[_Step] = []
        gain, most, length = 0.0, _GAIN, 0
        while self.heap and len(steps) < _MOST:
            there = abs(heapq.heappop(self.heap)[1])
            step = self._step(there)
            if step is None:
                continue
            near = self._near(step)
            was = self._around(step, *near)
            to_b[step.at], to_b[step.to], to_a[there] = -1, there, step.to
            gain += self._around(step, *near) - was
            steps.append(step)
            if gain > most:
                most, length = gain, len(steps)
            self._queue_behind(there)
        for step in reversed(steps):
            to_b[step.to], to_b[step.at], to_a[step.there] = -1, step.there, step.at
        return steps[:length]

    def _queue(self, i: int) -> None:
        """Look at what reads in B what a free node of A reads."""
        for _, x in self.before[0][i]:
            if (y := self.matching.to_b[x]) >= 0:
                self._queue_behind(y)

    def _queue_behind(self, y: int) -> None:
        if len(self.behind[1][y]) > HUB_DEGREE:
            return
        for _, there in self.behind[1][y]:
            if there not in self.queued:
                self.queued.add(there)
                heapq.heappush(self.heap, (there if self.down else -there, there))

    def _step(self, there: int) -> _Step | None:
        """The free node that is more like a node of B than its counterpart, by what is before."""
        matching = self.matching
        at = matching.to_a[there]
        if at < 0:
            return None
        facing = set(self.before[1][there])
        had = self._faced(self.before[0][at], facing)
        found = {
            i
            for _, y in self.before[1][there]
            if (x := matching.to_a[y]) >= 0 and len(self.behind[0][x]) <= HUB_DEGREE
            for i in self._free_behind(x)
            if same_operator(matching, i, there)
        }
        told = [(self._faced(self.before[0][i], facing), -i) for i in found]
        if not told or max(told)[0] <= had:
            return None
        return _Step(at, -max(told)[1], there)

    def _free_behind(self, x: int) -> Iterator[int]:
        """Free nodes behind a node, and those behind one of these that alone reads it."""
        for _, i in self.behind[0][x]:
            if self.matching.to_b[i] < 0:
                yield i
                if len(self.before[0][i]) == 1 == len(self.behind[0][i]):
                    after = self.behind[0][i][0][1]
                    if self.matching.to_b[after] < 0:
                        yield after

    def _faced(self, edges: list[Edge], facing: set[Edge]) -> float:
        """How many edges lead to the same, those past one free node half as much."""
        before, to_b = self.before[0], self.matching.to_b
        found = 0.0
        for code, x in edges:
            if to_b[x] >= 0:
                found += (code, to_b[x]) in facing
            elif len(before[x]) == 1:
                found += ((code, to_b[before[x][0][1]]) in facing) / 2
        return found

    def _near(self, step: _Step) -> tuple[set[int], set[int]]:
        """The nodes of A and of B of which a step may change whether they are read otherwise."""
        a, b, to_b = self.matching.a, self.matching.b, self.matching.to_b
        ours = {step.at, step.to}
        theirs = {step.there, *_read(b, step.there)}
        for i in (step.at, step.to):
            if len(a.users[i]) <= HUB_DEGREE:
                for _, user in a.users[i]:
                    ours.add(user)
                    if to_b[user] >= 0:
                        theirs.update(_read(b, to_b[user]))
            for x in _read(a, i):
                ours.update((x, *_read(a, x)))
        return ours, theirs

    def _around(self, step: _Step, ours: set[int], theirs: set[int]) -> float:
        """What the two nodes of A are worth as they are matched now, less what is read otherwise.

        However many layers read another value in the place of one, it is one difference.
        """
        matching = self.matching
        a, b, to_b, to_a = matching.a, matching.b, matching.to_b, matching.to_a
        worth = sum(
            pair_score(matching, i, to_b[i]) + _SEEN * (_steps(a, i) == _steps(b, to_b[i]))
            for i in (step.at, step.to)
            if to_b[i] >= 0
        )
        return (
            worth
            - sum(_astray((a, to_b), (b, to_a), node) for node in ours)
            - sum(_astray((b, to_a), (a, to_b), node) for node in theirs)
        )


def _steps(graph: IndexedGraph, node: int) -> list[tuple[Step, ...]]:
    """In what order of axes, and the like, a layer sees each operand."""
    return sorted(operand.steps for operand in getattr(graph.nodes[node], "inputs", ()))


def _read(graph: IndexedGraph, node: int) -> Iterator[int]:
    return (x for _, x in graph.sources[node])


def _astray(ours: _Half, theirs: _Half, node: int) -> bool:
    """Whether a layer reads a value whose counterpart does not read that of the value.

    Layers that are left over may read one another, and one of a single operand hands it on.
    """
    graph, counterpart = ours
    if len(graph.users[node]) > HUB_DEGREE:
        return False
    there = counterpart[_past(ours, node)]
    if there < 0:
        return any(counterpart[user] >= 0 for _, user in graph.users[node])
    return not _handed_on(ours, theirs, node, there)


def _handed_on(ours: _Half, theirs: _Half, node: int, there: int, past: int = 1) -> bool:
    """Whether all that read a node have counterparts that read `there`, past one node or none."""
    graph, counterpart = ours
    return all(
        (past and len(graph.sources[user]) == 1 and _handed_on(ours, theirs, user, there, 0))
        if counterpart[user] < 0
        else any(
            code == other and there in (y, _past(theirs, y))
            for other, y in theirs[0].sources[counterpart[user]]
        )
        for code, user in graph.users[node]
    )


def _past(half: _Half, node: int) -> int:
    """What a node hands on, where it is left over and has a single operand."""
    graph, counterpart = half
    if counterpart[node] < 0 and len(graph.sources[node]) == 1:
        return graph.sources[node][0][1]
    return node
