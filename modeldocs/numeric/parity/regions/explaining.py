"""Constants undone: a table of B is given what A's law or A's values say, and the networks are
decided anew. What makes fewer regions differ is what acts.

It needs no correspondence of the tables: one that A holds in another shape, repeated or turned,
has the same numbers in its law.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from modeldocs.diff import Ids, Law
from modeldocs.numeric.parity import lowering
from modeldocs.numeric.parity.regions import constants
from modeldocs.numeric.parity.regions.candidates import Candidate, Candidates, Undo
from modeldocs.numeric.parity.regions.measuring import RegionRuns
from modeldocs.numeric.parity.regions.search import SearchState

_SECONDS = 6.0
"""Time for undoing constants; what is not reached is not explained."""


@dataclass(frozen=True)
class ConstantDifference:
    """Regions that differ by a constant alone: its layers in A and in B, and how it differs.

    `numbers` are the groups that are equal with it undone.
    """

    pair: tuple[Ids, Ids]
    settings: tuple[str, ...]
    laws: tuple[Law, ...]
    numbers: tuple[int, ...]


Decided = Callable[[RegionRuns, frozenset[str]], SearchState]
"""Decides the regions of a network in which some layers of B were changed."""


def decided_without(state: SearchState, undone: Undo, decided: Decided) -> SearchState | None:
    """B with constants undone, decided anew; None where what is put in their place does not fit."""
    try:
        changed = lowering.lower(constants.replaced(state.runs.theirs.graph, undone))
    except Exception:  # the other side's table may make no sense here
        return None
    return decided(state.runs.of_model(changed), frozenset(layer for layer, _ in undone))


@dataclass
class Explaining:
    """Undoes constants of B as long as that makes fewer regions differ."""

    decided: Decided
    seconds: float = _SECONDS
    _candidates: Candidates = field(default_factory=Candidates)

    def of(self, state: SearchState) -> tuple[SearchState, list[ConstantDifference]]:
        """B with the constants undone that act, and what they were."""
        until = time.monotonic() + self.seconds
        explained: list[ConstantDifference] = []
        undone: Undo = {}
        while state.differing:
            found = self._next(state, undone, until)
            if found is None:
                break
            state, candidate, one = found
            undone |= candidate.undo
            explained.append(one)
        return state, explained

    def _next(
        self, state: SearchState, undone: Undo, until: float
    ) -> tuple[SearchState, Candidate, ConstantDifference] | None:
        """The first constant without which fewer regions differ."""
        for candidate in self._candidates.of(state, undone):
            if time.monotonic() > until:
                return None
            new = decided_without(state, undone | candidate.undo, self.decided)
            if new is not None and len(new.not_equal) < len(state.not_equal):
                gone = tuple(sorted(set(state.differing) - new.not_equal))
                pair = (
                    tuple(dict.fromkeys(one.layer for one in candidate.ours)),
                    tuple(dict.fromkeys(layer for layer, _ in candidate.undo)),
                )
                one = ConstantDifference(pair, candidate.settings, candidate.laws, gone)
                return new, candidate, one
        return None
