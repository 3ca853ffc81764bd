"""What each pass and score of the search is worth: `make bench-diff.ablation` switches it off."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from subprocess import CalledProcessError

import msgspec
from rich.console import Console
from rich.table import Table

from evaluation import guide
from evaluation.pairs.building import graph_of
from evaluation.pairs.scoring import score
from evaluation.pairs.table import PAIRS
from evaluation.pairs.truth import NoTruthError, pairs_of, weighted
from modeldocs import diff, digest
from modeldocs.diff.diff import CONSEQUENCES
from modeldocs.errors import ModeldocsError
from modeldocs.ir import LayerGraph

from . import planting
from .page import PAGE
from .subjects import PLANTED, Subjects, planted
from .switches import PASSES, Switch, constants, whole

_HEADS = (
    "without",
    "F1 of planted graphs",
    "edits missed",
    "changes made up",
    "published: right",
    "wrong",
    "lines",
    "diffs of the catalog that change",
)
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
    """The material: planted graphs, pairs of published networks and of the catalog."""

    def __init__(self, seeds: range) -> None:
        self.seeds = seeds
        self.planted = planted(PLANTED)
        held = Subjects()
        self.own: list[tuple[str, LayerGraph, LayerGraph]] = []
        for a, b in held.pairs():
            ours, theirs = held.loaded[a].graph, held.loaded[b].graph
            assert ours is not None and theirs is not None
            self.own.append((f"{a} {b}", ours, theirs))
        self.published = list(_published())

    def measure(self, switch: Switch | None = None) -> Figures:
        """All figures, with something switched off in every process that works on it."""
        with switch.off() if switch else whole():
            told = planting.run(self.planted, self.seeds, (5, 20, 50))
            with ProcessPoolExecutor(2) as pool:
                counted = list(pool.map(_counted, self.published))
                diffs = dict(pool.map(_digest, self.own))
        tallies = told.both()
        total = planting.merged(tallies, (5, 20, 50))
        means = [value for tally in tallies.values() for value in tally.f1]
        right, wrong, lines = (sum(column) for column in zip(*counted, strict=True))
        missed = sum(total.planted.values()) - sum(total.found.values())
        made_up = total.told - total.explained
        return Figures(sum(means) / len(means), missed, made_up, right, wrong, lines, diffs)


def _published() -> Iterator[tuple[object, LayerGraph, LayerGraph]]:
    for pair in PAIRS:
        try:
            a, b = graph_of(pair.a), graph_of(pair.b)
            assert pair.truth is not None
            yield pairs_of(pair.truth, a, b), a, b
        except (ModeldocsError, NoTruthError, CalledProcessError):
            continue


def _counted(held: tuple[object, LayerGraph, LayerGraph]) -> tuple[int, int, int]:
    truth, a, b = held
    told = diff.compare(a, b)
    weights = ({layer.id for layer in weighted(a)}, {layer.id for layer in weighted(b)})
    found = score(truth, [(x.a, x.b, x.confidence) for x in told.matches], weights)  # type: ignore[arg-type]
    return found.right, found.wrong, sum(one.consequence in _GRAVE for one in told.changes)


def _digest(held: tuple[str, LayerGraph, LayerGraph]) -> tuple[str, str]:
    name, a, b = held
    return name, digest.of(msgspec.json.encode(diff.compare(a, b)))


def main() -> None:
    """Measure the diff whole, then without each thing that can be switched off."""
    asked = _arguments()
    console = Console(width=200)
    benches = Benches(range(asked.first, asked.first + asked.seeds))
    today = benches.measure()
    rows = [("nothing", *today.cells(today))]
    console.print(*rows[0], sep=" | ")
    for switch in constants() if asked.constants else PASSES:
        if asked.only.lower() in switch.name.lower():
            rows.append((switch.name, *benches.measure(switch).cells(today)))
            console.print(*rows[-1], sep=" | ")
    table = Table(*_HEADS, title="The search, with one thing switched off")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    if not asked.only and not asked.constants:
        lines = ["", guide.circumstances("bench-diff.ablation"), "", *guide.table(_HEADS, rows)]
        guide.write(PAGE, "bench-diff.ablation", lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-diff.ablation", description=__doc__)
    parser.add_argument("--first", type=int, default=1_000, help="first seed of the planted edits")
    parser.add_argument("--seeds", type=int, default=6, help="graphs planted a number of edits")
    parser.add_argument("--constants", action="store_true", help="half and twice each constant")
    parser.add_argument("--only", default="", metavar="NAME", help="switches whose name has this")
    return parser.parse_args()


if __name__ == "__main__":
    main()
