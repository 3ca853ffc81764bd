"""Graphs that train, without an output but the step: the network in them is found."""

from __future__ import annotations

import pytest

LEFT_OUT = "a graph that trains: losses, gradients and updates are left out"


@pytest.fixture(scope="module")
def saved(tensorflow):
    return tensorflow.saved("training")


@pytest.mark.parametrize("name", ["queue", "dataset", "servers", "towers", "partitioned"])
def test_the_network_is_found_under_what_trains_it(tensorflow, saved, name):
    graph = tensorflow.graph(saved / f"{name}.meta")
    computing = [layer.operator for layer in graph.layers if layer.operator != "Split"]
    assert computing == ["Conv", "Relu", "Gemm"]
    assert graph.totals().parameters == 3 * 3 * 3 * 4 + 64 * 5
    assert [one.type.shape[1:] for one in graph.inputs] == [(8, 8, 3)]
    assert graph.layers[-1].outputs[0].shape == (4, 5)
    assert LEFT_OUT in graph.notes


def test_it_computes_what_tensorflow_computes(tensorflow, saved):
    assert tensorflow.proof(saved / "partitioned.meta").verdict == "verified"


def test_towers_are_one_network(tensorflow, saved):
    graph = tensorflow.graph(saved / "towers.meta")
    assert any("has the same network 2 times" in note for note in graph.notes)


def test_devices_are_kept(tensorflow, saved):
    graph = tensorflow.graph(saved / "servers.meta")
    devices = {origin.device for layer in graph.layers for origin in layer.origins}
    assert any("/job:worker" in device for device in devices if device)


def test_products_of_parts_are_counted_whole(tensorflow, saved):
    graph = tensorflow.graph(saved / "partitioned.meta")
    assert [layer.macs for layer in graph.layers] == [4 * 4 * 4 * 4 * 27, 0, 4 * 64 * 5]
