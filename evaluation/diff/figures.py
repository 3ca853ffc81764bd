"""The figures that the diff is held to: what each must be at least, and what was reached."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import known, planting
from .known import Answer
from .localisation import Located
from .pairs import Compared
from .planting import EDITS, Planted, Tally
from .scaling import Point
from .scoring import Score

_LARGEST = 50_000


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. `met` is None where nothing was measured."""

    name: str
    target: str
    reached: str
    met: bool | None


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything that one run of the benchmark measured."""

    planted: Planted
    answers: list[Answer]
    pairs: list[Compared]
    curve: list[Point]
    located: Located

    def figures(self) -> list[Figure]:
        """The table, in its order."""
        return [
            *_planted(self.planted),
            *_known(self.answers),
            _weights(self.pairs),
            *_speed(self.curve, self.pairs),
            *_located(self.located),
        ]


def _planted(planted: Planted) -> Iterator[Figure]:
    for told, tallies in (("as loaded", planted.plain), ("respelt", planted.respelt)):
        twenty = {name: tally for (name, k), tally in tallies.items() if k == 20}
        if twenty:
            yield from _worst(told, twenty)
    nothing: Score = planting.merged(planted.plain, (0,))
    yield Figure(
        "changes told after renaming and shuffling alone",
        "0",
        str(nothing.told),
        nothing.told == 0 and nothing.f1 == 1.0 if (EDITS[0] in _numbers(planted)) else None,
    )
    respelt: Score = planting.merged(planted.respelt, (0,))
    yield Figure(
        "changes other than of spelling, told of respelt graphs",
        "0",
        str(respelt.told),
        respelt.told == 0 if respelt.truth else None,
    )


def _numbers(planted: Planted) -> set[int]:
    return {k for _, k in planted.plain}


def _worst(told: str, tallies: dict[str, Tally]) -> Iterator[Figure]:
    """The graph on which each figure is lowest, with the best list of difflib on the same."""
    worst = min(tallies, key=lambda name: tallies[name].mean)
    mean, listed = tallies[worst].mean, tallies[worst].listed()
    name = f"at 20 edits, {told}, worst of {len(tallies)} graphs"
    yield Figure(
        f"mapping F1 {name}", "≥ 0.995", f"{mean:.4f} ({worst}; list {listed:.3f})", mean >= 0.995
    )
    behind = [name for name, tally in tallies.items() if tally.mean < tally.listed()]
    yield Figure(
        f"graphs whose lists are matched better by difflib, at 20 edits, {told}",
        "0",
        f"{len(behind)} of {len(tallies)}" + (f" ({', '.join(behind)})" if behind else ""),
        not behind,
    )
    for word, target in (("recall", 0.98), ("precision", 0.97)):
        shares = {name: getattr(tally.score, word) for name, tally in tallies.items()}
        worst = min(shares, key=lambda name: shares[name])
        score = tallies[worst].score
        counts = {
            "recall": _of(score.found, score.planted),
            "precision": f"{score.explained:,} of {score.told:,} changes",
        }
        yield _share(f"edit {word} {name}", shares[worst], target, f"{worst}: {counts[word]}")


def _of(found: dict[str, int], planted: dict[str, int]) -> str:
    return f"{sum(found.values()):,} of {sum(planted.values()):,} edits"


def _share(name: str, reached: float, target: float, told: str) -> Figure:
    return Figure(name, f"≥ {target}", f"{reached:.4f} ({told})", reached >= target)


def _known(answers: Sequence[Answer]) -> Iterator[Figure]:
    held = list(answers)
    for name, critical, target in (
        ("known differences of epsilon, padding and stride", True, 1.0),
        ("known differences, all", False, 0.95),
    ):
        found, lines = known.counted(held, critical=critical)
        reached = found / lines if lines else 0.0
        told = f"{reached:.1%} ({found} of {lines})"
        wanted = "all" if target == 1.0 else f"≥ {target:.0%}"
        yield Figure(name, wanted, told, reached >= target if lines else None)
    equal = [answer for answer in held if answer.equal and answer.outcome]
    alarms = known.false_alarms(held)
    yield Figure(
        "unexpected changes on pairs that are equal",
        "0",
        f"{alarms} on {len(equal)} pairs",
        alarms == 0 if equal else None,
    )


def _weights(pairs: Sequence[Compared]) -> Figure:
    foreign = [pair for pair in pairs if pair.foreign]
    mapped, weighted = (sum(getattr(x, name) for x in foreign) for name in ("mapped", "weighted"))
    return Figure(
        f"layers with weights mapped, {len(foreign)} pairs across frameworks",
        "100 %",
        f"{mapped / weighted:.2%} ({mapped:,} of {weighted:,})" if weighted else "none",
        mapped == weighted if weighted else None,
    )


def _speed(curve: Sequence[Point], pairs: Sequence[Compared]) -> Iterator[Figure]:
    large = [point for point in curve if point.layers >= 0.98 * _LARGEST]
    if large:
        slowest = max(large, key=lambda point: point.seconds or float("inf"))
        most = max((point.megabytes or 0) for point in large)
        seconds = slowest.seconds
        told = f"{seconds:.1f} s ({slowest.family})" if seconds else f"not done ({slowest.family})"
        name = f"{_LARGEST:,} layers on one core"
        yield Figure(name, "≤ 3 s", told, seconds is not None and seconds <= 3)
        name = f"{_LARGEST:,} layers, memory over the loaded graphs"
        yield Figure(name, "≤ 1 GB", f"{most:,.0f} MB", seconds is not None and most <= 1000)
    typical = [pair for pair in pairs if 100 <= pair.layers <= 1000]
    if typical:
        median = statistics.median(pair.seconds for pair in typical)
        slow = max(typical, key=lambda pair: pair.seconds)
        yield Figure(
            f"typical pair of 100–1,000 layers, median of {len(typical)}",
            "≤ 50 ms",
            f"{median * 1000:.0f} ms (slowest {slow.seconds * 1000:.0f} ms: {slow.a}, {slow.b})",
            median <= 0.05,
        )


def _located(located: Located) -> Iterator[Figure]:
    if located.faults:
        named = sum(fault.named for fault in located.faults)
        share = named / len(located.faults)
        yield Figure(
            "first divergence named exactly, planted numeric faults",
            "≥ 98 %",
            f"{share:.1%} ({named} of {len(located.faults)})",
            share >= 0.98,
        )
    if located.selves:
        yield Figure(
            f"false alarms of parity on {located.selves} self-pairs",
            "0 on 200",
            str(len(located.alarms)),
            (located.selves >= 200 or None) if not located.alarms else False,
        )
