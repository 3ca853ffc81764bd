"""Rows of a log of times by layer, and the port's layers that they belong to."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs import catalog
from modeldocs.benchmarks.readers import Recording
from modeldocs.catalog import Port
from modeldocs.errors import ModeldocsError
from modeldocs.published.layer_matching import match_layers

from ..benchmarks.examples import example
from ..prototxts import NET


@pytest.fixture
def port(tmp_path: Path) -> Port:
    """A port of the net, whose layers have names of their own."""
    folder = tmp_path / "models" / "net"
    folder.mkdir(parents=True)
    (folder / "caffe.prototxt").write_text(NET.replace('"conv"', '"first"'))
    return catalog.read(tmp_path / "models").port("net/caffe")[1]


def test_layers_of_other_names_are_matched_by_the_diff(port: Port) -> None:
    recording = Recording(example(), prototxt=NET)
    assert match_layers(recording, port)["conv"] == "conv-1"


def test_of_a_network_that_was_cut_off_equal_names_and_sizes_are_matched(port: Port) -> None:
    sizes = {"conv": (16, 4, 6, 6), "first": (16, 4, 6, 6), "relu": (16, 9, 9, 9)}
    cut = NET[: NET.rindex("layer {") + 9]
    matched = match_layers(Recording(example(), prototxt=cut, shapes=sizes), port)
    assert matched == {"first": "conv-1"}


def test_a_port_that_does_not_load_is_told(port: Port) -> None:
    assert port.source is not None
    port.source.write_text("layer {")
    with pytest.raises(ModeldocsError, match="ends inside"):
        match_layers(Recording(example(), prototxt=NET), port)
