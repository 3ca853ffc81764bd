"""The plain data of a comparison by numbers: `Parity`, and where it was broken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from modeldocs.diff.weights import Ids, Pair, Weights
from modeldocs.errors import Failure
from modeldocs.numerics.closeness import Difference
from modeldocs.struct import Struct

__all__ = ["Direction", "Divergence", "Ids", "Pair", "Parity", "Uncompared"]


class Divergence(Struct, frozen=True):
    """Layers that correspond and give other numbers.

    `alone` tells that they did so on the same inputs; else they did while the networks ran.
    `change` is the line of the diff, counted from 1, that explains it; None where structure does
    not show it.
    """

    pair: Pair
    error: Difference
    change: int | None = None
    alone: bool = True


class Uncompared(Struct, frozen=True):
    """Layers whose numbers could not be held against each other, and why."""

    pair: Pair
    reason: str


_Told = TypeVar("_Told", Divergence, Uncompared)


class Direction(Struct, frozen=True):
    """The designed weights of one port run through both.

    `outputs` is how far apart the two networks end, `end` the layers that is told of. `first` is
    the first layer that gives other numbers, in the order of the port that the weights are of;
    `divergences` are all that do, and not for what they read. `compared` counts pairs of layers.
    `weights` tells how the other port holds them.
    """

    outputs: Difference | None = None
    end: Pair | None = None
    first: Divergence | None = None
    divergences: tuple[Divergence, ...] = ()
    compared: int = 0
    uncompared: tuple[Uncompared, ...] = ()
    weights: Weights = Weights()

    @property
    def verdict(self) -> str:
        """`holds`, `diverges`, or `not run`."""
        if self.outputs is None:
            return "not run"
        return "holds" if self.outputs.small and self.first is None else "diverges"


class Parity(Struct, frozen=True):
    """Both networks run with A's designed weights, and again with B's.

    All pairs name A's layers first. What is asked of both runs at once (`first`, `divergences` …)
    tells of A's weights in B, and then of what only B's weights in A have shown.
    """

    a_to_b: Direction = Direction()
    b_to_a: Direction = Direction()
    failure: Failure | None = None
    seconds: float = 0.0

    @property
    def directions(self) -> tuple[Direction, Direction]:
        """A's weights in B, and B's in A."""
        return self.a_to_b, self.b_to_a

    @property
    def verdict(self) -> str:
        """`holds` (in both directions), `one way`, `diverges`, or `not run`."""
        told = [one.verdict for one in self.directions]
        if self.failure is not None or "not run" in told:
            return "not run"
        return {0: "diverges", 1: "one way", 2: "holds"}[told.count("holds")]

    @property
    def _worse(self) -> Direction:
        """The direction that ends further apart."""
        return max(self.directions, key=lambda one: one.outputs.size() if one.outputs else -1.0)

    @property
    def outputs(self) -> Difference | None:
        """How far apart the networks end, in the direction in which they do so further."""
        return self._worse.outputs

    @property
    def end(self) -> Pair | None:
        """The layers that `outputs` is told of."""
        return self._worse.end

    @property
    def first(self) -> Divergence | None:
        """The first layers that give other numbers."""
        return self.a_to_b.first or self.b_to_a.first

    @property
    def divergences(self) -> tuple[Divergence, ...]:
        """Layers that give other numbers, each once."""
        every = (held for one in self.directions for held in one.divergences)
        return _once(every)

    @property
    def compared(self) -> int:
        """How many pairs of layers were compared."""
        return max(one.compared for one in self.directions)

    @property
    def uncompared(self) -> tuple[Uncompared, ...]:
        """Layers that could not be compared in one of the directions, each once."""
        every = (held for one in self.directions for held in one.uncompared)
        return _once(every)

    @property
    def turned(self) -> int:
        """How many kernels must be turned by hand from A to B, or back."""
        return max(len(one.weights.turned) for one in self.directions)


def _once(every: Iterable[_Told]) -> tuple[_Told, ...]:
    """What is told of each pair first."""
    held: dict[Pair, _Told] = {}
    for told in every:
        held.setdefault(told.pair, told)
    return tuple(held.values())
