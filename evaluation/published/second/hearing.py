"""Networks that hear and speak."""

from __future__ import annotations

from typing import Any, Final

from ..first.audio import ORIGINALS, WAVE
from ..pairs import Published, call, torch
from ..rules import Rule, renamed

_MEL: Final = {"x": (1, 20, 32)}
_HEARD: Final = {"x": ((1, 12), "int64"), "xa": (1, 16, 64)}

_TACOTRON: Final = """
import torch


class Unpacked(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.convolutions = network.convolutions
        self.lstm = network.lstm

    def forward(self, x):
        for convolution in self.convolutions:
            x = torch.relu(convolution(x))
        return self.lstm(x.transpose(1, 2))[0]
"""

_WHISPER: Final = """
import torch
import transformers
from transformers.models.whisper.modeling_whisper import WhisperDecoder, WhisperEncoder


class Logits(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, xa):
        states = self.network(x, encoder_hidden_states=xa, use_cache=False)[0]
        return states @ self.network.embed_tokens.weight.T
"""
_CONFIG: Final = call(
    "transformers.WhisperConfig",
    vocab_size=100,
    num_mel_bins=20,
    encoder_layers=2,
    decoder_layers=2,
    d_model=64,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=256,
    decoder_ffn_dim=256,
    max_source_positions=16,
    max_target_positions=24,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
    decoder_start_token_id=1,
)
_OF_WHISPER: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^blocks\.", "layers."),
        (r"\.cross_attn\.", ".encoder_attn."),
        (r"\.attn\.", ".self_attn."),
        (r"\.query\.", ".q_proj."),
        (r"\.key\.", ".k_proj."),
        (r"\.value\.", ".v_proj."),
        (r"\.out\.", ".out_proj."),
        (r"\.cross_attn_ln\.", ".encoder_attn_layer_norm."),
        (r"\.attn_ln\.", ".self_attn_layer_norm."),
        (r"\.mlp\.0\.", ".fc1."),
        (r"\.mlp\.2\.", ".fc2."),
        (r"\.mlp_ln\.", ".final_layer_norm."),
        (r"^ln_post\.", "layer_norm."),
        (r"^ln\.", "layer_norm."),
        (r"^token_embedding", "embed_tokens"),
        (r"^positional_embedding", "embed_positions.weight"),
    ),
)

_OF_HUBERT: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^encoder\.transformer\.", "encoder."),
        (r"^encoder\.feature_projection\.", "feature_projection."),
    ),
)


def _hubert(**settings: Any) -> str:
    config = call(
        "transformers.HubertConfig",
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        conv_dim=[32, 32, 32],
        conv_stride=[5, 2, 2],
        conv_kernel=[10, 3, 2],
        conv_bias=True,
        feat_extract_norm="layer",
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=4,
        mask_time_prob=0.0,
        **settings,
    )
    return f"transformers.HubertModel({config})"


_LARGE_HUBERT: Final = torch(
    "torchaudio",
    "import torchaudio",
    call(
        "torchaudio.models.wav2vec2_model",
        extractor_mode="layer_norm",
        extractor_conv_layer_config=[(32, 10, 5), (32, 3, 2), (32, 2, 2)],
        extractor_conv_bias=True,
        encoder_embed_dim=64,
        encoder_projection_dropout=0.0,
        encoder_pos_conv_kernel=16,
        encoder_pos_conv_groups=4,
        encoder_num_layers=2,
        encoder_num_heads=4,
        encoder_attention_dropout=0.0,
        encoder_ff_interm_features=128,
        encoder_ff_interm_dropout=0.0,
        encoder_dropout=0.0,
        encoder_layer_norm_first=True,
        encoder_layer_drop=0.0,
        aux_num_out=None,
    ),
    WAVE,
)

_CODED: Final = {
    "channels": 1,
    "dimension": 32,
    "n_filters": 4,
    "ratios": [4, 2],
    "lstm": 2,
    "norm": "weight_norm",
    "causal": True,
}

_DECODER: Final = torch(
    "transformers",
    "import transformers\nfrom transformers.models.encodec.modeling_encodec import EncodecDecoder",
    "EncodecDecoder(transformers.EncodecConfig("
    "hidden_size=32, num_filters=4, upsampling_ratios=[4, 2]))",
    {"x": (1, 32, 20)},
)
_OF_CODED: Final[tuple[Rule, ...]] = (
    *ORIGINALS,
    renamed(
        (r"^model\.", "layers."),
        (r"\.convtr\.convtr\.", ".conv."),
        (r"\.conv\.conv\.", ".conv."),
    ),
)

PAIRS: Final = (
    Published(
        "HuBERT large",
        _LARGE_HUBERT,
        torch("transformers", "import transformers", _hubert(do_stable_layer_norm=True), WAVE),
        "the same; norms before attention and MLP, and after every convolution",
        _OF_HUBERT,
    ),
    Published(
        "HuBERT, norms elsewhere",
        _LARGE_HUBERT,
        torch("transformers", "import transformers", _hubert(), WAVE),
        "the five LayerNormalization of the encoder: before attention and MLP and at the end in A; "
        "behind their sums, and before the first block in B",
        _OF_HUBERT,
        kind="different",
    ),
    Published(
        "EnCodec's decoder",
        torch(
            "encodec",
            "from encodec.modules import SEANetDecoder",
            call("SEANetDecoder", **_CODED),
            {"x": (1, 32, 20)},
        ),
        _DECODER,
        "the same; two LSTM layers with a residual sum, transposed convolutions cut at their end",
        _OF_CODED,
    ),
    Published(
        "EnCodec's decoder, not causal",
        torch(
            "encodec",
            "from encodec.modules import SEANetDecoder",
            call("SEANetDecoder", **_CODED | {"causal": False}),
            {"x": (1, 32, 20)},
        ),
        _DECODER,
        "pads of the four Conv longer than one (kernels of 7 and 3), and what is cut off the two "
        "ConvTranspose: on both sides in A; before, and behind alone in B",
        _OF_CODED,
        kind="different",
    ),
    Published(
        "Encoder of Tacotron 2",
        torch(
            "torchaudio",
            _TACOTRON + "\nfrom torchaudio.models.tacotron2 import _Encoder",
            "Unpacked(_Encoder(32, 2, 5))",
            {"x": (1, 32, 20)},
        ),
        torch(
            "speechbrain",
            _TACOTRON + "\nfrom speechbrain.lobes.models.Tacotron2 import Encoder",
            "Unpacked(Encoder(2, 32, 5))",
            {"x": (1, 32, 20)},
        ),
        "the same; an LSTM in both directions",
        (renamed((r"^convolutions\.(\d)\.0\.", r"convolutions.\1.0.conv.")),),
    ),
    Published(
        "Whisper's encoder",
        torch(
            "openai-whisper",
            "from whisper.model import AudioEncoder",
            "AudioEncoder(20, 16, 64, 4, 2)",
            _MEL,
        ),
        torch("transformers", _WHISPER, f"WhisperEncoder({_CONFIG})", _MEL),
        "the same; queries and keys scaled each in A",
        _OF_WHISPER,
    ),
    Published(
        "Whisper's decoder",
        torch(
            "openai-whisper",
            "from whisper.model import TextDecoder",
            "TextDecoder(100, 24, 64, 4, 2)",
            _HEARD,
        ),
        torch("transformers", _WHISPER, f"Logits(WhisperDecoder({_CONFIG}))", _HEARD),
        "the same; queries and keys scaled each in A; a mask of triangles",
        (*_OF_WHISPER, renamed((r"^", "network."))),
    ),
)
