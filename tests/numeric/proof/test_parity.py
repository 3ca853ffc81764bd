"""Parity: a port that nothing runs, with another port's weights."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs import normal
from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.loaders.reference import Reference
from modeldocs.loaders.weights import drop
from modeldocs.numeric.proof import parity
from tests.numeric.proof.test_comparison import by_numpy, net


def bare(epsilon: float = 1e-5) -> ir.Model:
    """The net under other names, without weights, as a loader leaves it."""
    model = net(epsilon)
    for name in list(model.graph.initializers):
        value = model.graph.initializers.pop(name)
        value.name = f"own.{name}"
        model.graph.initializers[value.name] = value
    drop(model)
    return model


def compared(other, held, own):
    form = own.clone()
    normal.apply(form)
    return parity.compare(other, held, own, form)


def test_the_other_ports_weights_give_the_other_ports_numbers():
    made = compared(net(), by_numpy(), bare())
    assert made.verdict == "verified" and made.ours == made.theirs


def test_another_epsilon_is_found_and_its_layer_named():
    made = compared(net(), by_numpy(), bare(epsilon=1e-3))
    assert made.verdict == "disagrees" and made.first == "bn"


def test_weights_without_a_counterpart_are_named():
    model = bare()
    held = ir.tensor(np.ones((4, 4, 1, 1), np.float32), name="extra")
    extra = ir.Value(
        name="extra", const_value=held, shape=held.shape, type=ir.TensorType(held.dtype)
    )
    origin.mark_parameter(extra, trainable=True)
    model.graph.initializers["extra"] = extra
    node = ir.node("Conv", [model.graph.outputs[0], extra])
    origin.attach(node, origin.Provenance(name="extra"))
    node.outputs[0].name = "z"
    model.graph.append(node)
    model.graph.outputs[0] = node.outputs[0]
    with pytest.raises(ModeldocsError, match="extra has weights and no counterpart"):
        compared(net(), by_numpy(), model)


def test_other_inputs_are_told():
    held = by_numpy()
    two = Reference(held.software, held.inputs | {"k": held.inputs["x"]}, held.outputs)
    with pytest.raises(ModeldocsError, match="1 inputs, the other port 2"):
        compared(net(), two, bare())
