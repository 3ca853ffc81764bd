"""Networks that hear, and that write sounds."""

from __future__ import annotations

from typing import Final

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, torch
from ..rules import Rule, changed, joined, renamed, swapped, weight_normed, zeros
from ..wrapper import wrapped

_MELS: Final[Shapes] = {"x": (1, 20, 48)}
_QWEN_AUDIO: Final = torch(
    "transformers",
    """
import transformers
from transformers.models.qwen2_audio.modeling_qwen2_audio import Qwen2AudioEncoder


def learning(network):
    network.embed_positions.requires_grad_(True)  # of a checkpoint, which are not drawn else
    return network
""",
    "learning(Qwen2AudioEncoder({}))".format(
        call(
            "transformers.Qwen2AudioEncoderConfig",
            num_mel_bins=20,
            d_model=48,
            encoder_layers=2,
            encoder_attention_heads=4,
            encoder_ffn_dim=192,
            max_source_positions=24,
        )
    ),
    _MELS,
)


def _pooled_whisper(returned: str) -> Net:
    before = f"""
import torch
from torch.nn import functional as F
from whisper.model import AudioEncoder


class Pooled(AudioEncoder):
    def forward(self, x):
        x = F.gelu(self.conv2(F.gelu(self.conv1(x)))).permute(0, 2, 1)
        x = x + self.positions.weight
        for block in self.blocks:
            x = block(x)
        return {returned}


def pooled(*sizes):
    network = Pooled(*sizes)
    network.positions = torch.nn.Embedding.from_pretrained(
        network.positional_embedding, freeze=False
    )
    return network
"""
    return torch("whisper", before, call("pooled", 20, 24, 48, 4, 2), _MELS)


def _means(states: str) -> str:
    return f"F.avg_pool1d({states}.transpose(1, 2), 2).transpose(1, 2)"


_TO_WHISPER: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^layers", "blocks"),
        (r"^embed_positions", "positions"),
        (r"self_attn_layer_norm", "attn_ln"),
        (r"final_layer_norm", "mlp_ln"),
        (r"^layer_norm", "ln_post"),
        (r"self_attn\.q_proj", "attn.query"),
        (r"self_attn\.k_proj", "attn.key"),
        (r"self_attn\.v_proj", "attn.value"),
        (r"self_attn\.out_proj", "attn.out"),
        (r"fc1", "mlp.0"),
        (r"fc2", "mlp.2"),
    ),
)

_CODES: Final[Shapes] = {"codes": ((4, 12), "int64"), "memory": (1, 10, 48)}
_MUSICGEN: Final = torch(
    "transformers",
    """
import torch
import transformers
from transformers.models.musicgen.modeling_musicgen import MusicgenDecoder


class Of(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.network = MusicgenDecoder(config)

    def forward(self, codes, memory):
        return self.network(codes, encoder_hidden_states=memory).last_hidden_state
""",
    "Of({})".format(
        call(
            "transformers.MusicgenDecoderConfig",
            vocab_size=100,
            hidden_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            ffn_dim=96,
            num_codebooks=4,
            max_position_embeddings=32,
            activation_function="gelu",
            use_cache=False,
        )
    ),
    _CODES,
)


def _torch_musicgen(waves: str) -> Net:
    before = f"""
import math
import torch


class Music(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = torch.nn.ModuleList(torch.nn.Embedding(101, 48) for _ in range(4))
        layer = torch.nn.TransformerDecoderLayer(
            48, 4, 96, activation="gelu", norm_first=True, batch_first=True
        )
        self.decoder = torch.nn.TransformerDecoder(layer, 2, torch.nn.LayerNorm(48))

    def forward(self, codes, memory):
        length = codes.shape[1]
        codes = codes.unflatten(0, (-1, 4))
        states = sum(one(codes[:, n]) for n, one in enumerate(self.codes))
        speed = torch.exp(torch.arange(24) * (-math.log(10000) / 23))
        turned = torch.arange(length)[:, None] * speed
        states = states + torch.cat([{waves}], -1)
        mask = torch.nn.Transformer.generate_square_subsequent_mask(length)
        return self.decoder(states, memory, tgt_mask=mask, tgt_is_causal=False)
"""
    return torch("torch", before, "Music()", _CODES)


_FROM_MUSICGEN: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.embed_tokens", "codes"),
        (r"^network\.layer_norm", "decoder.norm"),
        (r"^network\.layers", "decoder.layers"),
        (r"self_attn_layer_norm", "norm1"),
        (r"encoder_attn_layer_norm", "norm2"),
        (r"final_layer_norm", "norm3"),
        (r"encoder_attn", "multihead_attn"),
        (r"fc(\d)", r"linear\1"),
    ),
    joined(
        r"^(.*attn)\.(?P<part>[qkv])_proj\.weight",
        r"\1.in_proj.weight",
        ("q", "k", "v"),
    ),
    zeros("in_proj", "out_proj", "linear1", "linear2"),
    renamed((r"in_proj\.", "in_proj_")),
)

_FRAMES: Final[Shapes] = {"x": (1, 40, 20)}
_S2T: Final = torch(
    "transformers",
    "import transformers\n"
    "from transformers.models.speech_to_text.modeling_speech_to_text import Speech2TextEncoder",
    "Speech2TextEncoder({})".format(
        call(
            "transformers.Speech2TextConfig",
            vocab_size=100,
            d_model=48,
            encoder_layers=2,
            encoder_attention_heads=4,
            encoder_ffn_dim=96,
            num_conv_layers=2,
            conv_kernel_sizes=[5, 5],
            conv_channels=32,
            input_feat_per_channel=20,
            max_source_positions=64,
        )
    ),
    _FRAMES,
)


def _torch_s2t(gated: str) -> Net:
    before = f"""
import math
import torch
from torch import nn


class Hearing(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(
            [nn.Conv1d(20, 32, 5, 2, padding=2), nn.Conv1d(16, 96, 5, 2, padding=2)]
        )
        layer = nn.TransformerEncoderLayer(48, 4, 96, norm_first=True, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(48))

    def forward(self, x):
        x = x.transpose(1, 2)
        for conv in self.convs:
            first, second = conv(x).chunk(2, 1)
            x = {gated}
        x = x.transpose(1, 2) * math.sqrt(48)
        speed = torch.exp(torch.arange(24) * (-math.log(10000) / 23))
        turned = torch.arange(2, x.shape[1] + 2)[:, None] * speed
        return self.encoder(x + torch.cat([turned.sin(), turned.cos()], -1))
"""
    return torch("torch", before, "Hearing()", _FRAMES)


_FROM_S2T: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^conv\.conv_layers", "convs"),
        (r"^layer_norm", "encoder.norm"),
        (r"^layers", "encoder.layers"),
        (r"self_attn_layer_norm", "norm1"),
        (r"final_layer_norm", "norm2"),
        (r"fc(\d)", r"linear\1"),
    ),
    joined(
        r"^(.*)self_attn\.(?P<part>[qkv])_proj\.(weight|bias)",
        r"\1self_attn.in_proj_\3",
        ("q", "k", "v"),
    ),
)

_SERIES: Final[Shapes] = {"x": (1, 8, 32)}
_TCN: Final = torch(
    "pytorch_tcn",
    "from pytorch_tcn import TCN",
    call("TCN", 8, [16, 16, 24], kernel_size=3, dropout=0.0, use_norm="weight_norm"),
    _SERIES,
)


def _torch_tcn(padded: str) -> Net:
    before = f"""
import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, own, out, step):
        super().__init__()
        self.first = nn.Conv1d(own, out, 3, dilation=step)
        self.second = nn.Conv1d(out, out, 3, dilation=step)
        self.past = nn.Conv1d(own, out, 1) if own != out else nn.Identity()
        self.step = step

    def padded(self, x):
        return F.pad(x, {padded})

    def forward(self, x):
        found = self.first(self.padded(x)).relu()
        found = self.second(self.padded(found)).relu()
        return (self.past(x) + found).relu()


def blocks():
    return nn.Sequential(Block(8, 16, 1), Block(16, 16, 2), Block(16, 24, 4))
"""
    return torch("torch", before, "blocks()", _SERIES)


_FROM_TCN: Final[tuple[Rule, ...]] = (
    weight_normed(
        r"^network\.(\d)\.conv([12])\.parametrizations\.weight\.original0",
        r"^network\.(\d)\.conv([12])\.parametrizations\.weight\.original1",
        r"\1.conv\2.weight",
    ),
    renamed(
        (r"^network\.", ""), (r"conv1", "first"), (r"conv2", "second"), (r"downsample", "past")
    ),
)

_STEPS: Final[Shapes] = {"x": (1, 12, 20)}
_LIGRU: Final = torch(
    "speechbrain",
    wrapped("from speechbrain.nnet.RNN import LiGRU", "self.network(x)[0]"),
    "Of({})".format(
        call(
            "LiGRU",
            hidden_size=16,
            input_shape=(None, None, 20),
            num_layers=1,
            normalization="layernorm",
            bias=False,
        )
    ),
    _STEPS,
)


_LIGHT: Final = torch(
    "torch",
    """
import torch
from torch import nn


class Light(nn.Module):
    def __init__(self, own, size):
        super().__init__()
        self.state = nn.Linear(own, 2 * size, bias=False)
        self.norm = nn.LayerNorm(2 * size, bias=False)
        self.past = nn.Linear(size, 2 * size, bias=False)
        self.size = size

    def forward(self, x):
        given = self.norm(self.state(x))
        past = x.new_zeros(x.shape[0], self.size)
        found = []
        for place in range(x.shape[1]):
            new, gate = (given[:, place] + self.past(past)).chunk(2, -1)
            gate, new = gate.sigmoid(), new.relu()
            past = gate * past + (1 - gate) * new
            found.append(past)
        return torch.stack(found, 1)
""",
    "Light(20, 16)",
    _STEPS,
)


_FROM_LIGRU: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.rnn\.0\.w\.", "state."),
        (r"^network\.rnn\.0\.norm\.", "norm."),
        (r"^network\.rnn\.0\.u\.", "past."),
    ),
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "Qwen 2 Audio's encoder, Whisper",
        _QWEN_AUDIO,
        _pooled_whisper(f"self.ln_post({_means('x')})"),
        "the same; two places are averaged before the last norm; positions are fixed",
        _TO_WHISPER,
    ),
    Published(
        "Qwen 2 Audio's encoder, Whisper, means after the norm",
        _QWEN_AUDIO,
        _pooled_whisper(_means("self.ln_post(x)")),
        "two places are averaged: before the last norm in A, behind it in B",
        _TO_WHISPER,
        kind="different",
    ),
    Published(
        "MusicGen's decoder",
        _MUSICGEN,
        _torch_musicgen("turned.cos(), turned.sin()"),
        "the same; torch.nn's decoder in B, whose attention and MLP have biases of 0",
        _FROM_MUSICGEN,
    ),
    Published(
        "MusicGen's decoder, sines first",
        _MUSICGEN,
        _torch_musicgen("turned.sin(), turned.cos()"),
        "positions: cosines, then sines in A; sines, then cosines in B",
        _FROM_MUSICGEN,
        kind="different",
    ),
    Published(
        "Speech2Text's encoder and torch.nn's",
        _S2T,
        _torch_s2t("first * second.sigmoid()"),
        "the same; gates of the convolutions as an operator in A, written out in B",
        _FROM_S2T,
    ),
    Published(
        "Speech2Text's encoder and torch.nn's, gates in the other half",
        _S2T,
        _torch_s2t("first.sigmoid() * second"),
        "the same; gates of both convolutions are the second half of their channels in A, the "
        "first in B",
        (*_FROM_S2T, changed(r"^convs", swapped)),
    ),
    Published(
        "TCN",
        _TCN,
        _torch_tcn("(2 * self.step, 0)"),
        "the same; weights as a length and a direction in A, as one in B",
        _FROM_TCN,
    ),
    Published(
        "TCN, not causal",
        _TCN,
        _torch_tcn("(self.step, self.step)"),
        "pads of all convolutions: before the first step in A, on both sides in B",
        _FROM_TCN,
        kind="different",
    ),
    Published(
        "LiGRU, step by step",
        _LIGRU,
        _LIGHT,
        "the same; both halves of the product are cut after it, in both for all steps at once",
        _FROM_LIGRU,
    ),
)
