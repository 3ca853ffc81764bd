"""Networks that hear and speak, recurrent ones, and state spaces."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..pairs import Published, Values, call, output, torch
from ..rules import Arrays, Rule, changed, renamed, reshaped
from ..wrapper import wrapped

_STEPS: Final[Shapes] = {"x": (1, 6, 20)}


def _rnnt_lstm(*, normed: bool) -> Net:
    before = wrapped(
        "from torchaudio.models.rnnt import _CustomLSTM",
        "self.network(x.transpose(0, 1), None)[0].transpose(0, 1)",
    )
    return torch("torchaudio", before, f"Of(_CustomLSTM(20, 16, layer_norm={normed}))", _STEPS)


_TORCH_LSTM: Final = torch(
    "torch",
    wrapped("", "self.network(x)[0]"),
    "Of(torch.nn.LSTM(20, 16, batch_first=True))",
    _STEPS,
)


def _second_bias(arrays: Arrays) -> Arrays:
    return arrays | {"network.bias_hh_l0": np.zeros(64, np.float32)}


_FROM_CUSTOM: Final[tuple[Rule, ...]] = (
    renamed(
        (r"x2g\.weight", "weight_ih_l0"),
        (r"x2g\.bias", "bias_ih_l0"),
        (r"p2g\.w", "w"),
        (r"network\.weight$", "network.weight_hh_l0"),
    ),
    _second_bias,
)

_SEEN: Final[Shapes] = {"x": (1, 10, 48)}


def _demucs(act: str = "torch.relu", **settings: Any) -> Net:
    before = wrapped(
        "from demucs.transformer import MyTransformerEncoderLayer",
        "self.network(x.transpose(0, 1)).transpose(0, 1)",
    )
    told = call("MyTransformerEncoderLayer", 48, 4, 96, norm_first=True, **settings)
    return torch("demucs", before, f"Of({told[:-1]}, activation={act}))", _SEEN)


_TORCH_LAYER: Final = torch(
    "torch",
    wrapped("", "self.network(x)"),
    "Of(torch.nn.TransformerEncoderLayer(48, 4, 96, norm_first=True, batch_first=True))",
    _SEEN,
)


def _folded(arrays: Arrays) -> Arrays:
    """Scales of what attention and MLP add, as part of the weights before them."""
    found = {name: array for name, array in arrays.items() if "gamma" not in name}
    for scale, layer in (("gamma_1", "self_attn.out_proj"), ("gamma_2", "linear2")):
        factor = arrays[f"network.{scale}.scale"]
        found[f"network.{layer}.weight"] = arrays[f"network.{layer}.weight"] * factor[:, None]
        found[f"network.{layer}.bias"] = arrays[f"network.{layer}.bias"] * factor
    return found


_WAVE: Final[Shapes] = {"x": (1, 800)}
_SPEECHBRAIN_LATENTS: Final = torch(
    "speechbrain",
    wrapped(
        "from speechbrain.lobes.models.wav2vec import W2VLatentExtractor",
        "self.network(x, normalize_signal=False)",
    ),
    "Of({})".format(
        call(
            "W2VLatentExtractor",
            out_channels=[16, 16, 24],
            kernel_sizes=[10, 3, 3],
            strides=[5, 2, 2],
        )
    ),
    _WAVE,
)


def _hf_latents(act: str) -> Net:
    before = """
import torch
import transformers
from transformers.models.wav2vec2.modeling_wav2vec2 import Wav2Vec2FeatureEncoder


class Latents(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.extractor = Wav2Vec2FeatureEncoder(config)
        self.norm = torch.nn.LayerNorm(config.conv_dim[-1])

    def forward(self, x):
        return self.norm(self.extractor(x).transpose(1, 2))
"""
    config = call(
        "transformers.Wav2Vec2Config",
        conv_dim=[16, 16, 24],
        conv_kernel=[10, 3, 3],
        conv_stride=[5, 2, 2],
        feat_extract_norm="layer",
        feat_extract_activation=act,
        conv_bias=False,
        num_feat_extract_layers=3,
    )
    return torch("transformers", before, f"Latents({config})", _WAVE)


_OF_LATENTS: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.", ""),
        (r"convblock_(\d)\.convs\.conv_0\.", r"conv_layers.\1."),
        (r"convblock_(\d)\.convs\.norm_0\.norm\.", r"conv_layers.\1.layer_norm."),
    ),
)

_TWO: Final[Shapes] = {"x": (1, 7, 48), "memory": (1, 10, 48)}


def _speechbrain_decoder(*, before: bool) -> Net:
    lines = """
import torch
from speechbrain.lobes.models.transformer.Transformer import TransformerDecoder


class Of(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, memory):
        mask = torch.full((x.shape[1], x.shape[1]), float("-inf")).triu(1)
        return self.network(x, memory, tgt_mask=mask)[0]
"""
    told = call("TransformerDecoder", 2, 4, 96, 48, normalize_before=before)
    return torch("speechbrain", lines, f"Of({told})", _TWO)


_TORCH_DECODER: Final = torch(
    "torch",
    """
import torch


class Of(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, memory):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.network(x, memory, tgt_mask=mask, tgt_is_causal=False)


def decoder():
    layer = torch.nn.TransformerDecoderLayer(
        48, 4, 96, norm_first=True, batch_first=True, layer_norm_eps=1e-6
    )
    return torch.nn.TransformerDecoder(layer, 2, torch.nn.LayerNorm(48, eps=1e-6))
""",
    "Of(decoder())",
    _TWO,
)
_TO_TORCH_DECODER: Final[tuple[Rule, ...]] = (
    renamed(
        (r"attn\.att\.", "attn."),
        (r"pos_ffn\.ffn\.0", "linear1"),
        (r"pos_ffn\.ffn\.3", "linear2"),
        (r"\.norm\.(norm\.)?", ".norm."),
        (r"(norm\d)\.norm\.", r"\1."),
    ),
)

_RESBLOCKS: Final = {
    "resblock_kernel_sizes": [3, 7],
    "resblock_dilation_sizes": [[1, 3, 5], [1, 3, 5]],
    "upsample_kernel_sizes": [8, 4],
    "upsample_initial_channel": 32,
    "upsample_rates": [4, 2],
}
_VITS: Final = torch(
    "transformers",
    "import transformers\nfrom transformers.models.vits.modeling_vits import VitsHifiGan",
    f"VitsHifiGan({call('transformers.VitsConfig', flow_size=20, **_RESBLOCKS)})",
    {"x": (1, 20, 24)},
)


def _hf_hifigan(slope: float) -> Net:
    before = (
        "import transformers\nfrom transformers.models.fastspeech2_conformer."
        "modeling_fastspeech2_conformer import FastSpeech2ConformerHifiGan"
    )
    config = call(
        "transformers.FastSpeech2ConformerHifiGanConfig",
        model_in_dim=20,
        leaky_relu_slope=slope,
        normalize_before=False,
        **_RESBLOCKS,
    )
    inputs: Shapes = {"x": (1, 24, 20)}
    return torch("transformers", before, f"FastSpeech2ConformerHifiGan({config})", inputs)


def _last_bias(arrays: Arrays) -> Arrays:
    return arrays | {"conv_post.bias": np.zeros(1, np.float32)}


_OF_VITS: Final[tuple[Rule, ...]] = (_last_bias,)


def _bands_last(values: Values) -> Values:
    return [np.swapaxes(values[0], 1, 2)]


_HIDDEN: Final[Shapes] = {"x": (1, 12, 24)}
_SPEECHBRAIN_LENGTHS: Final = torch(
    "speechbrain",
    wrapped(
        "from speechbrain.lobes.models.FastSpeech2 import DurationPredictor",
        "self.network(x, torch.ones_like(x[..., :1]))",
    ),
    "Of(DurationPredictor(24, 32, 3))",
    _HIDDEN,
)
_HF_LENGTHS: Final = torch(
    "transformers",
    """
import transformers
from transformers.models.fastspeech2_conformer.modeling_fastspeech2_conformer import (
    FastSpeech2ConformerVariancePredictor,
)
""",
    "FastSpeech2ConformerVariancePredictor(transformers.FastSpeech2ConformerConfig(hidden_size=24, "
    "num_attention_heads=2), num_chans=32)",
    _HIDDEN,
)
_TO_LENGTHS: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.", ""),
        (r"^conv1\.conv", "conv_layers.0.conv"),
        (r"^conv2\.conv", "conv_layers.1.conv"),
        (r"^ln1\.norm", "conv_layers.0.layer_norm"),
        (r"^ln2\.norm", "conv_layers.1.layer_norm"),
        (r"^linear\.w", "linear"),
    ),
)


def _retention(*, chunks: bool) -> Net:
    before = """
import torch
from torchscale.architecture.config import RetNetConfig
from torchscale.architecture.retnet import RetNetDecoder


class States(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        words = torch.zeros(x.shape[:2], dtype=torch.int64)
        return self.network(words, token_embeddings=x, features_only=True)[0]
"""
    config = call(
        "RetNetConfig",
        decoder_embed_dim=48,
        decoder_value_embed_dim=48,
        decoder_retention_heads=4,
        decoder_ffn_embed_dim=48,
        decoder_layers=2,
        dropout=0.0,
        vocab_size=-1,
        chunkwise_recurrent=chunks,
        recurrent_chunk_size=4,
    )
    return torch("torchscale", before, f"States(RetNetDecoder({config}))", {"x": (1, 12, 48)})


_MIXED: Final[Shapes] = {"x": (1, 12, 32)}
_ZAMBA: Final = torch(
    "transformers",
    "import transformers\nfrom transformers.models.zamba.modeling_zamba import ZambaMambaMixer",
    "ZambaMambaMixer({}, 0)".format(
        call(
            "transformers.ZambaConfig",
            vocab_size=100,
            hidden_size=32,
            num_hidden_layers=2,
            layer_types=["mamba", "mamba"],
            num_attention_heads=4,
            n_mamba_heads=1,
            mamba_d_state=8,
            mamba_dt_rank=4,
            use_mamba_kernels=False,
        )
    ),
    _MIXED,
)
_MAMBAPY: Final = torch(
    "mambapy",
    "from mambapy.mamba import MambaBlock, MambaConfig",
    call("MambaBlock", 0).replace(
        "0", "MambaConfig(d_model=32, n_layers=1, dt_rank=4, d_state=8, pscan=False)"
    ),
    _MIXED,
)
_FROM_ZAMBA: Final[tuple[Rule, ...]] = (
    changed(r"in_proj", lambda array: np.swapaxes(array.reshape(64, 2, 32), 0, 1).reshape(128, 32)),
    reshaped(r"^A_log", 64, 8),
    reshaped(r"^D$", 64),
    reshaped(r"^x_proj_weight", 20, 64),
    reshaped(r"^dt_proj_weight", 64, 4),
    reshaped(r"^dt_proj_bias", 64),
    renamed((r"proj_(weight|bias)", r"proj.\1")),
)

_MLSTM: Final = """
import torch
from xlstm.blocks.mlstm.layer import mLSTMLayer, mLSTMLayerConfig


def layer():
    return mLSTMLayer(
        mLSTMLayerConfig(
            embedding_dim=32, context_length=12, num_heads=2, conv1d_kernel_size=3, bias=True
        )
    )


class Stepping(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        states, found = {}, []
        for place in range(x.shape[1]):
            step, states = self.network.step(x[:, place : place + 1], **states)
            found.append(step)
        return torch.cat(found, 1)


class Whole(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x)
"""


PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "LSTM of torchaudio's RNN-T",
        _rnnt_lstm(normed=False),
        _TORCH_LSTM,
        "the same; one step after another in A, an operator in B; a second bias only in B, of 0",
        _FROM_CUSTOM,
    ),
    Published(
        "Demucs' layer of attention",
        _demucs(layer_scale=True, init_values=0.3),
        _TORCH_LAYER,
        "the same; what attention and MLP add is scaled by channel in A, which B has in its "
        "weights; time comes first in A",
        (_folded,),
    ),
    Published(
        "Demucs' layer of attention, other activation",
        _demucs(act="torch.nn.functional.gelu"),
        _TORCH_LAYER,
        "activation of the MLP: Gelu by Erf in A, Relu in B",
        kind="different",
    ),
    Published(
        "Features of waves, SpeechBrain",
        _SPEECHBRAIN_LATENTS,
        _hf_latents("gelu"),
        "the same; channels last in A, first in B",
        _OF_LATENTS,
    ),
    Published(
        "Features of waves, SpeechBrain, other activation",
        _SPEECHBRAIN_LATENTS,
        _hf_latents("relu"),
        "activation behind every norm: Gelu by Erf in A, Relu in B",
        _OF_LATENTS,
        kind="different",
    ),
    Published(
        "SpeechBrain's decoder and torch.nn's",
        _speechbrain_decoder(before=True),
        _TORCH_DECODER,
        "the same; torch.nn's attention, MLP and norms in classes of the package in A, in layers "
        "of torch.nn in B",
        _TO_TORCH_DECODER,
    ),
    Published(
        "SpeechBrain's decoder and torch.nn's, norms elsewhere",
        _speechbrain_decoder(before=False),
        _TORCH_DECODER,
        "norms of both layers: behind the sums in A, before attention and MLP in B",
        _TO_TORCH_DECODER,
        kind="different",
    ),
    Published(
        "HiFi-GAN of VITS and FastSpeech 2",
        _VITS,
        _hf_hifigan(0.1),
        "the same; the last convolution without a bias in A, with one of 0 in B; frames last in A",
        _OF_VITS,
        feed=_bands_last,
        ours=output(0, lambda array: array[:, 0]),
    ),
    Published(
        "HiFi-GAN of VITS and FastSpeech 2, other slope",
        _VITS,
        _hf_hifigan(0.2),
        "slope of every LeakyRelu but the last: 0.1 in A, 0.2 in B",
        _OF_VITS,
        kind="different",
        feed=_bands_last,
        ours=output(0, lambda array: array[:, 0]),
    ),
    Published(
        "Predictor of lengths of FastSpeech 2",
        _SPEECHBRAIN_LENGTHS,
        _HF_LENGTHS,
        "pads of both convolutions: what is near mirrored in A, zeros in B",
        _TO_LENGTHS,
        kind="different",
    ),
    Published(
        "RetNet, parallel and in chunks",
        _retention(chunks=False),
        _retention(chunks=True),
        "the same; all words at once in A, three chunks of four and states between them in B",
    ),
    Published(
        "Mamba of Zamba",
        _ZAMBA,
        _MAMBAPY,
        "the same; weights with an axis of heads, of which there is one, and rows of states and "
        "gates by turns in A",
        _FROM_ZAMBA,
    ),
    Published(
        "mLSTM, parallel and step by step",
        torch("xlstm", _MLSTM, "Whole(layer())", _MIXED),
        torch("xlstm", _MLSTM, "Stepping(layer())", _MIXED),
        "the same; a matrix of gates over all pairs of steps in A, a state from step to step in B",
    ),
)
