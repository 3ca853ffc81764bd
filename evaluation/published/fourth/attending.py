"""Blocks of attention as several packages have them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, torch
from ..rules import Arrays, Rule, renamed, split

_STATES: Final[Shapes] = {"x": (1, 11, 48)}
_LONG: Final[Shapes] = {"x": (1, 24, 48)}
_TORCHSCALE: Final = """
import torch
from torchscale.architecture.config import EncoderConfig
from torchscale.architecture.encoder import Encoder


class States(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(None, token_embeddings=x)["encoder_out"]
"""


def _torchscale(**settings: Any) -> Net:
    config = call(
        "EncoderConfig",
        encoder_embed_dim=48,
        encoder_attention_heads=4,
        encoder_ffn_embed_dim=112,
        encoder_layers=2,
        no_output_layer=True,
        **settings,
    )
    return torch("torchscale", _TORCHSCALE, f"States(Encoder({config}))", _STATES)


def _torch(before: bool) -> Net:
    layer = call(
        "torch.nn.TransformerEncoderLayer",
        48,
        4,
        112,
        activation="gelu",
        batch_first=True,
        norm_first=before,
    )
    norm = ", norm=torch.nn.LayerNorm(48)" if before else ""
    build = f"torch.nn.TransformerEncoder({layer}, 2{norm}, enable_nested_tensor=False)"
    return torch("torch", "import torch", build, _STATES)


_TO_TORCHSCALE: Final[tuple[Rule, ...]] = (
    split(
        r"^layers\.(\d)\.self_attn\.in_proj_(\w+)",
        *(rf"layers.\1.self_attn.{part}_proj.\2" for part in "qkv"),
    ),
    renamed(
        (r"linear(\d)", r"ffn.fc\1"),
        (r"\.norm1", ".self_attn_layer_norm"),
        (r"\.norm2", ".final_layer_norm"),
        (r"^norm", "layer_norm"),
        (r"^", "network."),
    ),
)
_VIT_PYTORCH: Final = torch(
    "vit_pytorch",
    "from vit_pytorch.vit import Transformer",
    call("Transformer", 48, depth=2, heads=4, dim_head=12, mlp_dim=112),
    _STATES,
)


def _monai(**settings: Any) -> Net:
    block = call("TransformerBlock", 48, 112, 4, qkv_bias=False, **settings)
    return torch(
        "monai",
        "import torch\nfrom monai.networks.blocks import TransformerBlock",
        f"torch.nn.Sequential({block}, {block}, torch.nn.LayerNorm(48))",
        _STATES,
    )


_TO_MONAI: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^layers\.(\d)\.0\.norm", r"\1.norm1"),
        (r"^layers\.(\d)\.0\.to_qkv", r"\1.attn.qkv"),
        (r"^layers\.(\d)\.0\.to_out\.0", r"\1.attn.out_proj"),
        (r"^layers\.(\d)\.1\.net\.0", r"\1.norm2"),
        (r"^layers\.(\d)\.1\.net\.1", r"\1.mlp.linear1"),
        (r"^layers\.(\d)\.1\.net\.4", r"\1.mlp.linear2"),
        (r"^norm\.", "2."),
    ),
)
_SUMS: Final = """
import torch
{}


class Sums(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
"""
_HF_NYSTROM: Final = """
import transformers
from transformers.models.nystromformer.modeling_nystromformer import NystromformerSelfAttention


class Projected(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = NystromformerSelfAttention(config)
        self.dense = torch.nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x):
        return self.dense(self.attention(x)[0])
"""


def _lucid_nystrom(**settings: Any) -> Net:
    one = call("NystromAttention", 48, dim_head=12, heads=4, num_landmarks=6, **settings)
    before = _SUMS.format("from nystrom_attention import NystromAttention")
    return torch("nystrom_attention", before, f"Sums({one}, {one})", _LONG)


_NYSTROM: Final = call(
    "transformers.NystromformerConfig",
    hidden_size=48,
    num_attention_heads=4,
    num_landmarks=6,
    segment_means_seq_len=24,
    conv_kernel_size=7,
)
_HF_ATTENTIONS: Final = torch(
    "transformers",
    _SUMS.format(_HF_NYSTROM),
    f"Sums(Projected({_NYSTROM}), Projected({_NYSTROM}))",
    _LONG,
)


def _with_biases(arrays: Arrays) -> Arrays:
    """Biases of 0 of queries, keys and values."""
    return arrays | {
        f"layers.{n}.attention.{part}.bias": np.zeros(48, np.float32)
        for n in range(2)
        for part in ("query", "key", "value")
    }


_TO_NYSTROM: Final[tuple[Rule, ...]] = (
    split(
        r"^(layers\.\d)\.to_qkv\.weight",
        *(rf"\1.attention.{part}.weight" for part in ("query", "key", "value")),
    ),
    renamed((r"to_out\.0", "dense"), (r"res_conv", "attention.conv")),
    _with_biases,
)

PAIRS: Final = (
    Published(
        "TorchScale's encoder and torch.nn's",
        _torch(before=True),
        _torchscale(subln=False),
        "the same; query, key and value in one weight in A, heads within the batch in B",
        _TO_TORCHSCALE,
    ),
    Published(
        "TorchScale's encoder and torch.nn's, norms within",
        _torch(before=True),
        _torchscale(subln=True),
        "only in B, of scale 1: a LayerNormalization of what each attention sums up, and one "
        "behind the activation of each MLP",
        _TO_TORCHSCALE,
        kind="different",
        unset=r"inner_attn_ln|ffn_layernorm",
    ),
    Published(
        "TorchScale's encoder and torch.nn's, scaled sums",
        _torch(before=False),
        _torchscale(deepnorm=True),
        "what each of the four sums adds to: as it is in A, times 1.41 in B",
        _TO_TORCHSCALE,
        kind="different",
    ),
    Published(
        "vit-pytorch's encoder and MONAI's",
        _VIT_PYTORCH,
        _monai(),
        "the same; no biases of query, key and value, norms of a further attention held in B and "
        "used nowhere",
        _TO_MONAI,
        unset="norm_cross_attn",
    ),
    Published(
        "vit-pytorch's encoder and MONAI's, causal",
        _VIT_PYTORCH,
        _monai(causal=True, sequence_length=11),
        "a mask of later positions in both attentions only in B",
        _TO_MONAI,
        kind="different",
        unset="norm_cross_attn",
    ),
    Published(
        "Nystrom attention",
        _lucid_nystrom(residual_conv_kernel=7),
        _HF_ATTENTIONS,
        "the same; biases of query, key and value only in B, of 0; scale of the scores on queries "
        "in A, its root on queries and keys in B",
        _TO_NYSTROM,
    ),
    Published(
        "Nystrom attention, fewer steps",
        _lucid_nystrom(residual_conv_kernel=7, pinv_iterations=2),
        _HF_ATTENTIONS,
        "steps in which a matrix is inverted in both attentions: two in A, six in B",
        _TO_NYSTROM,
        kind="different",
    ),
)
