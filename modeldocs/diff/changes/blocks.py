"""Layers of one side that stand together: a block, and how often it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from modeldocs.diff.alignment.components import components
from modeldocs.diff.alignment.pairing import operator_of
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.function.forms import INPUT

LEAST: Final = 3
"""Layers that make a block; fewer are told one by one."""

_LARGE: Final = 9
"""Layers without parameters that make a block; fewer are told by operator."""

_LONGEST: Final = 100
"""Layers beyond which a block is told by itself."""

Nodes = tuple[int, ...]


def find(side: Side, free: Sequence[int]) -> Iterator[Nodes]:
    """Sets of at least `LEAST` of the `free` nodes that hang together, each in order.

    They are of several operators, and have parameters or are many; a set that is one block again
    and again is given block by block.
    """
    inside = {node for node in free if side.forms[node].operator != INPUT}
    for held in components(inside, side.beside):
        members = sorted(held, key=side.ranks.__getitem__)
        if _is_block(side, members):
            yield from _repeats(side, members)


def operators(side: Side, nodes: Nodes) -> tuple[str, ...]:
    """The operators of a block in order."""
    return tuple(operator_of(side, node) for node in nodes)


def _is_block(side: Side, members: list[int]) -> bool:
    """Whether a set is worth a line of its own: of several operators, and with weights or large."""
    several = len({side.forms[node].operator for node in members}) > 1
    weighted = any(side.forms[node].parameters for node in members)
    return several and len(members) >= (LEAST if weighted else _LARGE)


def cycle(side: Side, nodes: Nodes) -> tuple[str, ...]:
    """The operators of a block, from whichever of its layers on that sorts first.

    Where one of several equal blocks is gone, it may be seen to begin at any of its layers.
    """
    told = tuple(operator_of(side, node) for node in nodes)
    if len(told) > _LONGEST:
        return told
    return min(told[at:] + told[:at] for at in range(len(told)))


def _repeats(side: Side, nodes: list[int]) -> Iterator[Nodes]:
    """The shortest block that the nodes are a repetition of, as often as they have it."""
    told = [(side.forms[node].operator, len(side.sources[node])) for node in nodes]
    count = len(nodes)
    lengths = (n for n in range(LEAST, min(count, _LONGEST) + 1) if count % n == 0)
    length = next((n for n in lengths if told == told[:n] * (count // n)), count)
    yield from (tuple(nodes[at : at + length]) for at in range(0, count, length))
