"""Architectures as text: what is said of known networks, and what holds for any network."""

from __future__ import annotations

import msgspec
import pytest

from modeldocs.fold import describe, fold
from modeldocs.ir import LayerGraph
from tests.diff import graphs
from tests.diff.graphs import Net

from .networks import blocks, tangled


def text(graph: LayerGraph, limit: int = 600) -> str:
    return describe(graph, fold(graph), limit)


def test_resnet50_is_four_runs_of_bottlenecks_the_first_of_which_is_described() -> None:
    said = text(graphs.resnet50())
    assert said.startswith("Conv 7×7 /2 + BatchNormalization + Relu → MaxPool 3×3 /2 → 3 × Bottle")
    assert said.count("[") == 1
    assert "→ 4 × Bottleneck at 28×28 → 6 × Bottleneck at 14×14 → 3 × Bottleneck at 7×7 →" in said


def test_a_transformer_is_one_repeat_with_its_parts() -> None:
    said = text(graphs.transformer(12))
    assert "12 × Transformer block [" in said
    assert "Attention [" in said
    assert "MLP [" in said


def test_branches_are_told_from_layers_that_follow_each_other() -> None:
    net = Net((1, 8, 32, 32))
    narrow = net.conv("input-1", 8)
    wide = net.conv(net.conv("input-1", 8), 8, 3, 1, 1)
    pooled = net.conv(net.same("MaxPool", "input-1", kernel_shape=[3, 3]), 8)
    graph = net.graph(net.add("Concat", [narrow, wide, pooled], (1, 24, 32, 32)))
    assert "Conv 1×1; Conv 1×1 → Conv 3×3; MaxPool 3×3 → Conv 1×1 → Concat" in text(graph)


def test_equal_layers_in_a_row_are_counted() -> None:
    net = Net((1, 3, 32, 32))
    last = net.relu(net.conv(net.relu(net.conv("input-1", 8, 3, 1, 1)), 8, 3, 1, 1))
    assert text(net.graph(last)) == "2 × [Conv 3×3 + Relu]"


def test_what_is_too_long_is_told_with_less_inside_then_with_a_gap() -> None:
    graph = graphs.resnet50()
    assert "[" not in text(graph, 220)
    short = text(graph, 90)
    assert short.startswith("Conv 7×7 /2")
    assert " → … → " in short
    assert short.endswith(text(graph).rpartition(" → ")[2])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limit", [60, 600])
def test_it_is_never_longer_than_asked_for_and_never_empty(seed: int, limit: int) -> None:
    for graph in (tangled(60, seed), blocks(80, seed)):
        assert 0 < len(text(graph, limit)) <= limit


def test_it_does_not_depend_on_names() -> None:
    graph = blocks(60, 1)
    renamed = [msgspec.structs.replace(layer, name=f"x{layer.id}") for layer in graph.layers]
    assert text(msgspec.structs.replace(graph, layers=tuple(renamed))) == text(graph)
