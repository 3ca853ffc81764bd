"""The truth of a pair: both networks run in their own frameworks, with the same weights.

A's checkpoint is drawn at random (no bias is 0, no scale 1, statistics of norms are not those of
the start), carried into B by the rules of the pair, and loaded strictly: every weight of A has to
be used, every learned one of B to be set. Both are run at inference on the same inputs, drawn
twice, and drawn for another batch.
"""

from __future__ import annotations

import csv
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from modeldocs.loaders import LoadRequest

from ..maps import applying, worker
from ..pairs.building import request_of
from ..pairs.nets import Net
from .pairs import Published, Values
from .rules import Arrays, applied

FILE: Final = Path(__file__).with_name("truth.tsv")
SAME: Final = 1e-4
"""Relative error of outputs up to which two networks are one function."""
APART: Final = 1e-3
"""Relative error of outputs from which they are not; between the two nothing is known."""

_LEAST, _WORDS = 3, 100
"""Numbers of words that are drawn: the first ones are often padding and the like."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What was measured of a pair.

    `same` is the relative error of the worst draw; `moves` how far the outputs of A for two inputs
    are apart, without which equal outputs would show nothing. `failure` says why nothing is known.
    """

    pair: str
    kind: str
    error: float | None = None
    moves: float | None = None
    weights: int = 0
    failure: str = ""

    @property
    def holds(self) -> bool:
        """Whether the measurement confirms the kind of the pair."""
        if self.failure or self.error is None or self.moves is None or self.moves < APART:
            return False
        return self.error > APART if self.kind == "different" else self.error <= SAME


@dataclass(frozen=True, slots=True)
class _Subject:
    framework: str
    environment: str
    request: LoadRequest


def measured(pairs: Sequence[Published], folder: Path) -> Iterator[Truth]:
    """Run both networks of every pair: all of A first, then all of B with the weights of A."""
    runs = [_Run(pair, folder / str(number)) for number, pair in enumerate(pairs)]
    for run in runs:
        run.attempt(run.prepare_a)
    _execute([(run, run.a, run.subjects[0]) for run in runs if not run.failure])
    for run in runs:
        run.attempt(run.prepare_b)
    _execute([(run, run.b, run.subjects[1]) for run in runs if not run.failure])
    for run in runs:
        yield run.truth()


class _Run:
    """A pair while its truth is measured; `failure` is why it cannot be."""

    def __init__(self, pair: Published, folder: Path) -> None:
        self.pair = pair
        self.a, self.b = folder / "a", folder / "b"
        self.subjects = _subject(pair.a), _subject(pair.b)
        self.draws = [pair.draw(_drawn(pair.a, seed, batch)) for seed, batch in _draws(pair)]
        self.learned = 0
        self.failure = ""

    def attempt(self, step: Callable[[], None]) -> None:
        """Do a step of it, if nothing failed before."""
        if not self.failure:
            try:
                step()
            except (KeyError, ValueError) as error:
                self.failure = f"{type(error).__name__}: {error}"

    def prepare_a(self) -> None:
        """Write what A's run reads."""
        given = _together(self.draws)
        applying.prepare(self.a, self.subjects[0], given, draws=len(self.draws))

    def prepare_b(self) -> None:
        """Write what B's run reads: A's weights, by the rules."""
        held = worker.read(self.a / "weights.npz")
        learned = {name: held[name] for name in applying.report_of(self.a).learned}
        self.learned = len(learned)
        fed = _together([self.pair.feed(one) for one in self.draws])
        weights = applied(self.pair.rules, learned)
        applying.prepare(self.b, self.subjects[1], fed, weights, len(self.draws))

    def truth(self) -> Truth:
        """What both returned, compared."""
        found = Truth(self.pair.name, self.pair.kind)
        try:
            if not self.failure:
                found = self._compared()
        except ValueError as error:
            self.failure = str(error)
        return replace(found, failure=self.failure)

    def _compared(self) -> Truth:
        reports = applying.report_of(self.a), applying.report_of(self.b)
        _check(self.pair, reports[1])
        ours = _outputs(self.a, reports[0], len(self.draws))
        theirs = _outputs(self.b, reports[1], len(self.draws))
        pair = self.pair
        seen = [(pair.ours(x), pair.theirs(y)) for x, y in zip(ours, theirs, strict=True)]
        error = max(_apart(x, y) for x, y in seen)
        return Truth(pair.name, pair.kind, error, _apart(seen[0][0], seen[1][0]), self.learned)


def _execute(jobs: Sequence[tuple[_Run, Path, _Subject]]) -> None:
    """Run what was prepared, those of one environment in one process; one that fails is marked."""
    environments: dict[str, list[tuple[_Run, Path, _Subject]]] = defaultdict(list)
    for job in jobs:
        environments[job[2].environment].append(job)
    for waiting in environments.values():
        while waiting:
            try:
                applying.run_prepared([folder for _, folder, _ in waiting], waiting[0][2])
                break
            except subprocess.CalledProcessError as error:
                waiting[:] = [job for job in waiting if not (job[1] / "report.json").is_file()]
                failed = waiting.pop(0)[0]
                failed.failure = error.stderr.decode().strip().rpartition("\n")[2]


def _draws(pair: Published) -> list[tuple[int, int]]:
    """Seeds and how many times the batch of the inputs."""
    return [(0, 1), (1, 1), *([(2, 2)] if pair.batched else [])]


def _drawn(net: Net, seed: int, batch: int) -> Values:
    random = np.random.default_rng(seed)
    found: Values = []
    for told in net.inputs.values():
        shape, kind = told if isinstance(told[0], tuple) else (told, "float32")
        size = (batch * shape[0], *shape[1:]) if shape else shape
        if kind.startswith("int"):
            found.append(random.integers(_LEAST, _WORDS, size).astype(kind))
        else:
            found.append(random.standard_normal(size).astype(kind))
    return found


def _together(draws: Sequence[Values]) -> Arrays:
    return {f"{n}/{i}": one for n, draw in enumerate(draws) for i, one in enumerate(draw)}


def _subject(net: Net) -> _Subject:
    return _Subject(net.framework, net.environment, request_of(net))


def _check(pair: Published, report: worker.Report) -> None:
    """The rules carry every weight of A, and set every learned one of B.

    Raises:
        ValueError: they do not.
    """
    unset = [one for one in report.unset if not (pair.unset and re.search(pair.unset, one))]
    wrong = {"no place": report.absent, "another shape": report.shapes, "unset": unset}
    told = [
        f"{word}: {', '.join(names[:6])} ({len(names)})" for word, names in wrong.items() if names
    ]
    if told:
        raise ValueError("; ".join(told))


def _outputs(folder: Path, report: worker.Report, draws: int) -> list[Values]:
    values = list(worker.read(folder / "outputs.npz").values())
    size = report.outputs
    return [values[n * size : (n + 1) * size] for n in range(draws)]


def _apart(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest difference, relative to the largest number less the mean."""
    if ours.shape != theirs.shape:
        raise ValueError(f"outputs of shapes {ours.shape} and {theirs.shape}")
    first, second = ours.astype(np.float64), theirs.astype(np.float64)
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("outputs are not finite")
    scale = float(np.abs(first - first.mean()).max()) or 1.0
    return float(np.abs(first - second).max() / scale)


def read(file: Path = FILE) -> dict[str, Truth]:
    """What was measured, by pair."""
    with file.open(newline="") as stream:
        return {
            row["pair"]: Truth(
                row["pair"],
                row["kind"],
                float(row["error"]),
                float(row["moves"]),
                int(row["weights"]),
            )
            for row in csv.DictReader(stream, delimiter="\t")
        }


def write(found: Sequence[Truth], file: Path = FILE) -> None:
    """Write what was measured."""
    lines = ["pair\tkind\terror\tmoves\tweights"]
    lines += [
        f"{one.pair}\t{one.kind}\t{one.error:.1e}\t{one.moves:.1e}\t{one.weights}" for one in found
    ]
    file.write_text("\n".join(lines) + "\n")
