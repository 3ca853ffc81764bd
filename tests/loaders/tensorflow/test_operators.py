"""Operators: what TensorFlow computes is what onnxruntime computes of the graph, layer by layer."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

NETWORKS = Path(__file__).with_name("networks.py")


def fed():
    """The inputs of each network, by its name."""
    found = {}
    for node in ast.parse(NETWORKS.read_text()).body:
        for held in getattr(node, "decorator_list", ()):
            if isinstance(held, ast.Call):
                found[node.name] = {k.arg: ast.literal_eval(k.value) for k in held.keywords}
    return found


@pytest.mark.parametrize(("network", "inputs"), fed().items())
def test_proven_layer_by_layer(network, inputs, tensorflow):
    proof = tensorflow.proof(NETWORKS, entry=network, inputs=inputs)
    assert proof.verdict == "verified", proof
    assert proof.first is None
