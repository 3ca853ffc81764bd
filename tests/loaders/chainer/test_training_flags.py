"""Functions that were applied in training mode are drawn as they compute."""

from __future__ import annotations

import pytest

from ..ports import in_worker, only, write

pytestmark = pytest.mark.xdist_group("chainer")

SOURCE = """
import chainer
import chainer.functions as F
import chainer.links as L

INPUTS = {"x": (2, 3, 4, 4)}


class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.norm = L.BatchNormalization(3)

    def forward(self, x):
        with chainer.using_config("train", True):
            return F.dropout(self.norm(x), 0.3)


model = Net()
"""


def test_dropout_and_statistics_of_the_batch(tmp_path):
    graph = in_worker(write(tmp_path, SOURCE, "chainer_net.py"), "chainer").graph
    dropout, norm = only(graph, "Dropout"), only(graph, "BatchNormalization")
    assert dropout.attributes == {"ratio": 0.3, "training_mode": 1}
    assert norm.attributes["training_mode"] == 1
    assert [p.role for p in norm.parameters] == ["scale", "bias"]
