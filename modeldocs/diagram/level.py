"""Levels: the drawings of a fold, each a group with what is in it as boxes, frames and stubs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from modeldocs.fold import Group
from modeldocs.ir import Layer, LayerGraph, Operand

MAX_OPENED = 30
"""Boxes of a drawing in which the groups inside a group are drawn opened, as frames."""


@dataclass(frozen=True)
class Box:
    """One node of a drawing: layers, a row each, or a group that has a drawing of its own."""

    id: str
    layers: tuple[str, ...]
    group: Group | None = None


@dataclass(frozen=True)
class OpenedFrame:
    """A group that is drawn opened: a frame around its boxes."""

    group: Group
    members: tuple[Box | OpenedFrame, ...]


@dataclass(frozen=True)
class Arrow:
    """An arrow between two boxes, with all that one reads of the other."""

    start: str
    end: str
    operands: tuple[Operand, ...]


@dataclass
class Level:
    """One drawing: its boxes and frames, its arrows, and what it reads from or gives to elsewhere.

    `reads` are pairs of a value outside (the id of a layer or graph input) and an operand by box
    that reads it; `writes` are boxes whose values are read outside, with those layers.
    """

    group: Group
    members: tuple[Box | OpenedFrame, ...]
    edges: list[Arrow] = field(default_factory=list)
    reads: list[tuple[str, Operand]] = field(default_factory=list)
    writes: dict[str, list[str]] = field(default_factory=dict)

    def boxes(self) -> Iterator[Box]:
        """All boxes, those in frames too, in order."""
        yield from _boxes(self.members)

    def readers(self) -> Counter[tuple[str, int]]:
        """How many boxes read each output of the layers in the level."""
        return Counter(
            value
            for edge in self.edges
            for value in {(read.value, read.output) for read in edge.operands}
        )


def _boxes(members: tuple[Box | OpenedFrame, ...]) -> Iterator[Box]:
    for member in members:
        if isinstance(member, OpenedFrame):
            yield from _boxes(member.members)
        else:
            yield member


class DrawnLevels:
    """The drawings of one graph's fold."""

    def __init__(self, graph: LayerGraph) -> None:
        self._layers: Mapping[str, Layer] = {layer.id: layer for layer in graph.layers}
        self._readers: dict[str, list[str]] = {}
        for layer in graph.layers:
            for operand in layer.inputs:
                self._readers.setdefault(operand.value, []).append(layer.id)

    def overview(self, network: Group) -> Level:
        """The drawing of the whole network, its groups closed."""
        return self._level(network, tuple(_closed(member) for member in network.members))

    def all(self, network: Group) -> Iterator[Level]:
        """The overview, then the drawing of each group that is drawn closed in one before it.

        Of a repeat the first instance is drawn.
        """
        waiting = [self.overview(network)]
        while waiting:
            level = waiting.pop(0)
            yield level
            waiting += [self.opened(box.group) for box in level.boxes() if box.group is not None]

    def opened(self, group: Group) -> Level:
        """The drawing of a group: what is in it, opened as far as the boxes stay few."""
        one = instance(group)
        members = (one,) if one.kind == "fused" else one.members
        return self._level(group, _opened(members, MAX_OPENED))

    def _level(self, group: Group, members: tuple[Box | OpenedFrame, ...]) -> Level:
        level = Level(group=group, members=members)
        home = {layer: box.id for box in level.boxes() for layer in box.layers}
        arrows: dict[tuple[str, str], dict[object, Operand]] = {}
        outside_reads: set[tuple[str, str]] = set()
        for identity in home:
            for operand in self._layers[identity].inputs:
                start, end = home.get(operand.value), home[identity]
                value = (operand.value, operand.output, operand.steps)
                if start is not None and start != end:
                    arrows.setdefault((start, end), {}).setdefault(value, operand)
                elif start is None and (end, operand.value) not in outside_reads:
                    outside_reads.add((end, operand.value))
                    level.reads.append((end, operand))
            outside = [reader for reader in self._readers.get(identity, ()) if reader not in home]
            if outside:
                level.writes.setdefault(home[identity], []).extend(outside)
        level.edges += [Arrow(*ends, tuple(read.values())) for ends, read in arrows.items()]
        return level


def instance(group: Group) -> Group:
    """What is drawn of a group: of a repeat its first instance."""
    first = group.members[0]
    if group.kind != "repeat":
        return group
    return first if isinstance(first, Group) else Group(kind="fused", members=(first,))


def _closed(member: str | Group) -> Box:
    if isinstance(member, str):
        return Box(id=member, layers=(member,))
    if member.kind == "fused":
        return Box(id=member.members[0], layers=tuple(member.layers()))  # type: ignore[arg-type]
    return Box(id=member.id, layers=tuple(member.layers()), group=member)


def _opened(members: tuple[str | Group, ...], limit: int) -> tuple[Box | OpenedFrame, ...]:
    """Members with the groups among them opened, smaller ones first, while the boxes fit."""
    result: list[Box | OpenedFrame] = [_closed(member) for member in members]
    count = len(result)
    order = sorted(
        (index for index, box in enumerate(result) if isinstance(box, Box) and box.group),
        key=lambda index: len(result[index].layers),  # type: ignore[union-attr]
    )
    for index in order:
        box = result[index]
        assert isinstance(box, Box) and box.group is not None
        if box.group.kind == "repeat":
            continue
        inside = _opened(box.group.members, limit - count + 1)
        size = sum(1 for _ in _boxes(inside))
        if count - 1 + size <= limit:
            result[index] = OpenedFrame(group=box.group, members=inside)
            count += size - 1
    return tuple(result)
