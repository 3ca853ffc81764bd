"""Networks as architectures: stages by resolution, depth and receptive field."""

from __future__ import annotations

import pytest

from modeldocs.fold import Architecture, architecture, fold
from modeldocs.ir import LayerGraph

from ..diff.graphs import Net, resnet50, transformer


def of(graph: LayerGraph) -> Architecture:
    return architecture(graph, fold(graph))


def test_resnet_has_its_stages_with_their_blocks() -> None:
    """Its depth is in its name."""
    found = of(resnet50())
    blocks = {stage.size: dict(stage.blocks).get("Bottleneck") for stage in found.stages}
    assert blocks == {
        "112×112": None, "56×56": 3, "28×28": 4, "14×14": 6, "7×7": 3, "vector": None,
    }  # fmt: skip
    assert found.depth == 50
    assert dict(found.kernels) == {"7×7": 1, "1×1": 36, "3×3": 16}


def test_stages_add_up_to_the_whole() -> None:
    graph = resnet50()
    found, totals = of(graph), graph.totals()
    assert sum(stage.layers for stage in found.stages) == totals.layers
    assert sum(stage.parameters for stage in found.stages) == totals.parameters


@pytest.mark.parametrize(
    ("windows", "field"),
    [
        (((3, 1), (3, 1)), 5),
        (((3, 2), (3, 1)), 7),
        (((7, 2), (3, 2), (3, 1)), 19),
    ],
)
def test_a_receptive_field_grows_by_windows_and_strides(
    windows: tuple[tuple[int, int], ...], field: int
) -> None:
    net = Net((1, 3, 64, 64))
    last = "input-1"
    for kernel, stride in windows:
        last = net.conv(last, 8, kernel, stride, kernel // 2)
    assert of(net.graph(last)).receptive_field == (field, field)


def test_a_value_behind_attention_depends_on_the_whole_input() -> None:
    found = of(transformer())
    assert found.receptive_field == ()
    assert found.stages[0].size == "16"


def test_images_that_shrink_a_little_without_pads_are_of_one_stage() -> None:
    net = Net((1, 3, 64, 64))
    last = net.conv(net.conv("input-1", 8, 3), 8, 3)
    found = of(net.graph(net.pool(last, 2, 2)))
    assert [(stage.size, stage.layers) for stage in found.stages] == [("62×62", 2), ("30×30", 1)]
