"""The mutation benchmark: edits planted in graphs of the catalog, and how they are told."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from time import process_time
from typing import Final

from modeldocs import diff
from modeldocs.graph import LayerGraph

from . import baseline
from .mutations import mutate
from .scoring import Judge, Score, score

EDITS: Final = (0, 1, 5, 20, 50)
"""Numbers of edits planted at once."""

Cell = tuple[str, int]


@dataclass(slots=True)
class Tally:
    """All seeds of one graph at one number of edits."""

    score: Score = field(default_factory=Score)
    f1: list[float] = field(default_factory=list)
    listed: list[float] = field(default_factory=list)
    """F1 of difflib on the same graphs."""
    seconds: list[float] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    """Seeds at which something was missed or made up, with what it was."""

    @property
    def mean(self) -> float:
        """Mean F1 of the mapping over the seeds."""
        return statistics.fmean(self.f1)

    @property
    def listed_mean(self) -> float:
        """Mean F1 of difflib's mapping."""
        return statistics.fmean(self.listed)


def run(graphs: dict[str, LayerGraph], seeds: int, jobs: int = 2) -> dict[Cell, Tally]:
    """Plant, compare and score every graph at every number of edits, `seeds` times."""
    cells = [(name, k) for name in graphs for k in EDITS]
    with ProcessPoolExecutor(jobs) as pool:
        tallies = pool.map(_tally, [(graphs[name], k, seeds) for name, k in cells])
        return dict(zip(cells, tallies, strict=True))


def _tally(work: tuple[LayerGraph, int, int]) -> Tally:
    graph, k, seeds = work
    tally = Tally()
    for seed in range(seeds):
        mutated = mutate(graph, k, seed)
        started = process_time()
        told = diff.compare(graph, mutated.graph)
        tally.seconds.append(process_time() - started)
        judge = Judge(graph, mutated)
        found = score(judge, told)
        listed = judge.mapping(baseline.matched(graph, mutated.graph))
        tally.f1.append(found.f1)
        tally.listed.append(listed.f1)
        tally.score.add(found)
        tally.cases += _cases(seed, found)
    return tally


def _cases(seed: int, found: Score) -> Iterator[str]:
    if found.missed or found.extra or found.wrong:
        missed = ", ".join(f"{edit.kind} {'+'.join(edit.old + edit.new)}" for edit in found.missed)
        extra = ", ".join(
            f"{kind} {attribute or ''} {pair}" for kind, attribute, pair in found.extra
        )
        yield f"seed {seed}: missed [{missed}] made up [{extra}] wrong {found.wrong}"


def merged(tallies: dict[Cell, Tally], edits: tuple[int, ...]) -> Score:
    """All graphs at these numbers of edits together."""
    total = Score()
    for (_, k), tally in tallies.items():
        if k in edits:
            total.add(tally.score)
    return total
