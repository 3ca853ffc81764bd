"""Totals of a graph, and how much of its activations is alive at once."""

from __future__ import annotations

import json

import pytest

from modeldocs.ir import (
    GraphInput,
    GraphOutput,
    Layer,
    LayerGraph,
    Operand,
    Parameter,
    TensorType,
    encode,
)


def floats(count: int | str) -> TensorType:
    return TensorType(shape=(count,), dtype="float32")


def reads(value: str, output: int = 0) -> Operand:
    return Operand(slot=0, value=value, output=output, type=floats(1))


def layer(name: str, sources: list[str], *sizes: int | str, **more: object) -> Layer:
    inputs = tuple(reads(source) for source in sources)
    return Layer(
        id=name,
        name=name,
        operator="Op",
        inputs=inputs,
        outputs=tuple(map(floats, sizes)),
        activation_bytes=0,
        **more,
    )


def graph(size: int | str, *layers: Layer, ends: str) -> LayerGraph:
    return LayerGraph(
        name="net",
        inputs=(GraphInput(id="input-1", name="x", type=floats(size)),),
        layers=layers,
        outputs=(GraphOutput(name="y", source=reads(ends)),),
    )


def peak(*given: object, **more: str) -> int | None:
    return graph(*given, **more).totals().peak_activation_bytes


def test_of_a_chain_two_tensors_are_alive_at_once():
    layers = layer("a", ["input-1"], 8), layer("b", ["a"], 2), layer("c", ["b"], 1)
    assert peak(4, *layers, ends="c") == (8 + 4) * 4


def test_what_a_later_layer_reads_is_kept():
    layers = layer("a", ["input-1"], 8), layer("b", ["a"], 8), layer("c", ["b"], 8)
    assert peak(1, *layers, layer("d", ["a", "c"], 8), ends="d") == 3 * 8 * 4
    assert peak(1, *layers, layer("d", ["c"], 8), ends="d") == 2 * 8 * 4


def test_what_the_graph_gives_out_is_kept_to_the_end():
    layers = layer("a", ["input-1"], 8), layer("b", ["a"], 8), layer("c", ["b"], 8)
    assert peak(1, *layers, ends="a") == 3 * 8 * 4


def test_an_output_that_nothing_reads_is_alive_while_it_is_written():
    assert peak(1, layer("a", ["input-1"], 2, 90), layer("b", ["a"], 3), ends="b") == 93 * 4


def test_an_input_that_nothing_reads_is_not_counted():
    given = GraphInput(id="input-2", name="unread", type=floats(1000))
    net = graph(1, layer("a", ["input-1"], 1), ends="a")
    more = LayerGraph(name="", inputs=(*net.inputs, given), layers=net.layers, outputs=net.outputs)
    assert more.totals().peak_activation_bytes == 8


@pytest.mark.parametrize("sizes", [("n", 1), (1, "n")])
def test_it_is_not_known_where_a_size_is_not(sizes):
    assert peak(sizes[0], layer("a", ["input-1"], sizes[1]), ends="a") is None


def test_a_shared_parameter_counts_once_and_statistics_apart():
    weight = Parameter(name="w", role="weight", shape=(3, 2), dtype="float32")
    mean = Parameter(name="m", role="mean", shape=(3,), dtype="float32", trainable=False)
    net = graph(
        1,
        layer("a", ["input-1"], 1, parameters=(weight, mean), macs=5),
        layer("b", ["a"], 1, parameters=(weight,), macs=2),
        ends="b",
    )
    totals = json.loads(encode(net))["totals"]
    assert (totals["layers"], totals["parameters"], totals["buffers"], totals["macs"]) == (
        2,
        6,
        3,
        7,
    )
