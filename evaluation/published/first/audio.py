"""Networks that hear and speak."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...pairs.nets import Shapes
from ..pairs import Published, Values, call, output, torch
from ..rules import renamed, split, weight_normed

WAVE: Final[Shapes] = {"x": (1, 1600)}
_CHANNELED: Final[Shapes] = {"x": (1, 1, 1600)}
_MEL: Final[Shapes] = {"x": (1, 20, 24)}
_MEL_LAST: Final[Shapes] = {"x": (1, 24, 20)}

_RESBLOCKS: Final = {
    "resblock_kernel_sizes": [3, 7],
    "resblock_dilation_sizes": [[1, 3, 5], [1, 3, 5]],
    "upsample_kernel_sizes": [8, 4],
    "upsample_initial_channel": 32,
}
ORIGINALS: Final = (
    renamed((r"\.weight_g$", ".parametrizations.weight.original0")),
    renamed((r"\.weight_v$", ".parametrizations.weight.original1")),
)


_HIFIGAN: Final = "transformers.SpeechT5HifiGan({})".format(
    call(
        "transformers.SpeechT5HifiGanConfig",
        model_in_dim=20,
        upsample_rates=[4, 2],
        normalize_before=False,
        **_RESBLOCKS,
    )
)


_SPOKEN: Final = torch(
    "speechbrain",
    "from speechbrain.lobes.models.HifiGAN import HifiganGenerator",
    call(
        "HifiganGenerator",
        in_channels=20,
        out_channels=1,
        resblock_type="1",
        upsample_factors=[4, 2],
        inference_padding=0,
        conv_post_bias=True,
        **_RESBLOCKS,
    ),
    _MEL,
)
_OF_SPOKEN: Final = (
    weight_normed(
        r"^(.*)\.conv\.parametrizations\.weight\.original0",
        r"^(.*)\.conv\.parametrizations\.weight\.original1",
        r"\1.weight",
    ),
    renamed((r"\.conv\.bias", ".bias"), (r"^ups\.", "upsampler.")),
)


def _channels_last(values: Values) -> Values:
    return [np.moveaxis(values[0], 1, 2)]


PAIRS: Final = (
    Published(
        "WavLM",
        torch(
            "torchaudio",
            "import torchaudio",
            call(
                "torchaudio.models.wavlm_model",
                extractor_mode="group_norm",
                extractor_conv_layer_config=[(32, 10, 5), (32, 3, 2), (32, 2, 2)],
                extractor_conv_bias=False,
                encoder_embed_dim=64,
                encoder_projection_dropout=0.0,
                encoder_pos_conv_kernel=16,
                encoder_pos_conv_groups=4,
                encoder_num_layers=2,
                encoder_num_heads=4,
                encoder_num_buckets=32,
                encoder_max_distance=80,
                encoder_attention_dropout=0.0,
                encoder_ff_interm_features=128,
                encoder_ff_interm_dropout=0.0,
                encoder_dropout=0.0,
                encoder_layer_norm_first=False,
                encoder_layer_drop=0.0,
                aux_num_out=None,
            ),
            WAVE,
        ),
        torch(
            "transformers",
            "import transformers",
            "transformers.WavLMModel("
            + call(
                "transformers.WavLMConfig",
                hidden_size=64,
                num_hidden_layers=2,
                num_attention_heads=4,
                intermediate_size=128,
                conv_dim=[32, 32, 32],
                conv_stride=[5, 2, 2],
                conv_kernel=[10, 3, 2],
                num_conv_pos_embeddings=16,
                num_conv_pos_embedding_groups=4,
                num_buckets=32,
                max_bucket_distance=80,
                mask_time_prob=0.0,
            )
            + ")",
            WAVE,
        ),
        "the same; query, key and value in one weight in A; B returns the features of the "
        "convolutions as well",
        (
            split(
                r"^(.*)\.attention\.attention\.in_proj_(\w+)",
                *(rf"\1.attention.{part}_proj.\2" for part in "qkv"),
            ),
            renamed(
                (r"attention\.attention\.", "attention."),
                (r"^encoder\.transformer\.", "encoder."),
                (r"^encoder\.feature_projection\.", "feature_projection."),
            ),
        ),
    ),
    Published(
        "EnCodec's encoder",
        torch(
            "encodec",
            "from encodec.modules import SEANetEncoder",
            call(
                "SEANetEncoder",
                channels=1,
                dimension=32,
                n_filters=4,
                ratios=[4, 2],
                lstm=2,
                norm="weight_norm",
                causal=True,
            ),
            _CHANNELED,
        ),
        torch(
            "transformers",
            "import transformers\n"
            "from transformers.models.encodec.modeling_encodec import EncodecEncoder",
            "EncodecEncoder(transformers.EncodecConfig("
            "hidden_size=32, num_filters=4, upsampling_ratios=[4, 2]))",
            _CHANNELED,
        ),
        "the same; convolutions with weight normalization, two LSTM layers with a residual sum",
        (
            *ORIGINALS,
            renamed((r"^model\.", "layers."), (r"\.conv\.conv\.", ".conv.")),
        ),
    ),
    Published(
        "HiFi-GAN, other padding",
        _SPOKEN,
        torch("transformers", "import transformers", _HIFIGAN, _MEL_LAST),
        "pads of all Conv but the transposed ones: reflected in A, zeros in B; weight "
        "normalization in A alone, features of the spectrogram last in B, a channel of 1 in what A "
        "returns",
        _OF_SPOKEN,
        kind="different",
        feed=_channels_last,
        ours=output(0, lambda array: array[:, 0]),
    ),
    Published(
        "Hybrid Demucs",
        torch(
            "demucs",
            "from demucs.hdemucs import HDemucs",
            call(
                "HDemucs",
                sources=["a", "b"],
                channels=8,
                depth=4,
                nfft=256,
                hybrid_old=False,
            ),
            {"x": (1, 2, 4096)},
        ),
        torch(
            "torchaudio",
            "import torchaudio",
            call("torchaudio.models.HDemucs", sources=["a", "b"], channels=8, depth=4, nfft=256),
            {"x": (1, 2, 4096)},
        ),
        "the same: spectrogram and waveform, DConv with LSTM and local attention in two layers",
        (
            renamed(
                (r"^encoder\.", "freq_encoder."),
                (r"^decoder\.", "freq_decoder."),
                (r"^tencoder\.", "time_encoder."),
                (r"^tdecoder\.", "time_decoder."),
            ),
        ),
    ),
)
