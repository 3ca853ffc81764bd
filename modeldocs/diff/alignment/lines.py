"""Lines: unbranched runs of layers, and which line of B is which of A's between the same layers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress
from typing import Final

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side

_MOST: Final = 64
"""Layers of a line, and lines between two layers, beyond which they are left as they are."""

Ends = tuple[int, int]
"""The nodes around a line, in B's numbers."""


@dataclass(slots=True)
class Line:
    """Nodes that read each other one by one, the slots it starts and ends in."""

    nodes: list[int]
    slots: tuple[int, int]


@dataclass(slots=True)
class Bundle:
    """Lines of A and of B between the same two matched nodes.

    `crossed` where each is another's counterpart from end to end, and only the slots differ.
    """

    a: list[Line]
    b: list[Line]
    crossed: bool = False


def bundles(pairing: Pairing) -> Iterator[Bundle]:
    """Lines of both sides that face each other and hold a node without counterpart or astray.

    Or several of which not all compute the same, so that others may be the counterparts.
    """
    a, b, to_b, to_a = pairing.a, pairing.b, pairing.to_b, pairing.to_a
    theirs = _lines(b, to_a)
    mapped = {line.nodes[0]: line for held in theirs.values() for line in held}
    for (start, end), ours in _lines(a, to_b).items():
        facing = theirs.get((to_b[start], to_b[end]), [])
        few = 0 < len(facing) <= _MOST and len(ours) <= _MOST
        if not few:
            continue
        whole = _whole(ours, facing, to_b, mapped)
        turned = whole and any(line.slots != mapped[to_b[line.nodes[0]]].slots for line in ours)
        alike = turned or len(ours) == 1 or all(map(_same(pairing), ours))
        if not whole or turned or not alike:
            yield Bundle(_in_order(a, ours), _in_order(b, facing), crossed=turned)


def _same(pairing: Pairing) -> Callable[[Line], bool]:
    """Whether the layers of a line compute what their counterparts do."""
    return lambda line: all(pairing.same_function(i, pairing.to_b[i]) for i in line.nodes)


def _whole(ours: list[Line], theirs: list[Line], to_b: list[int], mapped: dict[int, Line]) -> bool:
    """Whether each line is another's counterpart from its first layer to its last."""
    faced = [mapped.get(to_b[line.nodes[0]]) for line in ours]
    return len(ours) == len(theirs) and all(
        other is not None and other.nodes == [to_b[node] for node in line.nodes]
        for line, other in zip(ours, faced, strict=True)
    )


def _in_order(side: Side, lines: list[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: side.ranks[line.nodes[0]])


def _lines(side: Side, counterpart: list[int]) -> dict[Ends, list[Line]]:
    """The lines of a side by the matched nodes around them."""
    found: dict[Ends, list[Line]] = defaultdict(list)
    single = [len(s) == 1 == len(u) for s, u in zip(side.sources, side.users, strict=True)]
    for node in compress(range(len(side)), single):
        if not single[side.sources[node][0][1]]:
            nodes = _run(side, node, single)
            (code, start), (slot, end) = side.sources[node][0], side.users[nodes[-1]][0]
            start, end = _up(side, start, counterpart), _down(side, end, counterpart)
            if counterpart[start] >= 0 <= counterpart[end] and len(nodes) <= _MOST:
                found[start, end].append(Line(nodes, (code, slot)))
    return found


def _run(side: Side, node: int, single: list[bool]) -> list[int]:
    nodes = []
    while single[node]:
        nodes.append(node)
        node = side.users[node][0][1]
    return nodes


def _up(side: Side, node: int, counterpart: list[int]) -> int:
    """The matched node that a branching one without counterpart goes back to."""
    while counterpart[node] < 0 and len(side.sources[node]) == 1:
        node = side.sources[node][0][1]
    return node


def _down(side: Side, node: int, counterpart: list[int]) -> int:
    while counterpart[node] < 0 and len(side.users[node]) == 1:
        node = side.users[node][0][1]
    return node
