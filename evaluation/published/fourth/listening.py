"""Networks that hear and speak, and recurrent ones."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..pairs import Published, Values, call, torch
from ..rules import joined, renamed

_WAVE: Final[Shapes] = {"x": (1, 1, 1600)}

_MIMI: Final = torch(
    "transformers",
    "import transformers\nfrom transformers.models.mimi.modeling_mimi import MimiEncoder",
    "MimiEncoder({})".format(
        call(
            "transformers.MimiConfig",
            hidden_size=24,
            num_filters=6,
            upsampling_ratios=[4, 2],
            num_residual_layers=1,
        )
    ),
    _WAVE,
)


def _seanet(pads: str) -> Net:
    build = call(
        "SEANetEncoder",
        dimension=24,
        n_filters=6,
        ratios=[4, 2],
        norm="none",
        last_kernel_size=3,
        causal=True,
        pad_mode=pads,
        true_skip=True,
        lstm=0,
    )
    return torch("encodec", "from encodec.modules import SEANetEncoder", build, _WAVE)


_TO_SEANET: Final = (renamed((r"^layers\.", "model."), (r"\.conv\.", ".conv.conv.")),)

_JAMBA: Final = """
import torch
import transformers
from transformers.models.jamba.modeling_jamba import JambaMambaMixer, JambaRMSNorm


class Block(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm = JambaRMSNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.mixer = JambaMambaMixer(config, 0)

    def forward(self, x):
        return x + self.mixer(self.norm(x))


class Layers(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layers = torch.nn.ModuleList(Block(config) for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""


def _mambapy(inner: bool) -> Net:
    build = call("MambaConfig", d_model=32, n_layers=2, d_state=8, inner_layernorms=inner)
    return torch(
        "mambapy",
        "from mambapy.mamba import Mamba, MambaConfig",
        f"Mamba({build})",
        {"x": (1, 14, 32)},
    )


def _jamba(epsilon: float) -> Net:
    config = call(
        "transformers.JambaConfig",
        hidden_size=32,
        mamba_d_state=8,
        mamba_dt_rank=2,
        rms_norm_eps=epsilon,
    )
    return torch("transformers", _JAMBA, f"Layers({config})", {"x": (1, 14, 32)})


_TO_JAMBA: Final = (renamed((r"B_layernorm", "b_layernorm"), (r"C_layernorm", "c_layernorm")),)

_POSTNET: Final = """
import torch
import transformers
from transformers.models.speecht5.modeling_speecht5 import SpeechT5SpeechDecoderPostnet


class Added(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.layers = network.layers
        self.postnet = network.postnet

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""

_SPEECH_T5: Final = torch(
    "transformers",
    _POSTNET,
    "Added(SpeechT5SpeechDecoderPostnet({}))".format(
        call(
            "transformers.SpeechT5Config",
            num_mel_bins=20,
            speech_decoder_postnet_units=24,
            speech_decoder_postnet_layers=4,
            speech_decoder_postnet_kernel=5,
        )
    ),
    {"x": (1, 20, 18)},
)

_TO_POSTNET: Final = (
    renamed(
        (r"^layers\.(\d)\.conv\.", r"convolutions.\1.0."),
        (r"^layers\.(\d)\.batch_norm\.", r"convolutions.\1.1."),
    ),
)

_DEMUCS: Final = """
import torch
from demucs.demucs import BLSTM


class Channels(torch.nn.Sequential):
    def forward(self, x):
        return super().forward(x.transpose(1, 2)).transpose(1, 2)
"""


def _demucs(skip: bool) -> Net:
    one = call("BLSTM", 24, layers=1, skip=skip)
    return torch("demucs", _DEMUCS, f"Channels({one}, {one})", {"x": (1, 9, 24)})


_EASY: Final = torch(
    "easyocr",
    "import torch\nfrom easyocr.model.modules import BidirectionalLSTM",
    "torch.nn.Sequential(BidirectionalLSTM(24, 24, 24), BidirectionalLSTM(24, 24, 24))",
    {"x": (1, 9, 24)},
)

_TO_DEMUCS: Final = (renamed((r"\.rnn\.", ".lstm.")),)


def _as_image(values: Values) -> Values:
    """Time and frequency, as one channel of an image of frequency and time."""
    return [np.swapaxes(values[0], 1, 2)[:, None]]


_AST: Final = torch(
    "transformers",
    "import transformers",
    "transformers.ASTModel({})".format(
        call(
            "transformers.ASTConfig",
            hidden_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=192,
            patch_size=8,
            frequency_stride=8,
            time_stride=8,
            max_length=48,
            num_mel_bins=32,
            layer_norm_eps=1e-6,
        )
    ),
    {"input_values": (1, 48, 32)},
)

_DISTILLED: Final = torch(
    "timm",
    "from timm.models.deit import VisionTransformerDistilled",
    call(
        "VisionTransformerDistilled",
        img_size=(32, 48),
        patch_size=8,
        in_chans=1,
        embed_dim=48,
        depth=2,
        num_heads=4,
        num_classes=0,
    ),
    {"x": (1, 1, 32, 48)},
)

PAIRS: Final = (
    Published(
        "Mimi's encoder",
        _MIMI,
        _seanet("constant"),
        "the same; zeros before every convolution",
        _TO_SEANET,
    ),
    Published(
        "Mimi's encoder, other pads",
        _MIMI,
        _seanet("reflect"),
        "pads before every convolution but those of 1: zeros in A, reflected in B",
        _TO_SEANET,
        kind="different",
    ),
    Published(
        "Mamba of Jamba",
        _mambapy(True),
        _jamba(1e-5),
        "the same; three norms within each layer, the scan over the length parallel in A",
        _TO_JAMBA,
    ),
    Published(
        "Mamba of Jamba, without norms within",
        _mambapy(False),
        _jamba(1e-5),
        "the three norms within each layer only in B, of scale 1",
        _TO_JAMBA,
        kind="different",
        unset=r"(dt|b|c)_layernorm",
    ),
    Published(
        "Postnet of SpeechT5 and Tacotron 2",
        _SPEECH_T5,
        torch(
            "torchaudio",
            "from torchaudio.models.tacotron2 import _Postnet",
            "_Postnet(20, 24, 5, 4)",
            {"x": (1, 20, 18)},
        ),
        "the same; biases of the convolutions only in B, of 0",
        (
            *_TO_POSTNET,
            lambda arrays: (
                arrays
                | {
                    f"convolutions.{n}.0.bias": np.zeros(24 if n < 3 else 20, np.float32)
                    for n in range(4)
                }
            ),
        ),
    ),
    Published(
        "LSTM of two directions and a Gemm",
        _EASY,
        _demucs(skip=False),
        "the same; time first and channels before time in B",
        _TO_DEMUCS,
    ),
    Published(
        "LSTM of two directions and a Gemm, sums",
        _EASY,
        _demucs(skip=True),
        "a sum around each of the two LSTM and its Gemm only in B",
        _TO_DEMUCS,
        kind="different",
    ),
    Published(
        "AST and a distilled ViT",
        _AST,
        _DISTILLED,
        "the same; time and frequency change places within A, before B; A returns all tokens as "
        "well",
        (
            renamed(
                (r"^embeddings\.cls_token", "cls_token"),
                (r"^embeddings\.distillation_token", "dist_token"),
                (r"^embeddings\.position_embeddings", "pos_embed"),
                (r"^embeddings\.patch_embeddings\.projection", "patch_embed.proj"),
                (r"^layernorm\.", "norm."),
                (r"^layers\.", "blocks."),
                (r"attention\.", "attn."),
                (r"attn\.o_proj", "attn.proj"),
                (r"layernorm_before", "norm1"),
                (r"layernorm_after", "norm2"),
            ),
            joined(r"^(blocks\.\d\.attn)\.(?P<part>[qkv])_proj\.(\w+)", r"\1.qkv.\3", "qkv"),
        ),
        feed=_as_image,
        ours=lambda values: values[1],
    ),
)
