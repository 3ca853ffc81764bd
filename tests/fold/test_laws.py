"""What holds of every fold, on networks of the catalog's kinds and on generated ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modeldocs.fold import Group, fold
from modeldocs.fold.levels import LIMIT
from modeldocs.ir import Layer, LayerGraph
from tests.diff import graphs

from .networks import blocks, tangled

GENERATED = [tangled(size, seed) for seed, size in enumerate((1, 2, 5, 30, 200, 700))] + [
    blocks(size, seed, hub=seed % 2 == 0) for seed, size in enumerate((10, 60, 300, 900))
]
NETWORKS = [
    *GENERATED,
    graphs.chain(500),
    graphs.resnet50(),
    graphs.alexnet(),
    graphs.inception(),
    graphs.transformer(12),
    graphs.twins(6, 4),
]
every_network = pytest.mark.parametrize("graph", NETWORKS, ids=lambda g: f"{len(g.layers)}-layers")


def levels(group: Group) -> Iterator[Group]:
    """The group and all in it that have a drawing of their own: of a repeat its first instance."""
    for inner in (group, *group.groups()):
        if inner.kind != "repeat":
            yield inner


def layers_of(member: str | Group) -> list[str]:
    return list(member.layers()) if isinstance(member, Group) else [member]


@every_network
def test_opened_at_every_depth_a_fold_is_the_layers_of_the_graph(graph: LayerGraph) -> None:
    unfolded = list(fold(graph).layers())
    assert sorted(unfolded) == sorted(layer.id for layer in graph.layers)


@every_network
def test_groups_are_in_topological_order(graph: LayerGraph) -> None:
    by_id = {layer.id: layer for layer in graph.layers}
    known = {source.id for source in graph.inputs}
    for identity in fold(graph).layers():
        assert all(operand.value in known for operand in by_id[identity].inputs)
        known.add(identity)


@every_network
def test_no_drawing_has_more_nodes_than_a_screen_shows(graph: LayerGraph) -> None:
    for level in levels(fold(graph)):
        assert len(level.members) <= LIMIT or level.kind == "fused"


@every_network
def test_every_group_holds_more_than_one_member_and_has_an_id_of_its_own(graph: LayerGraph) -> None:
    groups = list(fold(graph).groups())
    assert all(len(group.members) > 1 for group in groups)
    assert len({group.id for group in groups}) == len(groups)


@every_network
def test_instances_of_a_repeat_are_the_same_but_for_what_it_says(graph: LayerGraph) -> None:
    by_id = {layer.id: layer for layer in graph.layers}
    for group in fold(graph).groups():
        if group.kind == "repeat":
            exact = not group.varies
            rows = {_row([by_id[i] for i in layers_of(one)], exact=exact) for one in group.members}
            assert len(rows) == 1


def _row(layers: list[Layer], *, exact: bool) -> str:
    """Operators and edges of an instance; with attributes and shapes where nothing varies."""
    place = {layer.id: index for index, layer in enumerate(layers)}
    return repr(
        [
            (
                layer.operator,
                [place.get(operand.value, "outside") for operand in layer.inputs],
                (layer.attributes, layer.outputs, [p.shape for p in layer.parameters])
                if exact
                else layer.attributes.get("kernel_shape"),
            )
            for layer in layers
        ]
    )


@every_network
def test_the_order_of_layers_and_their_names_do_not_matter(graph: LayerGraph) -> None:
    other = graphs.reordered(graph, 7)
    assert _shape(fold(graph)) == _shape(fold(other))


def _shape(member: str | Group) -> object:
    if not isinstance(member, Group):
        return "layer"
    return (member.kind, member.title, [_shape(inner) for inner in member.members])
