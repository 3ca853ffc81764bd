"""How much of a pair's truth a mapping has, and how much beside it."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from time import process_time
from typing import Final

from modeldocs import diff
from modeldocs.diff import Diff
from modeldocs.ir import LayerGraph

from .baselines import BASELINES, matched
from .truth import Pairs, Truth, pairs_of, weighted

SURE: Final = 0.9
"""From this confidence on, a match must not be wrong."""

_REPEATS: Final = 3

Claim = tuple[tuple[str, ...], tuple[str, ...], float]


@dataclass(frozen=True, slots=True)
class Score:
    """Pairs of weighted layers: those of the truth that were mapped, and those mapped falsely.

    `sure` counts the false ones of a confidence of at least `SURE`.
    """

    right: int
    wrong: int
    sure: int = 0

    @property
    def rank(self) -> tuple[int, int]:
        """Greater is better."""
        return self.right, -self.wrong


@dataclass(frozen=True, slots=True)
class Compared:
    """One pair: how many there are to map, our score, each baseline's, and our diff.

    A diff that could not be made has mapped nothing; then it is the reason.
    """

    truth: int
    ours: Score
    baselines: dict[str, Score]
    diff: Diff | str
    seconds: float

    @property
    def best(self) -> str:
        """The baseline that is ahead of the others."""
        return max(self.baselines, key=lambda name: self.baselines[name].rank)

    @property
    def ahead(self) -> bool:
        """Whether every baseline is worse; where all is right there is nothing to be ahead by."""
        return self.whole or self.ours.rank > self.baselines[self.best].rank

    @property
    def whole(self) -> bool:
        """Whether all is mapped right, and nothing else is mapped."""
        return self.ours.rank == (self.truth, 0)


def compare(truth: Truth, a: LayerGraph, b: LayerGraph) -> Compared:
    """Hold the diff of two networks and every baseline against the truth.

    Raises:
        NoTruthError: the truth does not fit the networks.
    """
    known = pairs_of(truth, a, b)
    weights = ({layer.id for layer in weighted(a)}, {layer.id for layer in weighted(b)})
    told, seconds = timed(a, b)
    matches = told.matches if isinstance(told, Diff) else ()
    claims = [(match.a, match.b, match.confidence) for match in matches]
    listed = {name: matched(a, b, row) for name, row in BASELINES.items()}
    return Compared(
        len(known),
        score(known, claims, weights),
        {
            name: score(known, [((x,), (y,), 0.0) for x, y in pairs], weights)
            for name, pairs in listed.items()
        },
        told,
        seconds,
    )


def timed(a: LayerGraph, b: LayerGraph) -> tuple[Diff | str, float]:
    """The diff, or the error that it ends with, and the median of its seconds of processor time."""
    seconds = []
    for _ in range(_REPEATS):
        started = process_time()
        try:
            told = diff.compare(a, b)
        except Exception as error:
            return f"{type(error).__name__}: {error}", 0.0
        seconds.append(process_time() - started)
    return told, statistics.median(seconds)


def score(truth: Pairs, claims: Iterable[Claim], weights: tuple[set[str], set[str]]) -> Score:
    """Count claims of weighted layers.

    A claim of several layers is right in each pair of the truth that it holds; wrong in each
    layer whose counterparts it does not hold all, or, where it has none, in one that the claim
    does not name as a piece beside one that is right.
    """
    right, wrong, sure = 0, 0, 0
    for a, b, confidence in claims:
        ours, theirs = [x for x in a if x in weights[0]], [y for y in b if y in weights[1]]
        if not ours or not theirs:
            continue
        held = {(x, y) for x in ours for y in theirs} & truth
        false = _false(ours, theirs, held)
        right, wrong = right + len(held), wrong + false
        sure += false if confidence >= SURE else 0
    return Score(right, wrong, sure)


def _false(ours: list[str], theirs: list[str], held: set[tuple[str, str]]) -> int:
    """Layers of a claim that have no counterpart in it, on the side that has more of them."""
    return max(
        len(set(ours) - {x for x, _ in held}),
        len(set(theirs) - {y for _, y in held}),
    )
