"""Gaps shifted: unmatched layers in a row of equal ones moved to where they fit best.

Which of some equal layers are missing shows in what other layers read: of two equal sums the one
that is left of a residual block is that whose operands are there.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.similarity import confidence, same_operator
from modeldocs.diff.indexing.edges import HUB_DEGREE, Edge, connected_components
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.refinement.pair_score import pair_score
from modeldocs.ir import Step

_MOST: Final = 2_000
"""Layers that one gap is shifted past, and unmatched layers that are tried."""

_LEAST_GAIN: Final = 0.001
"""A gain above any error of rounding, and below any difference of scores."""

_SAME_STEPS: Final = 0.5
"""What it adds to a pair that both read their operands through the same steps. With 0.25 or 1.0 no
diff of tests/diff or of the catalog changes."""

_LEAST_CONFIDENCE: Final = 0.4
"""Confidence of a pair without any similarity, matched because of its edges."""

_Half = tuple[IndexedGraph, list[int]]
"""A graph, and the counterpart of each of its nodes."""


@dataclass(slots=True)
class _Shift:
    """Node `to` of A takes the counterpart of `at`, which is node `there` of B."""

    at: int
    to: int
    there: int


def shift_gaps(matching: Matching) -> None:
    """Shift unmatched layers of A, then of B, to where more edges are kept and fewer broken."""
    for mirrored in (False, True):
        seen = matching.mirrored() if mirrored else matching
        for down in (True, False):
            _shift_all(matching, seen, mirrored=mirrored, down=down)


def _shift_all(matching: Matching, seen: Matching, *, mirrored: bool, down: bool) -> None:
    unmatched = seen.unmatched_a()
    if len(unmatched) > _MOST:
        return
    for component in connected_components(unmatched, seen.a.neighbours):
        if any(seen.to_b[i] < 0 for i in component):
            for shift in _GapShifting(seen, down=down).best(component):
                _apply(matching, shift, mirrored=mirrored)


def _apply(matching: Matching, shift: _Shift, *, mirrored: bool) -> None:
    """Match as a shift says; a matching and its mirror image share their pairs."""
    if mirrored:
        taken, i, j = shift.there, shift.there, shift.to
    else:
        taken, i, j = shift.at, shift.to, shift.there
    matching.unmatch(taken)
    certainty = confidence(matching, i, j, _LEAST_CONFIDENCE)
    matching.match(i, j, "the same layer by its operands", certainty)


class _GapShifting:
    """Unmatched nodes of A shifted in one direction, tried on the matching and taken back."""

    def __init__(self, matching: Matching, *, down: bool) -> None:
        self.matching, self.down = matching, down
        a, b = matching.a, matching.b
        self.before = (a.sources, b.sources) if down else (a.users, b.users)
        self.behind = (a.users, b.users) if down else (a.sources, b.sources)
        self.heap: list[tuple[int, int]] = []
        self.queued: set[int] = set()

    def best(self, unmatched: list[int]) -> list[_Shift]:
        """The shifts up to where the matching is best; none where it is best as it is."""
        to_b, to_a = self.matching.to_b, self.matching.to_a
        for i in unmatched:
            self._queue(i)
        shifts: list[_Shift] = []
        gain, most, length = 0.0, _LEAST_GAIN, 0
        while self.heap and len(shifts) < _MOST:
            there = abs(heapq.heappop(self.heap)[1])
            shift = self._shift(there)
            if shift is None:
                continue
            near = self._affected(shift)
            before = self._score(shift, *near)
            to_b[shift.at], to_b[shift.to], to_a[there] = -1, there, shift.to
            gain += self._score(shift, *near) - before
            shifts.append(shift)
            if gain > most:
                most, length = gain, len(shifts)
            self._queue_behind(there)
        for shift in reversed(shifts):
            to_b[shift.to], to_b[shift.at], to_a[shift.there] = -1, shift.there, shift.at
        return shifts[:length]

    def _queue(self, i: int) -> None:
        """Queue the readers in B of the counterparts of an unmatched node's operands."""
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

    def _shift(self, there: int) -> _Shift | None:
        """The unmatched node that fits a node of B better than its counterpart, by its operands."""
        matching = self.matching
        at = matching.to_a[there]
        if at < 0:
            return None
        edges = set(self.before[1][there])
        current = self._shared(self.before[0][at], edges)
        candidates = {
            i
            for _, y in self.before[1][there]
            if (x := matching.to_a[y]) >= 0 and len(self.behind[0][x]) <= HUB_DEGREE
            for i in self._unmatched_behind(x)
            if same_operator(matching, i, there)
        }
        ranked = [(self._shared(self.before[0][i], edges), -i) for i in candidates]
        if not ranked or max(ranked)[0] <= current:
            return None
        return _Shift(at, -max(ranked)[1], there)

    def _unmatched_behind(self, x: int) -> Iterator[int]:
        """Unmatched nodes behind a node, and behind one of these that does not branch."""
        for _, i in self.behind[0][x]:
            if self.matching.to_b[i] < 0:
                yield i
                if len(self.before[0][i]) == 1 == len(self.behind[0][i]):
                    after = self.behind[0][i][0][1]
                    if self.matching.to_b[after] < 0:
                        yield after

    def _shared(self, ours: list[Edge], theirs: set[Edge]) -> float:
        """How many edges lead to one pair; half for those past one unmatched node."""
        before, to_b = self.before[0], self.matching.to_b
        shared = 0.0
        for code, x in ours:
            if to_b[x] >= 0:
                shared += (code, to_b[x]) in theirs
            elif len(before[x]) == 1:
                shared += ((code, to_b[before[x][0][1]]) in theirs) / 2
        return shared

    def _affected(self, shift: _Shift) -> tuple[set[int], set[int]]:
        """The nodes of A and of B whose readers may correspond otherwise after a shift."""
        a, b, to_b = self.matching.a, self.matching.b, self.matching.to_b
        ours = {shift.at, shift.to}
        theirs = {shift.there, *_read(b, shift.there)}
        for i in (shift.at, shift.to):
            if len(a.users[i]) <= HUB_DEGREE:
                for _, user in a.users[i]:
                    ours.add(user)
                    if to_b[user] >= 0:
                        theirs.update(_read(b, to_b[user]))
            for x in _read(a, i):
                ours.update((x, *_read(a, x)))
        return ours, theirs

    def _score(self, shift: _Shift, ours: set[int], theirs: set[int]) -> float:
        """The score of the two nodes of A as they are matched now, less the values misread.

        A value that any layer misreads counts once, however many do.
        """
        matching = self.matching
        a, b, to_b, to_a = matching.a, matching.b, matching.to_b, matching.to_a
        score = sum(
            pair_score(matching, i, to_b[i]) + _SAME_STEPS * (_steps(a, i) == _steps(b, to_b[i]))
            for i in (shift.at, shift.to)
            if to_b[i] >= 0
        )
        return (
            score
            - sum(_is_misread((a, to_b), (b, to_a), node) for node in ours)
            - sum(_is_misread((b, to_a), (a, to_b), node) for node in theirs)
        )


def _steps(graph: IndexedGraph, node: int) -> Counter[tuple[Step, ...]]:
    """The steps through which a layer reads its operands, whatever their order."""
    return Counter(operand.steps for operand in getattr(graph.nodes[node], "inputs", ()))


def _read(graph: IndexedGraph, node: int) -> Iterator[int]:
    return (x for _, x in graph.sources[node])


def _is_misread(ours: _Half, theirs: _Half, node: int) -> bool:
    """Whether a layer reads a node, but its counterpart does not read the node's counterpart.

    An unmatched layer of one operand is passed, in either graph; only unmatched layers may read
    another unmatched one.
    """
    graph, counterpart = ours
    if len(graph.users[node]) > HUB_DEGREE:
        return False
    there = counterpart[_past(ours, node)]
    if there < 0:
        return any(counterpart[user] >= 0 for _, user in graph.users[node])
    return not _all_read(ours, theirs, node, there)


def _all_read(ours: _Half, theirs: _Half, node: int, there: int, passing: int = 1) -> bool:
    """Whether the counterparts of all readers of a node read `there`.

    Up to `passing` unmatched readers of one operand are passed, to their readers.
    """
    graph, counterpart = ours
    return all(
        (passing and len(graph.sources[user]) == 1 and _all_read(ours, theirs, user, there, 0))
        if counterpart[user] < 0
        else any(
            code == other and there in (y, _past(theirs, y))
            for other, y in theirs[0].sources[counterpart[user]]
        )
        for code, user in graph.users[node]
    )


def _past(half: _Half, node: int) -> int:
    """The operand of an unmatched node that has only one; any other node itself."""
    graph, counterpart = half
    if counterpart[node] < 0 and len(graph.sources[node]) == 1:
        return graph.sources[node][0][1]
    return node
