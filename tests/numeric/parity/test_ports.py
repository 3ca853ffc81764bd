"""Parity of ports of our own catalog, as a build runs it."""

from __future__ import annotations

import pytest

from modeldocs import diff
from modeldocs.numeric import parity


@pytest.mark.parametrize(("a", "b"), [("caffe", "keras"), ("torch7", "pytorch"), ("onnx", "mxnet")])
def test_ports_of_lenet_give_the_same_numbers(a, b, loaded):
    ours, theirs = loaded("lenet", a), loaded("lenet", b)
    result = parity.compare(ours.normal, theirs.normal, diff.compare(ours.graph, theirs.graph))
    assert result.verdict == "holds" and result.outputs.relative < 1e-5
    assert result.compared == 8 and not result.uncompared
    texts = [one.text for one in result.a_to_b.weights.converted]
    assert sum("columns (C, H, W) → (H, W, C)" in text for text in texts) == (b == "keras")


def test_where_resnet_begins_to_differ(loaded):
    ours, theirs = loaded("resnet50", "caffe"), loaded("resnet50", "mxnet")
    structure = diff.compare(ours.graph, theirs.graph)
    result = parity.compare(ours.normal, theirs.normal, structure)
    assert result.verdict == "diverges"
    assert all(one.change for one in result.divergences)
    titles = [structure.changes[one.change - 1].title for one in result.a_to_b.divergences]
    assert result.first.pair[0] == ("conv-1", "batchnormalization-1")
    assert sum("epsilon 1e-5 → 2e-5" in title for title in titles) == 53
    assert sum("pads" in title for title in titles) == 1
    assert not result.uncompared


def test_the_epsilon_of_ssds_norm_is_named(loaded):
    """Caffe adds 1e-10 under the root; PyTorch's 1e-10 bounds the length itself."""
    ours, theirs = loaded("ssd300-vgg16", "caffe"), loaded("ssd300-vgg16", "pytorch")
    structure = diff.compare(ours.graph, theirs.graph)
    result = parity.compare(ours.normal, theirs.normal, structure)
    assert [structure.changes[number - 1].attribute for number in result.small] == ["epsilon"]
    assert not result.divergences  # at values of usual size


def test_a_pair_has_one_verdict_whichever_port_is_a(loaded):
    """The exported ONNX has folded its norms and has no bias: it can be held, and cannot hold."""
    ours, theirs = loaded("resnet50", "pytorch"), loaded("resnet50", "onnx")
    result = parity.compare(ours.normal, theirs.normal, diff.compare(ours.graph, theirs.graph))
    back = parity.compare(theirs.normal, ours.normal, diff.compare(theirs.graph, ours.graph))
    assert result.verdict == back.verdict == "one way"
    assert result.b_to_a.verdict == back.a_to_b.verdict == "holds"
    assert result.a_to_b.outputs == back.b_to_a.outputs
