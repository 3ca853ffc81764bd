"""The groups of a fold in the table of layers: group rows, and where each layer is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modeldocs.diagram import LevelDrawing, titles
from modeldocs.diagram.level import DrawnLevels
from modeldocs.fold import Group, fold
from modeldocs.ir import LayerGraph
from modeldocs.struct import Struct


class GroupRow(Struct, frozen=True):
    """A group as a row of the table.

    `level` is the drawing that it opens, empty where it has none. `members` are indices of layers,
    and groups.
    """

    title: str
    name: str
    level: str
    members: tuple[int | GroupRow, ...]

    def layers(self) -> Iterator[int]:
        """Indices of the layers in it."""
        for member in self.members:
            if isinstance(member, int):
                yield member
            else:
                yield from member.layers()


class DrawnLayer(Struct, frozen=True):
    """Where a layer is drawn: the level, and the layer whose box stands for it.

    Of equal groups the first is drawn: a layer of another has the box of its counterpart there. A
    layer without a box of its own is in the box of a group that has no drawing.
    """

    level: str
    layer: str


class Grouping:
    """The fold of a graph, as its table and the selection of layers need it."""

    def __init__(self, graph: LayerGraph, levels: Sequence[LevelDrawing]) -> None:
        self._graph = graph
        self._layers = {layer.id: layer for layer in graph.layers}
        self._index = {layer.id: index for index, layer in enumerate(graph.layers)}
        self._drawn = {level.id for level in levels}
        self._network = fold(graph)

    def rows(self) -> tuple[int | GroupRow, ...]:
        """The members of the network, groups as nested rows."""
        return self._members(self._network)

    def _members(self, group: Group) -> tuple[int | GroupRow, ...]:
        result: list[int | GroupRow] = []
        for member in group.members:
            if isinstance(member, str):
                result.append(self._index[member])
            elif member.kind == "fused":
                result += [self._index[one] for one in member.layers()]
            else:
                result.append(self._row(member))
        return tuple(result)

    def _row(self, group: Group) -> GroupRow:
        title = titles.group_title(group, self._layers)
        return GroupRow(
            title=title,
            name=group.name if group.name not in title else "",
            level=group.id if group.id in self._drawn else "",
            members=self._members(group),
        )

    def drawn(self) -> dict[str, DrawnLayer]:
        """For each layer the level with its box, by id."""
        result: dict[str, DrawnLayer] = {}
        levels = [] if not self._drawn else DrawnLevels(self._graph).all(self._network)
        for level in levels:
            identity = level.group.id if level.group is not self._network else ""
            if identity not in self._drawn:
                continue
            for box in level.boxes():
                has_box = box.group is None
                for one in box.layers:
                    if has_box or one not in result or not result[one].layer:
                        result[one] = DrawnLayer(identity, one if has_box else "")
        for group in reversed(list(self._network.groups())):  # inner ones first
            if group.kind == "repeat":
                _stand_in(group, result)
        return result


def _stand_in(repeat: Group, drawn: dict[str, DrawnLayer]) -> None:
    """Give layers of all but the first instance the boxes of their counterparts in it."""
    first, *others = (list(_layers(member)) for member in repeat.members)
    for other in others:
        if len(other) == len(first):
            pairs = zip(other, first, strict=True)
            drawn.update({mine: drawn[its] for mine, its in pairs if its in drawn})


def _layers(member: str | Group) -> Iterator[str]:
    return iter((member,)) if isinstance(member, str) else member.layers()
