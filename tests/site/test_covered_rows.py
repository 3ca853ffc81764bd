"""Nodes of folded diagrams and the rows that they stand for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.diagram import Drawing, draw_levels
from modeldocs.diff import compare
from modeldocs.fold import fold
from modeldocs.site.pair import alignment, covered_rows, side_by_side_diagrams

from ..diff.graphs import NETS, Net

numbers = st.lists(st.integers(0, 300), unique=True, max_size=40).map(sorted)


def expanded(progressions: list[list[int]]) -> list[int]:
    """The numbers that a page's script reads from the short form."""
    result: list[int] = []
    for start, *more in progressions:
        count, step = [*more, 1, 1][:2] if len(more) < 2 else more
        result += range(start, start + count * step, step)
    return result


@given(numbers)
def test_numbers_in_short_are_the_same_numbers(rows: list[int]) -> None:
    assert expanded(covered_rows.progressions(rows)) == rows


def test_equal_blocks_are_one_entry() -> None:
    assert covered_rows.progressions([3, 4, 5, 6]) == [[3, 4]]
    assert covered_rows.progressions([2, 9, 16, 23, 40]) == [[2, 4, 7], [40]]


@pytest.mark.parametrize("name", sorted(NETS))
def test_what_is_drawn_stands_for_every_layer_once(name: str) -> None:
    graph = NETS[name]()
    covered = covered_rows.covered_layers(graph)
    network = fold(graph)
    groups = {group.id for group in network.groups()}
    layers = [layer for node, held in covered.items() if node not in groups for layer in held]
    assert sorted(layers) == sorted(layer.id for layer in graph.layers)
    for group in network.groups():
        if group.id in covered:
            assert set(group.layers()) <= set(covered[group.id])


def blocks(count: int, odd: int | None = None) -> Net:
    """Equal residual blocks, of which one has another epsilon."""
    net = Net((1, 8, 8, 8))
    last = net.relu("input-1")
    for block in range(count):
        inner = net.norm(net.conv(last, 8, 3, 1, 1), 1e-3 if block == odd else 1e-5)
        last = net.relu(net.add("Add", [last, inner], net.shape(last)))
    return net


def test_a_difference_in_any_block_marks_the_box_that_stands_for_all() -> None:
    graphs = blocks(6).graph(), blocks(6, odd=4).graph()
    rows = alignment.rows(compare(*graphs), graphs)
    drawings = [Drawing(levels=draw_levels(graph)) for graph in graphs]
    both = side_by_side_diagrams.twins(
        rows, graphs, drawings, ("../a/index.html", "../b/index.html")
    )
    first = both[0]
    repeat = next(node for node in first.groups() if node.endswith("x6"))
    assert first.marks[repeat].text == "≠"
    assert 'class="mr-marked mr-consequence-computes"' in first.overview()
    assert f'xlink:href="../a/levels/{repeat}.svg"' in first.overview()
    assert len(first.rows["batchnormalization-1"]) == 6
    assert first.marks["batchnormalization-1"].consequence == "computes"


def test_groups_of_the_same_rows_are_opened_together() -> None:
    ours = {"a-1": (0, 1, 2, 3), "a-2": (4, 5, 6), "a-3": (7,)}
    theirs = {"b-1": (0, 1, 2), "b-2": (3, 4, 5, 6), "b-3": (8, 9)}
    assert covered_rows.counterparts(ours, theirs) == {"a-1": "b-1", "a-2": "b-2"}
