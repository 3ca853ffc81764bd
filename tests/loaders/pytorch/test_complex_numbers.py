"""Spectra: complex numbers that are cut, padded and brought back to a signal."""

from __future__ import annotations

import pytest

from ..ports import graph_of, operators, write
from .nets import agrees, proof

torch = pytest.importorskip("torch")

SPECTRUM = """
import torch
from torch import nn
from torch.nn import functional as F
INPUTS = {"x": (1, 64)}
class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(9, 1))
    def forward(self, x):
        window = torch.hann_window(16)
        z = torch.stft(x, 16, 4, window=window, return_complex=True)
        z = F.pad(z[..., :-1, 1:], (1, 0, 0, 1))
        z = torch.view_as_complex(torch.view_as_real(z) * self.gain.unsqueeze(-1))
        return torch.istft(z, 16, 4, window=window)
model = Filter
"""


def test_padded_spectra_give_the_numbers_of_torch(tmp_path):
    request = write(tmp_path, SPECTRUM)
    assert "Pad" in operators(graph_of(request))
    assert agrees(proof(request))
