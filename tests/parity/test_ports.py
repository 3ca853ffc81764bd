"""Parity of ports of our own catalog, as a build runs it."""

from __future__ import annotations

import pytest

from modeldocs import diff, parity


@pytest.mark.parametrize(("a", "b"), [("caffe", "keras"), ("torch7", "pytorch"), ("onnx", "mxnet")])
def test_ports_of_lenet_give_the_same_numbers(a, b, loaded):
    ours, theirs = loaded("lenet", a), loaded("lenet", b)
    made = parity.compare(ours, theirs, diff.compare(ours.graph, theirs.graph))
    assert made.verdict == "holds" and made.outputs.relative < 1e-5
    assert made.compared == 8 and not made.uncompared
    told = [one.text for one in made.a_to_b.weights.converted]
    assert sum("columns (C, H, W) → (H, W, C)" in text for text in told) == (b == "keras")


def test_where_resnet_begins_to_differ(loaded):
    ours, theirs = loaded("resnet50", "caffe"), loaded("resnet50", "mxnet")
    told = diff.compare(ours.graph, theirs.graph)
    made = parity.compare(ours, theirs, told)
    titles = [told.changes[one.change - 1].title for one in made.divergences if one.change]
    assert made.verdict == "diverges" and len(titles) == len(made.divergences)
    assert made.first.pair[0] == ("conv-1", "batchnormalization-1")
    assert sum("epsilon 1e-05 → 2e-05" in title for title in titles) >= 53
    assert sum("pads" in title for title in titles) == 1
    assert not made.uncompared
