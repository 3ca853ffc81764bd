"""What the search is measured on: planted graphs, published networks, and pairs of the catalog."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from statistics import fmean
from subprocess import CalledProcessError

import msgspec

from evaluation.pairs.building import graph_of
from evaluation.pairs.scoring import score
from evaluation.pairs.table import PAIRS
from evaluation.pairs.truth import NoTruthError, Pairs, pairs_of, weighted
from modeldocs import diff, digest
from modeldocs.diff.diff import CONSEQUENCES
from modeldocs.errors import ModeldocsError
from modeldocs.ir import LayerGraph
from modeldocs.loaders.loading import LoadedPort

from . import planting
from .mutations import Mutated, mutate
from .subjects import PLANTED, Subjects, planted
from .switches import Switch, whole

_EDITS = (5, 20, 50)
_PROCESSES = 2
_GRAVE = CONSEQUENCES[: CONSEQUENCES.index("spelling")]


@dataclass(frozen=True, slots=True)
class Figures:
    """What the benches say of the diff as it is, or with something switched off."""

    f1: float
    missed: int
    made_up: int
    right: int
    wrong: int
    lines: int
    """Changes graver than spelling, of pairs of published networks that are one model."""
    diffs: dict[str, str] = field(default_factory=dict)
    """Digests of the diffs of the catalog's pairs."""

    def cells(self, today: Figures) -> tuple[str, ...]:
        """Cells of a row; a figure that is as in `today` is a dot."""
        named = ("f1", "missed", "made_up", "right", "wrong", "lines")
        held = [(getattr(self, name), getattr(today, name)) for name in named]
        changed = sum(self.diffs[pair] != today.diffs[pair] for pair in self.diffs)
        texts = ["·" if a == b and self is not today else _text(a) for a, b in held]
        return (*texts, str(changed or "·"))


def _text(figure: float) -> str:
    return f"{figure:.5f}" if isinstance(figure, float) else f"{figure:,}"


class Benches:
    """The material, made once: planted graphs, pairs of published networks and of the catalog."""

    def __init__(self, seeds: range) -> None:
        graphs = planted(PLANTED)
        work = [(name, graphs[name], count, seeds) for name in graphs for count in _EDITS]
        with ProcessPoolExecutor(_PROCESSES) as pool:
            self.planted = [one for some in pool.map(_planted, work) for one in some]
        held = Subjects()
        self.own = [(f"{a} {b}", *map(held.graph, (a, b))) for a, b in held.pairs()]
        self.published = list(_published())

    def measure(self, switch: Switch | None = None) -> Figures:
        """All figures, with something switched off in every process that works on it."""
        global _material
        _material = self  # the processes have it by forking
        with switch.off() if switch else whole(), ProcessPoolExecutor(_PROCESSES) as pool:
            scores = list(pool.map(_scored, range(len(self.planted)), chunksize=4))
            counted = list(pool.map(_counted, range(len(self.published))))
            diffs = dict(pool.map(_digest, range(len(self.own)), chunksize=4))
        right, wrong, lines = (sum(column) for column in zip(*counted, strict=True))
        f1, missed, made_up = zip(*scores, strict=True)
        return Figures(fmean(f1), sum(missed), sum(made_up), right, wrong, lines, diffs)


_material: Benches
"""What the processes measure on."""


def _planted(work: tuple[str, LoadedPort, int, range]) -> list[tuple[LayerGraph, Mutated]]:
    name, loaded, count, seeds = work
    assert loaded.graph is not None
    bases = (planting.base(name, loaded, seed) for seed in seeds)
    return [
        (loaded.graph, mutate(loaded.graph, count, seed, base))
        for seed, base in zip(seeds, bases, strict=True)
    ]


def _scored(number: int) -> tuple[float, int, int]:
    """F1 of the mapping, edits missed and changes made up."""
    graph, mutated = _material.planted[number]
    found = planting.score(planting.Judge(graph, mutated), diff.compare(graph, mutated.graph))
    return found.f1, len(found.missed), found.told - found.explained


def _published() -> Iterator[tuple[Pairs, LayerGraph, LayerGraph]]:
    for pair in PAIRS:
        try:
            a, b = graph_of(pair.a), graph_of(pair.b)
            assert pair.truth is not None
            yield pairs_of(pair.truth, a, b), a, b
        except (ModeldocsError, NoTruthError, CalledProcessError):
            continue


def _counted(number: int) -> tuple[int, int, int]:
    """Weighted layers mapped rightly and wrongly, and lines."""
    truth, a, b = _material.published[number]
    told = diff.compare(a, b)
    weights = ({layer.id for layer in weighted(a)}, {layer.id for layer in weighted(b)})
    found = score(truth, [(x.a, x.b, x.confidence) for x in told.matches], weights)
    return found.right, found.wrong, sum(one.consequence in _GRAVE for one in told.changes)


def _digest(number: int) -> tuple[str, str]:
    name, a, b = _material.own[number]
    return name, digest.of(msgspec.json.encode(diff.compare(a, b)))
