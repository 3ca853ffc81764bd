"""Parity of ports of our own catalog, as a build runs it."""

from __future__ import annotations

import pytest

from modeldocs import diff, parity


@pytest.mark.parametrize(("a", "b"), [("caffe", "keras"), ("torch7", "pytorch"), ("onnx", "mxnet")])
def test_ports_of_lenet_give_the_same_numbers(a, b, loaded):
    ours, theirs = loaded("lenet", a), loaded("lenet", b)
    made = parity.compare(ours.normal, theirs.normal, diff.compare(ours.graph, theirs.graph))
    assert made.verdict == "holds" and made.outputs.relative < 1e-5
    assert made.compared == 8 and not made.uncompared
    told = [one.text for one in made.a_to_b.weights.converted]
    assert sum("columns (C, H, W) → (H, W, C)" in text for text in told) == (b == "keras")


def test_where_resnet_begins_to_differ(loaded):
    ours, theirs = loaded("resnet50", "caffe"), loaded("resnet50", "mxnet")
    told = diff.compare(ours.graph, theirs.graph)
    made = parity.compare(ours.normal, theirs.normal, told)
    assert made.verdict == "diverges"
    assert all(one.change for one in made.divergences)
    titles = [told.changes[one.change - 1].title for one in made.a_to_b.divergences]
    assert made.first.pair[0] == ("conv-1", "batchnormalization-1")
    assert sum("epsilon 1e-05 → 2e-05" in title for title in titles) == 53
    assert sum("pads" in title for title in titles) == 1
    assert not made.uncompared


def test_the_epsilon_of_ssds_norm_is_named(loaded):
    """Caffe adds 1e-10 under the root; PyTorch's 1e-10 bounds the length itself."""
    ours, theirs = loaded("ssd300-vgg16", "caffe"), loaded("ssd300-vgg16", "pytorch")
    told = diff.compare(ours.graph, theirs.graph)
    made = parity.compare(ours.normal, theirs.normal, told)
    (held,) = made.divergences
    assert held.pair[0] == ("lpnormalization-1",) and held.on_equal_inputs
    assert told.changes[held.change - 1].attribute == "epsilon"


def test_a_pair_has_one_verdict_whichever_port_is_a(loaded):
    """The exported ONNX has folded its norms and has no bias: it can be held, and cannot hold."""
    ours, theirs = loaded("resnet50", "pytorch"), loaded("resnet50", "onnx")
    made = parity.compare(ours.normal, theirs.normal, diff.compare(ours.graph, theirs.graph))
    back = parity.compare(theirs.normal, ours.normal, diff.compare(theirs.graph, ours.graph))
    assert made.verdict == back.verdict == "one way"
    assert made.b_to_a.verdict == back.a_to_b.verdict == "holds"
    assert made.a_to_b.outputs == back.b_to_a.outputs
