"""Where networks go on behind layers that cannot be run: both with the same made-up numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from modeldocs.normal import values
from modeldocs.parity.design import Draws
from modeldocs.parity.feeding import dtype
from modeldocs.parity.layout import fitted
from modeldocs.parity.side import Side
from modeldocs.parity.unit import Half, Unit

Arrays = dict[str, np.ndarray]

_DRAWN = "fiub"
"""Kinds of numbers that can be made up."""


def substitutes(
    a: Side,
    b: Side,
    units: list[Unit],
    unrun: Collection[int],
    given: Collection[int],
    draws: Draws,
) -> dict[int, tuple[Arrays, Arrays]]:
    """By unit, what both sides are given in place of what they cannot compute.

    It is the first units that could not be run: what reads nothing else that could not be. Those
    in `given` were given before.
    """
    waiting = set(unrun) - set(given)
    owners = (
        {name: i for i in waiting for name in units[i].a.ids},
        {name: i for i in waiting for name in units[i].b.ids},
    )
    made: dict[int, tuple[Arrays, Arrays]] = {}
    for i in sorted(waiting):
        halves = (a, units[i].a, owners[0]), (b, units[i].b, owners[1])
        if not any(owner != i for half in halves for owner in _leading(*half)):
            found = _same(units[i], draws)
            if found is not None:
                made[i] = found
    return made


def _leading(side: Side, half: Half, owners: dict[str, int]) -> Iterator[int]:
    """The units that a half reads, past layers that are in none."""
    seen: set[str] = set()
    waiting = [edge.maker for edges in half.reads for edge in edges]
    while waiting:
        maker = waiting.pop()
        if maker in owners:
            yield owners[maker]
        elif maker not in seen:
            seen.add(maker)
            waiting += [edge.maker for edge in side.edges.get(maker, [])]


def _same(unit: Unit, draws: Draws) -> tuple[Arrays, Arrays] | None:
    """The same numbers for all that a unit gives, in the layout of each side."""
    ours: Arrays = {}
    theirs: Arrays = {}
    for i, j in unit.given:
        here, there = unit.a.gives[i], unit.b.gives[j]
        shape, other = values.shape(here), values.shape(there)
        kinds = {dtype(here).kind, dtype(there).kind}
        if shape is None or other is None or not kinds <= set(_DRAWN):
            return None
        array = draws.normal(str(here.name), shape)
        if kinds != {"f"}:
            array = (array > 0).astype(np.float32)  # indices that every table has
        found = fitted(array, other)
        if found is None:
            return None
        ours[str(here.name)] = array.astype(dtype(here))
        theirs[str(there.name)] = found.astype(dtype(there))
    return ours, theirs
