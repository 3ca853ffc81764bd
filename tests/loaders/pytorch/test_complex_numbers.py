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


ROTARY = """
import torch
from torch import nn
INPUTS = {"x": (2, 6, 16)}
class Turned(nn.Module):
    '''Queries and keys turned by complex numbers, as in the first Llama.'''
    def __init__(self):
        super().__init__()
        self.q, self.k = nn.Linear(16, 16), nn.Linear(16, 8)
        angles = torch.outer(torch.arange(12.0), 10 ** -(torch.arange(4) / 4))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))
    def forward(self, x):
        q, k = (layer(x).view(2, 6, -1, 8) for layer in (self.q, self.k))
        turns = self.turns[torch.arange(6)]
        q, k = (torch.view_as_complex(one.reshape(*one.shape[:-1], -1, 2)) for one in (q, k))
        q, k = q * turns[:, None], k * turns.unsqueeze(-2)
        k = k.unsqueeze(3).expand(-1, -1, -1, 2, -1).flatten(2, 3).repeat(1, 1, 2, 1)[:, :, :2]
        first, second = torch.view_as_real(q).flatten(3).split(1, dim=-2)
        parts = torch.stack([k.select(-2, 0).real, *k.unbind(2)[1].imag.unbind(0)][:1])
        return torch.cat([first, second], 2), torch.view_as_real(k).flatten(3), parts
model = Turned
"""


def test_turns_by_complex_numbers_give_the_numbers_of_torch(tmp_path):
    assert agrees(proof(write(tmp_path, ROTARY)))
