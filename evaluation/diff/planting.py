"""The mutation benchmark: edits planted in graphs, some respelt, and how they are told."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from time import process_time
from typing import Final

from modeldocs import diff
from modeldocs.diff import Diff
from modeldocs.ir import LayerGraph
from modeldocs.loaders.loading import LoadedPort

from . import baseline
from .mutations import Mutated, mutate
from .respelt import Respelt, respelt, unchanged
from .scoring import Judge, Pair, Score, score

EDITS: Final = (0, 1, 5, 20, 50)
"""Numbers of edits planted at once."""

SPELLINGS: Final = 4
"""Every other graph is respelt, in one of so many ways."""

Cell = tuple[str, int]


@dataclass(slots=True)
class Tally:
    """All seeds of one graph at one number of edits."""

    score: Score = field(default_factory=Score)
    f1: list[float] = field(default_factory=list)
    lists: dict[str, list[float]] = field(default_factory=dict)
    """F1 of difflib on the same graphs, by what the lists show, and of the best list of each."""
    seconds: list[float] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    """Lines that tell what was missed and what was made up."""

    @property
    def mean(self) -> float:
        """Mean F1 of the mapping over the seeds."""
        return statistics.fmean(self.f1)

    def listed(self, way: str = "best") -> float:
        """Mean F1 of difflib's mapping."""
        return statistics.fmean(self.lists[way])

    def add(self, other: Tally) -> None:
        """Count another graph's seeds as well."""
        self.score.add(other.score)
        self.f1 += other.f1
        self.seconds += other.seconds
        for way, held in other.lists.items():
            self.lists.setdefault(way, []).extend(held)


@dataclass(slots=True)
class Planted:
    """What was measured: graphs as they were loaded, and the same graphs respelt."""

    plain: dict[Cell, Tally]
    respelt: dict[Cell, Tally]

    def both(self) -> dict[Cell, Tally]:
        """All seeds of each graph at each number of edits."""
        found = {}
        for cell in self.plain:
            found[cell] = Tally()
            for part in (self.plain, self.respelt):
                if cell in part:
                    found[cell].add(part[cell])
        return found


def run(
    ports: dict[str, LoadedPort],
    seeds: Iterable[int],
    edits: tuple[int, ...] = EDITS,
    jobs: int = 2,
) -> Planted:
    """Plant, compare and score every graph at every number of edits, once a seed.

    Even seeds are of the graph as it was loaded, odd ones of one that was respelt.
    """
    seeds = tuple(seeds)
    cells = [(name, k) for name in ports for k in edits]
    with ProcessPoolExecutor(jobs) as pool:
        done = pool.map(_tallies, [(name, ports[name], k, seeds) for name, k in cells])
        held = dict(zip(cells, done, strict=True))
    plain = {cell: both[0] for cell, both in held.items() if both[0].f1}
    return Planted(plain, {cell: both[1] for cell, both in held.items() if both[1].f1})


_bases: dict[tuple[str, int], Respelt] = {}
"""Respelt graphs that this process has made."""


def _tallies(work: tuple[str, LoadedPort, int, tuple[int, ...]]) -> tuple[Tally, Tally]:
    name, loaded, k, seeds = work
    assert loaded.graph is not None
    tallies = Tally(), Tally()
    for seed in seeds:
        _plant(tallies[seed % 2], loaded.graph, base(name, loaded, seed), k, seed)
    return tallies


def base(name: str, loaded: LoadedPort, seed: int) -> Respelt:
    """The graph that edits are planted in: respelt for odd seeds, else as it was loaded."""
    assert loaded.graph is not None
    if seed % 2 == 0:
        return unchanged(loaded.graph)
    spelling = seed // 2 % SPELLINGS
    if (name, spelling) not in _bases:
        _bases[name, spelling] = respelt(loaded.graph, loaded.onnx, spelling)
    return _bases[name, spelling]


def _plant(tally: Tally, graph: LayerGraph, source: Respelt, k: int, seed: int) -> None:
    mutated = mutate(graph, k, seed, source)
    started = process_time()
    told = diff.compare(graph, mutated.graph)
    tally.seconds.append(process_time() - started)
    judge = Judge(graph, mutated)
    found = score(judge, told)
    tally.f1.append(found.f1)
    best = 0.0
    for way, line in baseline.LISTS.items():
        pairs = baseline.matched(graph, mutated.graph, mutated.listed, line)
        f1 = judge.mapping(pairs).f1
        tally.lists.setdefault(way, []).append(f1)
        best = max(best, f1)
    tally.lists.setdefault("best", []).append(best)
    tally.score.add(found)
    tally.cases += _cases(seed, graph, mutated, told, found)


def _cases(
    seed: int, graph: LayerGraph, mutated: Mutated, told: Diff, found: Score
) -> Iterator[str]:
    """What was missed, made up and matched wrong, with the layers' names in the old graph."""
    names, made = graph.names(), {layer.id: layer for layer in mutated.graph.layers}
    became = {new: old for olds, news in mutated.mapping for old, new in zip(olds, news)}  # noqa: B905

    def new(name: str) -> str:
        """A new layer by its old name; one that came by its operator and what it reads."""
        if name in became or name not in made:
            return names.get(became.get(name, name), name)
        read = [names.get(became.get(x.value, ""), "") for x in made[name].inputs]
        return f"{made[name].operator} {name} behind {', '.join(filter(None, read)) or 'another'}"

    def both(pair: Pair) -> str:
        told = [names.get(name, name) for name in pair[0]], [new(name) for name in pair[1]]
        return " | ".join(" + ".join(side) or "–" for side in told)

    for edit in found.missed:
        what = f"{edit.attribute or ''} {edit.before} → {edit.after}"
        yield f"seed {seed}: missed {edit.kind} {what}: {both((edit.old, edit.new))}"
    lines: dict[int, list[Pair]] = {}
    for number, pair in found.extra:
        lines.setdefault(number, []).append(pair)
    for number, pairs in lines.items():
        change = told.changes[number]
        yield (
            f"seed {seed}: made up ({len(pairs)} of {len(change.pairs)}) "
            f"{change.consequence} {change.kind}: {change.title}: {both(pairs[0])}"
        )
    if found.wrong:
        first = ", ".join(both(((a,), (b,))) for a, b in found.wrong[:3])
        yield f"seed {seed}: {len(found.wrong)} matches wrong: {first}"


def merged(tallies: dict[Cell, Tally], edits: tuple[int, ...]) -> Score:
    """All graphs at these numbers of edits together."""
    total = Score()
    for (_, k), tally in tallies.items():
        if k in edits:
            total.add(tally.score)
    return total
