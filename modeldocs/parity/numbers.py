"""Both networks run: free, each on its own activations, and every layer alone on equal inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from modeldocs.numerics.closeness import COARSE, LAYER, Difference, apart, distance
from modeldocs.parity import cutting, layout, resuming, spelled
from modeldocs.parity.attempt import Attempt
from modeldocs.parity.design import Draws
from modeldocs.parity.feeding import Feeding, UnfedError, dtype
from modeldocs.parity.side import Side
from modeldocs.parity.unit import Half, Unit

Arrays = dict[str, np.ndarray]
Measure = Callable[[np.ndarray, np.ndarray], Difference]

_AT_ONCE = 1024 * 2**20
"""Bytes of activations that are held at a time. A network runs again for each further part."""


@dataclass
class Network:
    """One side with its weights and what it is fed."""

    side: Side
    weights: Arrays
    inputs: Arrays
    sizes: Mapping[str, float] = field(default_factory=dict)
    """How large what each layer gives was designed to be."""

    def free(self) -> Attempt:
        """The network as it is, ready to run."""
        return Attempt(spelled.whole(self.side.model), self.weights | self.inputs)


@dataclass
class Numbers:
    """What was found: by unit, the error of its layers free and alone, and why there is none."""

    free: dict[int, Difference] = field(default_factory=dict)
    alone: dict[int, Difference] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    """Why a unit could not be run alone."""
    unrun: dict[int, str] = field(default_factory=dict)
    """Why a unit could not be run in its network."""
    given: set[int] = field(default_factory=set)
    """Units that could not be run, and in whose place both networks were given the same."""


def names(half: Half) -> list[str]:
    """Names of the values that a group gives."""
    return [str(value.name) for value in half.gives]


def chunks(side: Side, units: list[Unit], numbers: Iterable[int]) -> Iterator[list[int]]:
    """Those numbers of units whose activations can be held at once, in their order."""
    held: list[int] = []
    size = 0
    for number in numbers:
        layers = [side.layers[name] for name in units[number].a.ids]
        own = 2 * sum(layer.activation_bytes or 0 for layer in layers)
        if held and size + own > _AT_ONCE:
            yield held
            held, size = [], 0
        held.append(number)
        size += own
    if held:
        yield held


def run_free(a: Network, b: Network, units: list[Unit], draws: Draws, found: Numbers) -> Arrays:
    """Both networks on their own activations. Gives those of A that are no floats.

    Behind what onnxruntime refuses both go on with the same made-up numbers.
    """
    free = _Free(a, b, units, found)
    free.run(range(len(units)))
    while given := resuming.substitutes(a.side, b.side, units, found.unrun, found.given, draws):
        for ours, theirs in given.values():
            free.ours.give(ours)
            free.theirs.give(theirs)
            free.left |= ours
        found.given |= set(given)
        waiting = [i for i in sorted(found.unrun) if i not in found.given]
        for i in waiting:
            del found.unrun[i]
        free.run(waiting)
    return free.left


class _Free:
    """Two networks that run on their own activations."""

    def __init__(self, a: Network, b: Network, units: list[Unit], found: Numbers) -> None:
        self.side, self.units, self.found = a.side, units, found
        self.ours, self.theirs = a.free(), b.free()
        self.left: Arrays = dict(a.inputs)

    def run(self, wanted: Iterable[int]) -> None:
        """Compare units by their numbers, or keep why they could not be run."""
        units, found = self.units, self.found
        for numbers in chunks(self.side, units, wanted):
            kept = {name for i in numbers for name in _discrete(units[i].a)}
            given = self.ours.run(sorted({n for i in numbers for n in names(units[i].a)} | kept))
            other = self.theirs.run(sorted({n for i in numbers for n in names(units[i].b)}))
            self.left |= {name: given[name] for name in kept if name in given}
            for i in numbers:
                reason = _missing(units[i].a, given, self.ours.refused)
                reason = reason or _missing(units[i].b, other, self.theirs.refused)
                if reason is None:
                    found.free[i] = compared(units[i], given, other, apart)
                else:
                    found.unrun[i] = reason


def _discrete(half: Half) -> list[str]:
    """What a group reads that is no float, and so cannot be made up."""
    roots = [edges[0].route.root for edges in half.reads]
    return [str(root.name) for root in roots if dtype(root).kind not in "fc"]


def run_alone(
    a: Network, b: Network, units: list[Unit], known: Arrays, draws: Draws, found: Numbers
) -> None:
    """Every unit of both networks on the same inputs; `known` are A's values that are no floats."""
    for numbers in chunks(a.side, units, range(len(units))):
        orders = {name: unit.order for unit in units for name in unit.a.ids}
        feeding = Feeding(a.side, b.side, a.sizes, known, draws, orders)
        able: list[int] = []
        for i in numbers:
            try:
                feeding.feed(i, units[i])
                able.append(i)
            except UnfedError as reason:
                found.reasons[i] = str(reason)
        ours = _alone(a, {i: units[i].a for i in able}, feeding.ours)
        theirs = _alone(b, {i: units[i].b for i in able}, feeding.theirs)
        for i in able:
            _compare_alone(i, units[i], ours, theirs, found)


Ran = tuple[Arrays, dict[str, str]]
"""Values by name, and the reasons of those that could not be computed."""


def _alone(one: Network, halves: Mapping[int, Half], fed: Arrays) -> Ran:
    attempt = Attempt(cutting.cut(one.side, halves), one.weights | one.inputs | fed)
    given = attempt.run([name for half in halves.values() for name in names(half)])
    return given, attempt.refused


def _compare_alone(i: int, unit: Unit, ours: Ran, theirs: Ran, found: Numbers) -> None:
    reason = _missing(unit.a, *ours) or _missing(unit.b, *theirs)
    if reason is None:
        found.alone[i] = compared(unit, ours[0], theirs[0], distance)
    else:
        found.reasons[i] = reason


def _missing(half: Half, given: Arrays, refused: dict[str, str]) -> str | None:
    """Why a group's values are not all there; None where they are."""
    missing = [name for name in names(half) if name not in given]
    return refused.get(missing[0], "it was not run") if missing else None


def compared(unit: Unit, ours: Arrays, theirs: Arrays, measure: Measure) -> Difference:
    """The largest difference of what both sides of a unit give."""
    found: list[Difference] = []
    for (i, j), seen in zip(unit.given, unit.seen, strict=True):
        given, other = ours[str(unit.a.gives[i].name)], theirs[str(unit.b.gives[j].name)]
        both = layout.alike(given, other, seen, unit.order)
        found.append(Difference() if both is None else measure(*both))
    return max(found, key=Difference.size, default=Difference())


def tolerance(unit: Unit) -> float:
    """How large a relative error is rounding, of a unit alone."""
    kinds = [dtype(value) for value in (*unit.a.gives, *unit.b.gives)]
    return COARSE if any(kind.itemsize < 4 and kind.kind == "f" for kind in kinds) else LAYER
