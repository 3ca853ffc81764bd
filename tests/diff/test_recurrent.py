"""A recurrent layer beside cells that are called step by step."""

from __future__ import annotations

import pytest

from modeldocs.diff import compare

from ..loaders.ports import graph_of, write

torch = pytest.importorskip("torch")

STEPS = """
import torch
from torch import nn
INPUTS = {"x": (1, 3, 4)}
class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 5)
    def forward(self, x):
        state = None
        for step in x.unbind(1):
            state = self.cell(step, state)
        return state
model = Steps
"""
WHOLE = """
import torch
from torch import nn
INPUTS = {"x": (1, 3, 4)}
class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(4, 5, batch_first=True)
    def forward(self, x):
        return self.cell(x)[0][:, -1]
model = Whole
"""


def test_a_projection_of_a_constant_state_is_compared(tmp_path):
    graphs = []
    for name, source in (("steps", STEPS), ("whole", WHOLE)):
        (tmp_path / name).mkdir()
        graphs.append(graph_of(write(tmp_path / name, source)))
    assert compare(*graphs).verdict == compare(*reversed(graphs)).verdict == "different"
