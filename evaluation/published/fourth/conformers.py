"""Conformers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, torch
from ..rules import Arrays, Rule, changed, joined, renamed

_SOUND: Final[Shapes] = {"x": (1, 12, 48)}

_LAYERS: Final = """
import torch
import transformers
{}


class Layers(torch.nn.Module):
    def __init__(self, layers, positions=None):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)
        self.positions = positions

    def forward(self, x):
        told = {{}} if self.positions is None else {{"{}": self.positions(x)}}
        for layer in self.layers:
            x = layer(x, **told)
            x = x[0] if isinstance(x, tuple) else x
        return x
"""

_W2V: Final = _LAYERS.format(
    "from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import (\n"
    "    Wav2Vec2ConformerEncoderLayer, Wav2Vec2ConformerRelPositionalEmbedding\n"
    ")",
    "relative_position_embeddings",
)

_W2V_BERT: Final = _LAYERS.format(
    "from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import Wav2Vec2BertEncoderLayer",
    "",
)

_SPEECHBRAIN: Final = _LAYERS.format(
    "from speechbrain.lobes.models.transformer.Conformer import ConformerEncoderLayer", ""
)

_PARAKEET: Final = _LAYERS.format(
    "from transformers.models.parakeet.modeling_parakeet import (\n"
    "    ParakeetEncoderBlock, ParakeetEncoderRelPositionalEncoding\n"
    ")",
    "position_embeddings",
)

_CONFORMER_SIZE: Final = {
    "hidden_size": 48,
    "num_attention_heads": 4,
    "intermediate_size": 112,
    "hidden_act": "silu",
}


def _wav2vec(positions: str | None, kernel: int = 7) -> Net:
    config = call(
        "transformers.Wav2Vec2ConformerConfig",
        **_CONFORMER_SIZE | {"hidden_act": "swish"},
        conv_depthwise_kernel_size=kernel,
        position_embeddings_type=positions,
        max_source_positions=64,
    )
    build = f"[Wav2Vec2ConformerEncoderLayer(config := {config}) for _ in range(2)]"
    if positions:
        build += f", Wav2Vec2ConformerRelPositionalEmbedding({config})"
    return torch("transformers", _W2V, f"Layers({build})", _SOUND)


_TORCHAUDIO: Final = """
import torch
import torchaudio


class Whole(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.layers = network.conformer_layers

    def forward(self, x):
        x = x.transpose(0, 1)
        for layer in self.layers:
            x = layer(x, None)
        return x.transpose(0, 1)
"""


def _torchaudio(**settings: Any) -> Net:
    build = call(
        "torchaudio.models.Conformer",
        input_dim=48,
        num_heads=4,
        ffn_dim=112,
        num_layers=2,
        depthwise_conv_kernel_size=7,
        **settings,
    )
    return torch("torchaudio", _TORCHAUDIO, f"Whole({build})", _SOUND)


def _biases(pattern: str, *names: str) -> Rule:
    """Biases of 0 beside the weights called as the pattern with each of the names in it."""

    def rule(arrays: Arrays) -> Arrays:
        wanted = [pattern.format(n, name) for n in range(2) for name in names]
        return arrays | {
            f"{one}.bias": np.zeros(len(arrays[f"{one}.weight"]), np.float32) for one in wanted
        }

    return rule


_PACKED: Final = joined(
    r"^layers\.(\d)\.self_attn\.linear_(?P<part>[qkv])\.(\w+)",
    r"layers.\1.self_attn.in_proj_\3",
    "qkv",
)

_TO_TORCHAUDIO: Final[tuple[Rule, ...]] = (
    _PACKED,
    renamed(
        (r"(ffn[12])_layer_norm", r"\1.sequential.0"),
        (r"intermediate_dense", "sequential.1"),
        (r"output_dense", "sequential.4"),
        (r"linear_out", "out_proj"),
        (r"pointwise_conv1", "sequential.0"),
        (r"depthwise_conv", "sequential.2"),
        (r"batch_norm", "sequential.3"),
        (r"pointwise_conv2", "sequential.5"),
    ),
    _biases("layers.{}.conv_module.sequential.{}", "0", "2", "5"),
)

_TO_PARAKEET: Final[tuple[Rule, ...]] = (
    renamed(
        (r"ffn([12])_layer_norm", r"norm_feed_forward\1"),
        (r"ffn([12])\.intermediate_dense", r"feed_forward\1.linear1"),
        (r"ffn([12])\.output_dense", r"feed_forward\1.linear2"),
        (r"self_attn_layer_norm", "norm_self_att"),
        (r"linear_([qkv])\.", r"\1_proj."),
        (r"linear_out", "o_proj"),
        (r"linear_pos", "relative_k_proj"),
        (r"pos_bias_([uv])", r"bias_\1"),
        (r"conv_module\.layer_norm", "norm_conv"),
        (r"conv_module\.batch_norm", "conv.norm"),
        (r"conv_module", "conv"),
        (r"final_layer_norm", "norm_out"),
    ),
)

_TO_SPEECHBRAIN: Final[tuple[Rule, ...]] = (
    _PACKED,
    renamed(
        (r"ffn([12])_layer_norm", r"ffn_module\1.0"),
        (r"ffn([12])\.intermediate_dense", r"ffn_module\1.1.ffn.0"),
        (r"ffn([12])\.output_dense", r"ffn_module\1.1.ffn.3"),
        (r"self_attn_layer_norm", "norm1.norm"),
        (r"final_layer_norm", "norm2.norm"),
        (r"self_attn\.linear_out", "mha_layer.att.out_proj"),
        (r"self_attn\.in", "mha_layer.att.in"),
        (r"conv_module\.pointwise_conv1", "convolution_module.bottleneck.0"),
        (r"conv_module\.depthwise_conv", "convolution_module.conv"),
        (r"conv_module\.depthwise_layer_norm", "convolution_module.after_conv.0"),
        (r"conv_module\.pointwise_conv2", "convolution_module.after_conv.2"),
        (r"conv_module\.layer_norm", "convolution_module.layer_norm"),
    ),
    changed(r"after_conv\.2\.weight", lambda array: array[..., 0]),
)

_W2V_BERTS: Final = torch(
    "transformers",
    _W2V_BERT,
    "Layers([Wav2Vec2BertEncoderLayer({}) for _ in range(2)])".format(
        call(
            "transformers.Wav2Vec2BertConfig",
            **_CONFORMER_SIZE | {"hidden_act": "swish"},
            conv_depthwise_kernel_size=7,
            position_embeddings_type=None,
        )
    ),
    _SOUND,
)


def _speechbrain(causal: bool) -> Net:
    build = call(
        "ConformerEncoderLayer",
        d_model=48,
        d_ffn=112,
        nhead=4,
        kernel_size=7,
        bias=False,
        causal=causal,
        attention_type="regularMHA",
    )
    return torch("speechbrain", _SPEECHBRAIN, f"Layers([{build} for _ in range(2)])", _SOUND)


_GRANITE: Final = """
import torch
import transformers
from transformers.models.granite_speech.modeling_granite_speech import GraniteSpeechConformerBlock


class Blocks(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layers = torch.nn.ModuleList(GraniteSpeechConformerBlock(config) for _ in range(2))
        places = torch.arange(config.context_size)
        self.distances = places[:, None] - places + config.max_pos_emb

    def forward(self, x):
        for layer in self.layers:
            x = layer(x, self.distances)
        return x
"""


def _granite(context: int) -> Net:
    config = call(
        "transformers.GraniteSpeechEncoderConfig",
        hidden_dim=48,
        num_heads=4,
        dim_head=12,
        feedforward_mult=3,
        conv_kernel_size=7,
        conv_expansion_factor=2,
        max_pos_emb=512,
        context_size=context,
    )
    return torch("transformers", _GRANITE, f"Blocks({config})", _SOUND)


_LUCID: Final = torch(
    "conformer",
    "from conformer import Conformer",
    call("Conformer", 48, depth=2, dim_head=12, heads=4, ff_mult=3, conv_kernel_size=7),
    _SOUND,
)

_TO_LUCID: Final[tuple[Rule, ...]] = (
    renamed(
        (r"(ff[12])\.pre_norm", r"\1.fn.norm"),
        (r"(ff[12])\.up_proj", r"\1.fn.fn.net.0"),
        (r"(ff[12])\.down_proj", r"\1.fn.fn.net.3"),
        (r"attn\.pre_norm", "attn.norm"),
        (r"attn\.(to_|rel)", r"attn.fn.\1"),
        (r"conv\.norm", "conv.net.0"),
        (r"conv\.up_conv", "conv.net.2"),
        (r"conv\.depth_conv", "conv.net.4"),
        (r"conv\.batch_norm", "conv.net.5"),
        (r"conv\.down_conv", "conv.net.7"),
    ),
    _biases("layers.{}.conv.net.{}", "4.conv"),
)

PAIRS: Final = (
    Published(
        "Conformer",
        _wav2vec(None),
        _torchaudio(),
        "the same; biases of the convolutions only in B, of 0",
        _TO_TORCHAUDIO,
    ),
    Published(
        "Conformer, convolution first",
        _wav2vec(None),
        _torchaudio(convolution_first=True),
        "attention before the convolutions of both blocks in A, behind them in B",
        _TO_TORCHAUDIO,
        kind="different",
    ),
    Published(
        "Conformer with relative positions",
        _wav2vec("relative"),
        torch(
            "transformers",
            _PARAKEET,
            "Layers([ParakeetEncoderBlock({0}, n) for n in range(2)], "
            "ParakeetEncoderRelPositionalEncoding({0}))".format(
                call(
                    "transformers.ParakeetEncoderConfig",
                    **_CONFORMER_SIZE,
                    conv_kernel_size=7,
                    convolution_bias=False,
                )
            ),
            _SOUND,
        ),
        "the same; positions of a table in A, computed in B",
        _TO_PARAKEET,
    ),
    Published(
        "Conformer, causal",
        _W2V_BERTS,
        _speechbrain(causal=True),
        "the same; LayerNormalization behind the convolution over time, pads before it in A, "
        "what is too long cut off in B",
        _TO_SPEECHBRAIN,
    ),
    Published(
        "Conformer, not causal",
        _W2V_BERTS,
        _speechbrain(causal=False),
        "pads of the convolution over time of both blocks: 6 before in A, 3 on each side in B",
        _TO_SPEECHBRAIN,
        kind="different",
    ),
    Published(
        "Conformer with distances",
        _granite(12),
        _LUCID,
        "the same; biases of the convolution over time only in B, of 0",
        _TO_LUCID,
    ),
    Published(
        "Conformer with distances, blocks of six",
        _granite(6),
        _LUCID,
        "both attentions see the six steps of a block in A, all steps in B",
        _TO_LUCID,
        kind="different",
    ),
)
