"""The layer tables of our catalog, byte for byte.

A change that alters them shows itself here; `pytest --rewrite-golden` takes it as the new truth,
and the difference is then read in the commit.
"""

from __future__ import annotations

import pytest

from modeldocs import catalog
from modeldocs.loaders import frameworks
from modeldocs.site.port.layer_row import rows
from modeldocs.site.port.layer_table import csv_bytes
from tests.conftest import REPOSITORY

MODELS = ("alexnet", "lenet", "resnet50")
"""Every framework is among their ports."""

PORTS = [
    (model.id, port.name)
    for model in catalog.read(REPOSITORY / "models").models
    if model.id in MODELS
    for port in model.ports
]


def test_every_framework_has_a_golden_table(own_catalog):
    named = {own_catalog.port(f"{model}/{port}")[1].framework for model, port in PORTS}
    assert named == set(frameworks())


@pytest.mark.parametrize(("model", "port"), PORTS)
def test_a_ports_layer_table_is_as_it_was(model, port, loaded, golden):
    golden(f"{model}-{port}.csv", csv_bytes(rows(loaded(model, port).graph)))
