"""Colours of nodes: equal where their surroundings are, as far as a colour looks.

A colour is a digest of 64 bits. Those of everything read or fed go node by node; balls of a
radius are grown for all nodes at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from modeldocs.diff.alignment.digests import Edges, downstream, upstream

_Array = npt.NDArray[np.uint64]
_Ints = npt.NDArray[np.int64]


@dataclass(slots=True)
class _Flat:
    """The edges of all nodes in one row: those of node i lie from starts[i] to starts[i + 1]."""

    starts: _Ints
    codes: _Array
    others: _Ints

    def gathered(self, colours: _Array) -> _Array:
        """A digest of what each node's edges lead to, whatever their order."""
        seen = np.zeros(len(self.others) + 1, np.uint64)
        np.cumsum(_mixed(colours[self.others] + self.codes), out=seen[1:])
        return _mixed(seen[self.starts[1:]] - seen[self.starts[:-1]])


class Wires:
    """The edges of a graph, as lists and as arrays."""

    def __init__(self, sources: Edges, users: Edges) -> None:
        self.sources, self.users = sources, users

    @cached_property
    def read(self) -> _Flat:
        """What each node reads."""
        return _flat(self.sources, salt=1)

    @cached_property
    def fed(self) -> _Flat:
        """What reads each node."""
        return _flat(self.users, salt=2)

    def told(self) -> bytes:
        """All that is read, by whom and in which slot: equal where the edges are, one by one."""
        return b"".join(
            part.tobytes() for part in (self.read.starts, self.read.codes, self.read.others)
        )

    def grown(self, ball: _Array) -> _Array:
        """The colours of balls that reach one edge further."""
        around = self.read.gathered(ball) * _ODD + self.fed.gathered(ball)
        return _mixed(ball * _ODD + around)


class Colours:
    """Colours of one side at one level, made when they are first asked for.

    `forward` and `backward` look at everything read and fed; `balls[r]` r edges far.
    """

    def __init__(self, own: Sequence[int], wires: Wires, radius: int) -> None:
        self.own, self.wires, self.radius = own, wires, radius

    @cached_property
    def forward(self) -> list[int]:
        """Colours by everything that is read."""
        return upstream(self.own, self.wires.sources)

    @cached_property
    def backward(self) -> list[int]:
        """Colours by everything that is fed."""
        return downstream(self.own, self.wires.users)

    @cached_property
    def balls(self) -> list[_Array]:
        """Colours by everything up to r edges away, by r."""
        grown = [np.array(self.own, np.int64).view(np.uint64)]
        for _ in range(self.radius):
            grown.append(self.wires.grown(grown[-1]))
        return grown


_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_STEPS: Final = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def _mixed(numbers: _Array) -> _Array:
    """Bits spread over the whole word, so that sums of what was mixed do not meet by chance."""
    for shift, factor in _STEPS:
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(31))


def _flat(edges: Edges, salt: int) -> _Flat:
    starts = np.zeros(len(edges) + 1, np.int64)
    np.cumsum([len(each) for each in edges], out=starts[1:])
    flat = chain.from_iterable(chain.from_iterable(edges))
    rows = np.fromiter(flat, np.int64, 2 * int(starts[-1])).reshape(-1, 2)
    codes = _mixed(rows[:, 0].astype(np.uint64) * np.uint64(4) + np.uint64(salt))
    return _Flat(starts, codes, np.ascontiguousarray(rows[:, 1]))
