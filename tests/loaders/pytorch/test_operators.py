"""Attention and its kin stay one operator, and compute what torch computes."""

from __future__ import annotations

import pytest

from ..ports import graph_of, operators, write
from .nets import agrees, proof

torch = pytest.importorskip("torch")

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"


def port(folder, body, shape, made="pass"):
    source = (
        f"{HEAD}INPUTS = {{'x': {shape}}}\nclass Net(nn.Module):\n"
        f"    def __init__(self):\n        super().__init__()\n        {made}\n"
        f"    def forward(self, x):\n        {body}\n"
    )
    return write(folder, source)


class TestAttention:
    @pytest.mark.parametrize(
        ("shape", "arguments"),
        [
            ((2, 3, 5, 4), ""),
            ((2, 3, 5, 4), "is_causal=True"),
            ((2, 3, 5, 4), "scale=0.3"),
            ((2, 3, 5, 4), "attn_mask=torch.ones(5, 5).tril().bool()"),
            ((2, 3, 5, 4), "attn_mask=torch.linspace(-1, 1, 5).expand(2, 1, 5, 5)"),
            ((3, 5, 4), ""),
            ((3, 5, 4), "attn_mask=torch.linspace(-1, 1, 75).view(3, 5, 5)"),
            ((5, 4), ""),
            ((2, 2, 3, 5, 4), "is_causal=True"),
        ],
    )
    def test_it_is_one_operator(self, tmp_path, shape, arguments):
        body = f"return F.scaled_dot_product_attention(x, x + 1, x * 2, {arguments})"
        asked = port(tmp_path, body, shape)
        assert operators(graph_of(asked)).count("Attention") == 1
        assert agrees(proof(asked))

    def test_heads_may_share_keys_and_values(self, tmp_path):
        body = "return F.scaled_dot_product_attention(x, x[:, :2], x[:, 2:], enable_gqa=True)"
        assert agrees(proof(port(tmp_path, body, (1, 4, 5, 6))))

    def test_torchs_own_module_agrees(self, tmp_path):
        made = "self.attention = nn.MultiheadAttention(8, 2, batch_first=True)"
        body = "return self.attention(x, x, x, need_weights=False)[0]"
        asked = port(tmp_path, body, (1, 5, 8), made)
        assert "Attention" in operators(graph_of(asked))
        assert agrees(proof(asked))


class TestOneLayer:
    @pytest.mark.parametrize(
        ("layer", "operator"),
        [
            ("nn.GELU()", "Gelu"),
            ("nn.GELU('tanh')", "Gelu"),
            ("nn.SiLU()", "Swish"),
            ("nn.LayerNorm(8)", "LayerNormalization"),
            ("nn.RMSNorm(8, eps=1e-5)", "RMSNormalization"),
            ("nn.GroupNorm(2, 6)", "GroupNormalization"),
            ("nn.PReLU(6)", "PRelu"),
            ("nn.Hardswish()", "HardSwish"),
            ("nn.Mish()", "Mish"),
        ],
    )
    def test_it_stays_one(self, tmp_path, layer, operator):
        asked = port(tmp_path, "return self.layer(x)", (2, 6, 8), f"self.layer = {layer}")
        assert operators(graph_of(asked)) == [operator]
        assert agrees(proof(asked))


class TestPieces:
    def test_equal_pieces_are_one_split(self, tmp_path):
        asked = port(tmp_path, "a, b, c = x.chunk(3, 1); return a * b + c", (2, 6, 4))
        graph = graph_of(asked)
        assert operators(graph) == ["Split", "Mul", "Add"]
        assert all(layer.origins for layer in graph.layers)
        assert agrees(proof(asked))

    @pytest.mark.parametrize("cut", ["split([1, 2, 3], 1)", "split(4, 1)", "unbind(1)"])
    def test_others_agree(self, tmp_path, cut):
        body = f"return torch.cat([p.reshape(-1) * i for i, p in enumerate(x.{cut})])"
        assert agrees(proof(port(tmp_path, body, (2, 6, 4))))
