"""The layer tables of our catalog, byte for byte.

A change that alters them shows itself here; `pytest --rewrite-golden` takes it as the new truth,
and the difference is then read in the commit.
"""

from __future__ import annotations

import pytest

from modeldocs.site.layer_table import csv_bytes

PORTS = [
    ("alexnet", "caffe"),
    ("alexnet", "pytorch"),
    ("lenet", "caffe"),
    ("lenet", "onnx"),
    ("lenet", "pytorch"),
    ("resnet50", "caffe"),
    ("resnet50", "pytorch"),
]


def test_every_port_of_the_catalog_has_a_golden_table(own_catalog):
    assert [(m.id, port.name) for m in own_catalog.models for port in m.ports] == PORTS


@pytest.mark.parametrize(("model", "port"), PORTS)
def test_a_ports_layer_table_is_as_it_was(model, port, loaded, golden):
    golden(f"{model}-{port}.csv", csv_bytes(loaded(model, port).graph))
