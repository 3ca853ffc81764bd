"""Views are of values, not of memory: strides decide nothing in a graph."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError

from ..ports import graph_of, write
from .nets import agrees, proof

pytest.importorskip("torch")

ATTENDED = """
        q, k, v = (t.view(2, 6, 2, 4).transpose(1, 2) for t in self.qkv(x).split(8, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)
"""
"""Attention as GPTs are written, whose kernel's result needs no copy to be contiguous."""

MASKED = ATTENDED.replace("is_causal=True", "attn_mask=torch.ones(6, 6).tril()")

FILTERED = """
        image = x.view(2, 1, 6, 8).contiguous(memory_format=torch.channels_last)
        y = self.conv(image)
"""

POSSIBLE = {
    "view": ATTENDED + "        return y.contiguous().view(2, 6, 8)",
    "view of what a mask shaped": MASKED + "        return y.contiguous().view(2, 6, 8)",
    "a view that is written to": """
        y = x.clone()
        y.view(12, 8)[0] = 1
        return self.qkv(y)""",
    "view_as": ATTENDED + "        return y.contiguous().view_as(x)",
    "unflatten": ATTENDED + "        return y.contiguous().flatten(2).unflatten(2, (4, 2))",
    "channels last": FILTERED + "        return y.permute(0, 2, 3, 1).view(2, 48, 3)",
    "as_strided of a transpose": """
        return self.qkv(x).transpose(1, 2).as_strided((2, 3, 8), (144, 48, 1))""",
    "as_strided of a slice": """
        return self.qkv(x)[:, 2:].as_strided((2, 2, 8), (144, 24, 1))""",
    "as_strided of a piece": """
        return self.qkv(x).split(8, 2)[1].as_strided((2, 4), (144, 3))""",
    "as_strided of channels last": FILTERED
    + "        return y.as_strided((2, 3, 8), (144, 24, 1))",
}
"""Bodies of `forward` that torch runs."""


def port(folder, body):
    return write(folder, f"""
import torch
from torch import nn
from torch.nn import functional as F
INPUTS = {{"x": (2, 6, 8)}}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.conv = nn.Linear(8, 24), nn.Conv2d(1, 3, 3, padding=1)
    def forward(self, x):
{body}
""")  # fmt: skip


@pytest.mark.parametrize("written", POSSIBLE)
def test_what_torch_runs_is_loaded_and_agrees(tmp_path, written):
    assert agrees(proof(port(tmp_path, POSSIBLE[written])))


def test_a_view_that_torch_refuses_is_refused_in_its_words(tmp_path):
    with pytest.raises(ModeldocsError, match="view size is not compatible") as raised:
        graph_of(port(tmp_path, "        return self.qkv(x).transpose(1, 2).view(2, 144)"))
    assert raised.value.line == 11
