"""The plain data of a comparison by numbers: `Parity`, and where it was broken."""

from __future__ import annotations

from modeldocs.closeness import Difference
from modeldocs.graph import Struct
from modeldocs.isolation import Failure

Ids = tuple[str, ...]
"""Ids of layers of one graph."""

Pair = tuple[Ids, Ids]
"""Layers of A and their counterparts in B: one each mostly, none where only one side has any."""


class Divergence(Struct, frozen=True):
    """Layers that correspond and give other numbers.

    `alone` tells that they did so on the same inputs; else they did while the networks ran.
    `change` is the line of the diff, counted from 1, that explains it.
    """

    pair: Pair
    error: Difference
    change: int | None = None
    alone: bool = True


class Uncompared(Struct, frozen=True):
    """Layers whose numbers could not be held against each other, and why."""

    pair: Pair
    reason: str


class Parity(Struct, frozen=True):
    """A's designed weights run through both graphs.

    `outputs` is how far apart the two networks end, `end` the layers that is told of. `first` is
    the first layer, in A's order, that gives other numbers; `divergences` are all that do, and
    not for what they read. `compared` counts pairs of layers. `permuted` tells which weights B
    keeps in another order.
    """

    outputs: Difference | None = None
    end: Pair | None = None
    first: Divergence | None = None
    divergences: tuple[Divergence, ...] = ()
    compared: int = 0
    uncompared: tuple[Uncompared, ...] = ()
    permuted: tuple[str, ...] = ()
    failure: Failure | None = None
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """`holds`, `diverges`, or `not run`."""
        if self.failure is not None or self.outputs is None:
            return "not run"
        return "holds" if self.outputs.small and self.first is None else "diverges"
