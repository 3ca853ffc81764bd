"""The rows of the table of an edited network: its layers and groups, with what changed of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from modeldocs import formatting
from modeldocs.edits import EditableNetwork, LayerSetting
from modeldocs.fold import Group
from modeldocs.ir import Layer, LayerGraph
from modeldocs.ir.operators import family
from modeldocs.site.port.short_settings import short_settings
from modeldocs.struct import Struct


class ShownLayer(Struct, frozen=True):
    """The texts of a layer's row."""

    name: str
    operator: str
    family: str
    settings: str
    output: str
    parameters: str
    macs: str
    rank: int = 0
    """Axes of its output."""


class EditedLayer(Struct, frozen=True, tag="layer", tag_field="row"):
    """A layer: `edit` is what edits call it, empty where it is gone or cannot be named.

    `was` is the source's layer where it was another, `state` is `same`, `changed`, `new` or `gone`.
    """

    id: str
    edit: str
    depth: int
    state: str
    shown: ShownLayer
    was: ShownLayer | None = None
    settings: tuple[LayerSetting, ...] = ()
    place: str = ""


class EditedGroup(Struct, frozen=True, tag="group", tag_field="row"):
    """A group, above its layers: `count` is the number of instances of a repeat, else 0."""

    id: str
    edit: str
    depth: int
    kind: str
    title: str
    layers: int
    count: int = 0


Row = EditedLayer | EditedGroup


def rows(source: LayerGraph, network: EditableNetwork) -> list[Row]:
    """The rows in order; layers that are gone stand behind the one that they followed."""
    return list(_EditedRowWriter(source, network).write())


class _EditedRowWriter:
    def __init__(self, source: LayerGraph, network: EditableNetwork) -> None:
        self.network = network
        self.layers = {one.id: one for one in network.graph.layers}
        self.sources = {one.id: one for one in source.layers}
        kept = {one.source for one in network.layers.values()}
        self.behind = _behind([one.id for one in source.layers], kept)

    def write(self) -> Iterator[Row]:
        """All rows."""
        yield from self._gone("", 0)
        yield from self._members(self.network.fold, 0)

    def _members(self, group: Group, depth: int) -> Iterator[Row]:
        for member in group.members:
            if isinstance(member, str):
                yield from self._layer(member, depth)
            elif member.kind == "fused":
                yield from self._members(member, depth)
            else:
                yield self._group(member, depth)
                yield from self._members(member, depth + 1)

    def _group(self, group: Group, depth: int) -> EditedGroup:
        name = group.name or group.title or group.kind
        title = f"{name}: {group.title}" if group.name and group.title else name
        edit = self.network.groups.get(group.id, "")
        return EditedGroup(
            id=edit or group.id,
            edit=edit,
            depth=depth,
            kind=group.kind,
            title=title,
            layers=len(list(group.layers())),
            count=len(group.members) if group.kind == "repeat" else 0,
        )

    def _layer(self, identity: str, depth: int) -> Iterator[Row]:
        known, layer = self.network.layers[identity], self.layers[identity]
        shown = _shown(layer)
        before = self.sources.get(known.source)
        was = _shown(before) if before is not None else None
        state = "new" if was is None else "same" if was == shown else "changed"
        yield EditedLayer(
            id=known.source or known.name or identity,
            edit=known.name,
            depth=depth,
            state=state,
            shown=shown,
            was=was if state == "changed" else None,
            settings=known.settings,
            place=_place(layer),
        )
        yield from self._gone(known.source, depth)

    def _gone(self, place: str, depth: int) -> Iterator[Row]:
        for identity in self.behind.get(place, ()):
            shown = _shown(self.sources[identity])
            yield EditedLayer(id=identity, edit="", depth=depth, state="gone", shown=shown)


def _behind(source: list[str], kept: set[str]) -> Mapping[str, list[str]]:
    """The layers that are gone, by the last one before them that is not."""
    found: dict[str, list[str]] = {}
    last = ""
    for identity in source:
        if identity in kept:
            last = identity
        else:
            found.setdefault(last, []).append(identity)
    return found


def _shown(layer: Layer) -> ShownLayer:
    first = layer.outputs[0] if layer.outputs else None
    return ShownLayer(
        name=layer.name,
        operator=layer.operator,
        family=family(layer.operator),
        settings=" ".join(one.text for one in short_settings(layer)),
        output=", ".join(map(formatting.shape, layer.outputs)),
        parameters=formatting.exact(layer.parameter_count) if layer.parameters else "",
        macs=formatting.exact(layer.macs) if layer.macs != 0 else "",
        rank=len(first.shape or ()) if first is not None else 0,
    )


def _place(layer: Layer) -> str:
    """Where the layer stands in the source."""
    origin = layer.origins[0] if layer.origins else None
    if origin is None or not origin.file:
        return ""
    name = origin.file.rpartition("/")[2]
    return f"{name}:{origin.line}" if origin.line else name
