"""Attention and its compared stay one operator, and compute what torch computes."""

from __future__ import annotations

import pytest

from ..ports import graph_of, operators, write
from .nets import agrees, proof, proven

torch = pytest.importorskip("torch")

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"


def port(folder, body, shape, made="pass"):
    source = (
        f"{HEAD}INPUTS = {{'x': {shape}}}\nclass Net(nn.Module):\n"
        f"    def __init__(self):\n        super().__init__()\n        {made}\n"
        f"    def forward(self, x):\n        {body}\n"
    )
    return write(folder, source)


ATTENTION = {
    (2, 3, 5, 4): (
        "",
        "is_causal=True",
        "scale=0.3",
        "attn_mask=torch.ones(5, 5).tril().bool()",
        "attn_mask=torch.linspace(-1, 1, 5).expand(2, 1, 5, 5)",
    ),
    (3, 5, 4): ("", "attn_mask=torch.linspace(-1, 1, 75).view(3, 5, 5)"),
    (5, 4): ("",),
    (2, 2, 3, 5, 4): ("is_causal=True",),
}
"""Arguments of attention, by the shape of what it reads."""


class TestAttention:
    @pytest.mark.parametrize("shape", ATTENTION)
    def test_each_is_one_operator(self, tmp_path, shape):
        calls = [
            f"F.scaled_dot_product_attention(x, x + 1, x * 2, {arguments})"
            for arguments in ATTENTION[shape]
        ]
        found, graph = proven(port(tmp_path, f"return [{', '.join(calls)}]", shape))
        assert operators(graph).count("Attention") == len(calls)
        assert agrees(found)

    def test_heads_may_share_keys_and_values(self, tmp_path):
        body = "return F.scaled_dot_product_attention(x, x[:, :2], x[:, 2:], enable_gqa=True)"
        assert agrees(proof(port(tmp_path, body, (1, 4, 5, 6))))

    def test_a_masked_one_whose_result_is_reshaped(self, tmp_path):
        body = (
            "mask = torch.linspace(-1, 1, 9).view(3, 3)\n"
            "        q = x.view(2, 3, 2, 4).transpose(1, 2)\n"
            "        y = F.scaled_dot_product_attention(q, q + 1, q * 2, attn_mask=mask)\n"
            "        return y.transpose(1, 2).reshape(2, 3, 8)"
        )
        found, graph = proven(port(tmp_path, body, (2, 3, 8)))
        assert "Attention" in operators(graph)
        assert agrees(found)

    def test_torchs_own_module_agrees(self, tmp_path):
        made = "self.attention = nn.MultiheadAttention(8, 2, batch_first=True)"
        body = "return self.attention(x, x, x, need_weights=False)[0]"
        found, graph = proven(port(tmp_path, body, (1, 5, 8), made))
        assert "Attention" in operators(graph)
        assert agrees(found)


LAYERS = {
    "nn.GELU()": "Gelu",
    "nn.GELU('tanh')": "Gelu",
    "nn.SiLU()": "Swish",
    "nn.LayerNorm(8)": "LayerNormalization",
    "nn.RMSNorm(8, eps=1e-5)": "RMSNormalization",
    "nn.GroupNorm(2, 6)": "GroupNormalization",
    "nn.PReLU(6)": "PRelu",
    "nn.Hardswish()": "HardSwish",
    "nn.Mish()": "Mish",
}


def test_a_layer_stays_one_layer(tmp_path):
    made = f"self.layers = nn.Sequential({', '.join(LAYERS)})"
    asked = port(tmp_path, "return self.layers(x)", (2, 6, 8), made)
    assert operators(graph_of(asked)) == list(LAYERS.values())
    assert agrees(proof(asked))


class TestPieces:
    def test_equal_pieces_are_one_split(self, tmp_path):
        asked = port(tmp_path, "a, b, c = x.chunk(3, 1); return a * b + c", (2, 6, 4))
        found, graph = proven(asked)
        assert operators(graph) == ["Split", "Mul", "Add"]
        assert all(layer.origins for layer in graph.layers)
        assert agrees(found)

    def test_others_agree(self, tmp_path):
        cuts = ("split([1, 2, 3], 1)", "split(4, 1)", "unbind(1)")
        weighed = [f"torch.cat([p.reshape(-1) * i for i, p in enumerate(x.{cut})])" for cut in cuts]
        assert agrees(proof(port(tmp_path, f"return [{', '.join(weighed)}]", (2, 6, 4))))


def test_axes_of_one_element_alone_are_squeezed(tmp_path):
    body = "return x.squeeze(1), x.squeeze(2), x.squeeze((0, 1)), x.squeeze((-1, 2)), x.squeeze()"
    found, graph = proven(port(tmp_path, body, (2, 3, 1, 4)))
    assert [one.source.type.shape for one in graph.outputs] == [
        (2, 3, 1, 4), (2, 3, 4), (2, 3, 1, 4), (2, 3, 4), (2, 3, 4)
    ]  # fmt: skip
    assert agrees(found)


def test_tensors_are_stacked_without_sequences(tmp_path):
    stacks = ("hstack([x[0], x[1]])", "vstack([x[0, 0], x[1, 0]])", "dstack([x[0], x[1]])",
              "column_stack([x[0, 0], x[1, 0]])", "hstack([x[0, 0, 0], x[0, 0, 1]])")  # fmt: skip
    body = f"return {', '.join(f'torch.{stack}' for stack in stacks)}"
    found, graph = proven(port(tmp_path, body, (2, 3, 4)))
    assert not [name for name in operators(graph) if name.startswith("Sequence")]
    assert agrees(found)
