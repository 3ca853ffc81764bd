"""Parity of ports of our own catalog, as a build runs it."""

from __future__ import annotations

import pytest

from modeldocs import diff
from modeldocs.numeric import parity
from tests.loaders.ports import in_worker, write


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


NORM_OF_SSD = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: [1, 3, 8, 8] } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 16 kernel_size: 3 } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "norm" type: "Normalize" bottom: "conv" top: "norm"
  norm_param { across_spatial: false channel_shared: false
    scale_filler { type: "constant" value: 20 } } }
layer { name: "head" type: "Convolution" bottom: "norm" top: "head"
  convolution_param { num_output: 4 kernel_size: 3 } }
"""
IN_PYTORCH = """
import torch
from torch import nn

INPUTS = {"data": (1, 3, 8, 8)}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 16, 3), nn.Conv2d(16, 4, 3)
        self.weight = nn.Parameter(torch.full((16,), 20.0))

    def forward(self, data):
        x = nn.functional.normalize(self.conv(data).relu(), dim=1, eps=1e-10)
        return self.head(x * self.weight.view(1, -1, 1, 1))
"""


def test_the_epsilon_of_ssds_norm_is_named(tmp_path):
    """Caffe adds 1e-10 under the root; PyTorch's 1e-10 bounds the length itself."""
    pytest.importorskip("torch")
    ours = in_worker(write(tmp_path, NORM_OF_SSD, "caffe.prototxt"), "caffe")
    theirs = in_worker(write(tmp_path, IN_PYTORCH), "pytorch")
    structure = diff.compare(ours.graph, theirs.graph)
    result = parity.compare(ours.normal, theirs.normal, structure)
    assert [structure.changes[number - 1].attribute for number in result.small] == ["epsilon"]
    assert not result.divergences  # at values of usual size
