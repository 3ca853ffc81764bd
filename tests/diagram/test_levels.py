"""The drawings of a fold: nothing is lost, every link leads somewhere; columns and stubs."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from modeldocs import diagram
from modeldocs.diagram import LevelDrawing
from modeldocs.diagram.level import DrawnLevels, Level
from modeldocs.fold import fold
from modeldocs.ir import LayerGraph
from tests.diff import graphs
from tests.fold.networks import blocks

NETWORKS = {
    "resnet50": graphs.resnet50(),
    "inception": graphs.inception(),
    "transformer": graphs.transformer(12),
    "twins": graphs.twins(6, 4),
    "blocks": blocks(300, 2),
}
every_network = pytest.mark.parametrize("graph", NETWORKS.values(), ids=NETWORKS)
XLINK = "{http://www.w3.org/1999/xlink}href"


def levels(graph: LayerGraph) -> list[Level]:
    return list(DrawnLevels(graph).all(fold(graph)))


def links(level: LevelDrawing) -> list[str]:
    return [
        element.attrib[XLINK]
        for element in ElementTree.fromstring(level.svg).iter()
        if XLINK in element.attrib
    ]


@every_network
def test_a_level_has_a_box_for_each_layer_of_its_group(graph: LayerGraph) -> None:
    overview, *inner = levels(graph)
    assert sorted(layer for box in overview.boxes() for layer in box.layers) == sorted(
        layer.id for layer in graph.layers
    )
    for level in inner:
        held = [layer for box in level.boxes() for layer in box.layers]
        assert len(set(held)) == len(held)
        assert set(held) <= set(level.group.layers())


@every_network
def test_every_layer_is_a_row_of_some_level(graph: LayerGraph) -> None:
    """Of a repeat its first instance is drawn; the others are equal to it."""
    rows = {layer for level in levels(graph) for box in level.boxes() if box.group is None
            for layer in box.layers}  # fmt: skip
    repeats = [group for group in fold(graph).groups() if group.kind == "repeat"]
    others = {
        layer
        for repeat in repeats
        for one in repeat.members[1:]
        for layer in ([one] if isinstance(one, str) else one.layers())
    }
    assert rows | others == {layer.id for layer in graph.layers}


@every_network
def test_arrows_are_those_of_the_graph(graph: LayerGraph) -> None:
    for level in levels(graph)[:5]:
        box_of = {layer: box.id for box in level.boxes() for layer in box.layers}
        wanted = {
            (box_of[operand.value], box_of[layer.id])
            for layer in graph.layers
            for operand in layer.inputs
            if operand.value in box_of
            and layer.id in box_of
            and box_of[operand.value] != box_of[layer.id]
        }
        assert {(edge.start, edge.end) for edge in level.edges} == wanted


@pytest.fixture(scope="module")
def drawn() -> diagram.Drawing:
    return diagram.draw(NETWORKS["resnet50"])


def test_the_overview_opens_groups_and_leads_to_layers_of_its_page(drawn: diagram.Drawing) -> None:
    overview, *inner = drawn.levels
    assert {link for link in links(overview) if not link.startswith("#")} == {
        f"levels/{level.id}.svg" for level in inner if not level.parent
    }
    assert "#conv-1" in links(overview)


def test_links_of_inner_levels_lead_beside_them_or_to_the_page(drawn: diagram.Drawing) -> None:
    files = {f"{level.id}.svg" for level in drawn.levels}
    for level in drawn.levels[1:]:
        others = [link for link in links(level) if not link.startswith("../index.html#")]
        assert set(others) <= files


def test_a_long_chain_is_drawn_in_columns_that_fit_a_screen() -> None:
    net = graphs.Net((1, 8, 16, 16))
    last = "input-1"
    for index in range(20):
        last = net.relu(net.norm(net.conv(last, 8 + index, 3, 1, 1)))
    (overview,) = diagram.draw(net.graph(last)).levels
    width, height = map(float, re.findall(r'(?:width|height)="([\d.]+)"', overview.svg)[:2])
    assert height < 1000 and width < 1920
    assert overview.svg.count(">A</text>") == 2


def test_a_value_that_many_boxes_read_is_a_stub_at_each() -> None:
    net = graphs.Net((1, 8, 16))
    mask = net.same("Sigmoid", "input-1")
    last = mask
    for operator in ("Tanh", "Abs", "Gelu", "Relu", "Exp", "Sqrt"):
        last = net.add("Mul", [net.same(operator, last), mask], (1, 8, 16))
    (overview,) = diagram.draw(net.graph(last)).levels
    assert overview.svg.count("from Sigmoid") > 3
