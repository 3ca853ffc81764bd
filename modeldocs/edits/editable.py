"""What can be edited of a network, with edits or without: its layers, blocks and settings.

Edits name what the source has. The report of an edited network counts its layers and groups anew,
so that a page needs to know which of them is which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from modeldocs import normal
from modeldocs.edits import layer_settings
from modeldocs.edits.draft import Draft
from modeldocs.edits.layer_settings import LayerSetting
from modeldocs.fold import Group, fold
from modeldocs.ir import LayerGraph
from modeldocs.normal import layers
from modeldocs.struct import Struct


class EditableLayer(Struct, frozen=True):
    """A layer: `name` is what edits call it, empty where they cannot.

    `source` is its id in the source, empty for one that was put in or copied.
    """

    name: str
    source: str
    settings: tuple[LayerSetting, ...]


class EditableNetwork(Struct, frozen=True):
    """A network as its report shows it, what edits call its layers, by id, and its groups, by id.

    Groups that the source does not have are not among `groups`.
    """

    graph: LayerGraph
    fold: Group
    layers: dict[str, EditableLayer]
    groups: dict[str, str]


def editable(draft: Draft) -> EditableNetwork:
    """What can be edited of a network to which edits were applied."""
    graph = normal.read(draft.model)
    producers = {str(v.name): node for node in draft.model.graph for v in node.outputs}
    names = {id(node): name for name, node in draft.nodes.items()}
    known = {one.id for one in draft.layers.layers}
    found: dict[str, EditableLayer] = {}
    for identity, output in layers.output_names(draft.model).items():
        node = producers[output]
        name = names.get(id(node), "")
        found[identity] = EditableLayer(
            name=name,
            source=name if name in known else "",
            settings=layer_settings.of_node(node),
        )
    folded = fold(graph)
    groups = dict(_groups(folded, fold(draft.layers), found, draft))
    return EditableNetwork(graph=graph, fold=folded, layers=found, groups=groups)


def _groups(
    now: Group, before: Group, known: Mapping[str, EditableLayer], draft: Draft
) -> Iterator[tuple[str, str]]:
    """What edits call each group: the source's group of its kind that shares most layers."""
    sources = list(before.groups())
    count = Counter(one.name for one in sources)
    taken = draft.names_taken()
    held = [frozenset(one.layers()) for one in sources]
    for group in now.groups():
        own = {known[one].source for one in group.layers() if one in known} - {""}
        best, share = None, 0.0
        for source, other in zip(sources, held, strict=True):
            is_part = own <= other or other <= own
            if own and is_part and (source.kind, source.name) == (group.kind, group.name):
                overlap = len(own & other) / len(own | other)
                best, share = (source, overlap) if overlap > share else (best, share)
        if best is not None:
            is_clear = best.name and count[best.name] == 1 and best.name not in taken
            yield group.id, best.name if is_clear else best.id
