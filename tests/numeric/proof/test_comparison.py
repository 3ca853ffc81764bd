"""A framework's numbers against the graph's: what agrees, what does not, and where it begins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx_ir as ir
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.loaders import reference, samples, weights
from modeldocs.loaders.reference import Reference, spare
from modeldocs.numeric.execution.closeness import Difference, output_distance
from modeldocs.numeric.proof import ParameterCount, Proof
from modeldocs.numeric.proof.comparison import compare, largest_difference
from tests import onnxes

NET = """net (float[2,3,5,5] x) => (float[2,4,5,5] y) {
  a = Conv <kernel_shape=[3,3], pads=[1,1,1,1]> (x, w)
  b = BatchNormalization <epsilon=EPSILON> (a, s, t, m, v)
  y = Relu (b)
}"""
FLOATS = arrays.arrays(np.float32, (3, 4), elements=st.floats(-1e3, 1e3, width=32))


def net(epsilon: float = 1e-5) -> ir.Model:
    """A convolution, a batch normalisation and a ReLU with weights of no meaning."""
    drawn = {
        "w": spare("w", (4, 3, 3, 3)),
        "s": spare("s", (4,)),
        "t": spare("t", (4,)),
        "m": spare("m", (4,)),
        "v": spare("v", (4,)),
    }
    model = ir.from_proto(onnxes.parse(NET.replace("EPSILON", str(epsilon)), **drawn))
    for name, value in model.graph.initializers.items():
        origin.mark_parameter(value, trainable=name in "wst")
    for node, name in zip(model.graph, ("conv", "bn", "relu"), strict=True):
        origin.attach(node, origin.Provenance(name=name))
    return model


def by_numpy(epsilon: float = 1e-5) -> Reference:
    """The same net computed here, layer by layer."""
    held = {name: v.const_value.numpy() for name, v in net().graph.initializers.items()}
    x = samples.sample("x", (2, 3, 5, 5))
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    a = np.einsum("nchwij,ocij->nohw", windows, held["w"])
    s, t, m, v = (held[name].reshape(1, 4, 1, 1) for name in "stmv")
    b = (a - m) / np.sqrt(v + epsilon) * s + t
    return Reference(
        software="numpy",
        inputs={"x": x},
        outputs={"y": np.maximum(b, 0).astype(np.float32)},
        activations={"a": a.astype(np.float32), "b": b.astype(np.float32)},
        trainable=4 * 27 + 8,
        frozen=8,
    )


def test_the_same_net_is_verified():
    made = compare(net(), by_numpy())
    assert made.verdict == "verified" and made.first is None
    assert made.worst.relative < 1e-6
    assert made.ours == made.theirs == ParameterCount(trainable=116, frozen=8)


def test_another_epsilon_is_found_and_its_layer_named():
    made = compare(net(epsilon=1e-3), by_numpy())
    assert made.verdict == "disagrees" and made.first == "bn"
    assert 1e-4 < made.loaded.relative < 1e-2


def test_a_parameter_that_is_not_counted_disagrees():
    held = by_numpy()
    fewer = Reference(held.software, held.inputs, held.outputs, trainable=115, frozen=8)
    made = compare(net(), fewer)
    assert made.loaded.small and made.verdict == "disagrees"


def test_an_operator_that_onnx_lacks_is_named():
    model = ir.from_proto(onnxes.parse("net (float[1] x) => (float[1] y) { y = own.Prior (x) }"))
    held = Reference("none", {"x": np.ones(1, np.float32)}, {"y": np.ones(1, np.float32)})
    with pytest.raises(ModeldocsError, match="own Prior"):
        compare(model, held)


def test_what_leads_to_no_output_that_is_compared_need_not_run():
    text = "net (float[1] x) => (float[1] z) { y = Relu (x)  z = own.Prior (y) }"
    held = Reference("none", {"x": np.ones(1, np.float32)}, {"y": np.ones(1, np.float32)})
    assert compare(ir.from_proto(onnxes.parse(text)), held).verdict == "verified"


def test_crosses_the_border_between_processes_whole(tmp_path):
    filled = {name: v.const_value.numpy() for name, v in net().graph.initializers.items()}
    reference.write(weights.without(net()), replace(by_numpy(), parameters=filled), tmp_path)
    model, held = reference.read(tmp_path)
    assert compare(model, held).verdict == "verified"
    assert set(held.activations) == {"a", "b"}


@given(a=FLOATS, b=FLOATS)
@settings(max_examples=60, deadline=None)
def test_the_error_is_zero_for_the_same_alone_and_grows_with_the_distance(a, b):
    assert output_distance(a, a) == Difference(absolute=0.0, relative=0.0)
    if a.any() and b.any():
        assert output_distance(a, b).absolute == output_distance(b, a).absolute
    assert (output_distance(a, b).absolute == 0.0) == np.array_equal(a, b)


@pytest.mark.parametrize("wrong", [np.full((2,), np.nan), np.full((2,), np.inf), np.ones((2, 1))])
def test_what_cannot_be_compared_is_not_small(wrong):
    held = output_distance(np.ones((2,)), wrong)
    assert held == Difference() and not held.small


def test_an_output_of_zeros_proves_nothing():
    held = Reference("none", {"x": -np.ones(1, np.float32)}, {"y": np.zeros(1, np.float32)})
    model = ir.from_proto(onnxes.parse("net (float[1] x) => (float[1] y) { y = Relu (x) }"))
    with pytest.raises(ModeldocsError, match="y is zero everywhere"):
        compare(model, held)


def test_an_output_that_is_missing_is_not_small():
    assert largest_difference({"y": np.ones(1)}, {}) == Difference()
    assert Proof(loaded=Difference(), normal=Difference()).verdict == "disagrees"
