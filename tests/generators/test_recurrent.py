"""Recurrent layers of each target: in one direction and both, steps and last states."""

from __future__ import annotations

from pathlib import Path

import pytest

import modeldocs as md

pytestmark = pytest.mark.xdist_group("generate command")

SOURCE = """
import torch
from torch import nn

INPUTS = {"x": (1, 7, 5)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 6, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(12, 4, batch_first=True)
        self.rnn = nn.RNN(4, 3, bias=False)
        self.head = nn.Linear(7, 2)

    def forward(self, x):
        y, _ = self.lstm(x)
        y, state = self.gru(y)
        z, _ = self.rnn(y.transpose(0, 1))
        return self.head(torch.cat([z[-1], state[0]], dim=1))
"""


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("flax", "nnx.RNN(GRUCellWithBiases(12, 4, rngs=rngs))"),
        ("keras", "layers.Bidirectional(layers.LSTM(6, return_sequences=True)"),
        ("pytorch", "nn.LSTM(5, 6, batch_first=True, bidirectional=True)"),
    ],
)
def test_they_are_the_frameworks_own(target: str, code: str, tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(SOURCE)
    made = md.generate(f"{file}:Net", to=target)
    assert made.proof is not None and made.proof.reason is None
    assert code in made.code
